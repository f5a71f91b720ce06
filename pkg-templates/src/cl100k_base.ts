// A separate package, to be installed in addition to this one.
import "toolshape-cl100k";
import { inlined } from "./inlined.js";
import { provideVocabulary } from "./provide.js";

provideVocabulary("cl100k_base", inlined("cl100k_base"));

export {};
