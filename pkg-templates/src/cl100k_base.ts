import "../data/cl100k_base.js";
import { inlined } from "./inlined.js";
import { provideVocabulary } from "./provide.js";

provideVocabulary("cl100k_base", inlined("cl100k_base"));

export {};
