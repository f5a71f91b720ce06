// SQLite's module, which is loaded at the first question in SQL.

import { packageData } from "../package_data.js";
import type { Args } from "../reading/calls.js";
import { loadScript } from "./script.js";

/** The text of the module, if a call has a question in SQL. */
export async function sqlModuleFor(args: Args): Promise<string | undefined> {
  if (!("sql" in args)) return undefined;
  if (packageData()["sql"] === undefined) await loadScript("sql.js");
  return packageData()["sql"];
}
