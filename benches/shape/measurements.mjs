/**
 * Measurements as data. A file has a command, an environment and tables; each table has a title, an explanation, columns and rows.
 * Benchmarks write such files, and the documentation site renders them.
 */
import { writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { show } from "./figures.mjs";
import { table } from "./table.mjs";

/** A number as it is recorded: three significant digits, and at most four decimals. */
export const rounded = (value) => Number(show(value).replaceAll(",", ""));

/** A median with the middle half of the rounds. */
export const spreadCell = ({ middle, low, high }) => ({
  value: rounded(middle),
  low: rounded(low),
  high: rounded(high),
});

export const megabytes = (bytes) => rounded(bytes / 1e6);

/** The machine, and how busy it was. */
export const environment = () =>
  `${cpus()[0].model.trim()}, ${cpus().length} cores, Node ${process.version}, load average ${show(loadavg()[2])}`;

/** Prints measurements and writes them into `folder`, and into the documentation if UPDATE_TABLE is set. */
export function record(name, measurements, { folder, docs }) {
  const text = serialized({ ...measurements, environment: environment() });
  writeFileSync(join(folder, `${name}.json`), text);
  if (process.env.UPDATE_TABLE) writeFileSync(join(docs, "measurements", `${name}.json`), text);
  console.log(markdown(JSON.parse(text)));
}

/** JSON with one row of a table in each line. */
export function serialized({ tables, ...about }) {
  const empty = tables.map((each) => ({ ...each, rows: [] }));
  const rows = tables.map((each) => each.rows.map((row) => `    ${JSON.stringify(row)}`).join(",\n"));
  return `${JSON.stringify({ ...about, tables: empty }, null, 1).replace(/"rows": \[\]/g, () => `"rows": [\n${rows.shift()}\n   ]`)}\n`;
}

/** All tables in Markdown, with their titles as headings. */
export function markdown({ command, environment, tables }) {
  const sections = tables.map(({ title, about, columns, rows }) => [
    `### ${title}`,
    about,
    table(
      columns,
      rows.map((row) => row.map(cellText)),
    ),
  ]);
  return [
    ...sections.flat().filter(Boolean),
    `Recorded by \`${command}\`${environment ? ` on ${environment}` : ""}.`,
  ].join("\n\n");
}

/** A cell is text, a number, whether a target is reached, or a number with its range or its ratio to another. */
function cellText(cell) {
  if (cell === null) return "";
  if (typeof cell === "boolean") return cell ? "✓" : "✗";
  if (typeof cell === "number") return cell.toLocaleString("en", { maximumFractionDigits: 4 });
  if (typeof cell === "string") return cell;
  const { value, low, high, ratio } = cell;
  return `${cellText(value)} ${ratio === undefined ? `(${cellText(low)} to ${cellText(high)})` : `(${cellText(ratio)} ×)`}`;
}
