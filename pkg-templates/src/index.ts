import "../data/module.js";
import "./o200k_base.js";
import { inlined } from "./inlined.js";
import { provideModule } from "./provide.js";

provideModule(() => new WebAssembly.Module(inlined("module")));

export * from "./api.js";
