import "../data/sql.js";
import { inlinedModule } from "./inlined.js";

/** Reads the module that answers in SQL. */
export const sqlModule = inlinedModule("sql");
