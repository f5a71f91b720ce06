// Worker runtimes allow compiling only at startup, so the module is compiled when this file is imported.
import "../data/module.js";
import "./o200k_base.js";
import { ToolshapeError } from "./error.js";
import { inlinedModule } from "./inlined.js";
import { provideModule, provideSql } from "./provide.js";
import { sqlModule } from "./sql_data.js";

provideModule(compiled(inlinedModule()));
const sql = compiled(sqlModule);
provideSql(() => Promise.resolve(sql));

/**
 * A module. A compile error is thrown at the first use only, because it does not matter if the module comes from
 * elsewhere (`toolshape/slim`).
 */
function compiled(inlined: () => WebAssembly.Module): () => WebAssembly.Module {
  try {
    const module = inlined();
    return () => module;
  } catch (cause) {
    return () => {
      const message =
        "this runtime compiles no WebAssembly: set its compatibility date to 2025-06-01 or later, " +
        "or pass the module of the package toolshape-wasm to useModule of toolshape/slim";
      throw new ToolshapeError("INTERNAL", message, "", { cause });
    };
  }
}

export * from "./api.js";
