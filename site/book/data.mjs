// Tables that the book makes of data: `<!-- table: FILE.json -->` in a page is replaced by the tables of that file.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { behavioursTable } from "./behaviours.mjs";

/** The files other than measurements. */
const TABLES = { "behaviours.json": behavioursTable, "methods.json": methodsTable };
const PLACEHOLDER = /^<!-- table: (\S+\.json) -->$/gm;

/** The Markdown of a page with its tables, and the measurements in it. */
export async function withTables(markdown, path, root) {
  const measured = await import(pathToFileURL(join(root, "benches/shape/measurements.mjs")).href);
  const tables = [];
  const text = markdown.replace(PLACEHOLDER, (_, name) => {
    const data = JSON.parse(readFileSync(join(root, dirname(path), name), "utf8"));
    if (TABLES[name]) return TABLES[name](data);
    tables.push(...data.tables);
    return measured.markdown(data);
  });
  return { text, tables };
}

/** docs/methods.json, the methods of the plain module. */
function methodsTable(methods) {
  const rows = methods.map(
    ({ name, members, returns }) =>
      `| \`${name}\` | ${members.map((member) => `\`${member}\``).join(", ")} | ${returns} |`,
  );
  return ["| method | members | returns |", "| --- | --- | --- |", ...rows].join("\n");
}
