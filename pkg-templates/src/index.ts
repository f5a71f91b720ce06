import "../data/module.js";
import "./o200k_base.js";
import { inlinedModule } from "./inlined.js";
import { provideModule, provideSql } from "./provide.js";

provideModule(inlinedModule());
provideSql(async () => (await import("./sql_data.js")).sqlModule);

export * from "./api.js";
