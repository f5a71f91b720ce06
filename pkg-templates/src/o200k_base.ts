import "../data/o200k_base.js";
import { inlined } from "./inlined.js";
import { provideVocabulary } from "./provide.js";

provideVocabulary("o200k_base", inlined("o200k_base"));

export {};
