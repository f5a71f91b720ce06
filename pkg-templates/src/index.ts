import "../data/module.js";
import "./o200k_base.js";
import { inlinedModule } from "./inlined.js";
import { provideModule } from "./provide.js";

provideModule(inlinedModule());

export * from "./api.js";
