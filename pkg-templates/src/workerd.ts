// Worker runtimes compile nothing at run time; they hand out the module that an import names.
import module from "../toolshape.wasm";
import "./o200k_base.js";
import { provideModule } from "./provide.js";

provideModule(() => module);

export * from "./api.js";
