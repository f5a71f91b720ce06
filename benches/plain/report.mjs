/**
 * Makes a table in Markdown of what was measured of the plain module, and prints it; UPDATE_TABLE writes it into the page too.
 *
 * Usage: report.mjs <folder with plain-node.json and plain-python.json> <the module> <the page>
 */
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { median, megabytes, ratio, show, showSpread } from "../shape/figures.mjs";
import { table } from "../shape/table.mjs";
import { WORKS } from "./works.mjs";

const [folder, module, page] = process.argv.slice(2);
const [BEGIN, END] = ["<!-- plain -->\n", "<!-- /plain -->"];
const PLAIN = "the plain module";
const faces = Object.fromEntries(
  ["Node", "Python"].map((name) => [
    name,
    JSON.parse(readFileSync(join(folder, `plain-${name.toLowerCase()}.json`), "utf8")),
  ]),
);

const rows = Object.keys(WORKS).flatMap((work) =>
  Object.entries(faces).map(([face, found]) => {
    const { [PLAIN]: plain, ...others } = found[work];
    const [[name, other]] = Object.entries(others);
    return [work, face, show(median(plain)), `${show(median(other))}, ${name}`, showSpread(ratio(plain, other))];
  }),
);
const text = [
  `The module has ${megabytes(statSync(module).size)}, and ${megabytes(gzipSync(readFileSync(module)).length)} gzipped.`,
  `Milliseconds of the processor for a call of \`shapeJson\`, from the host's string to the model's, receipts included; on ${cpus()[0].model.trim()} with ${cpus().length} cores, Node ${process.version}; the load of its last 15 minutes was ${show(loadavg()[2])}. Medians, and in brackets the middle half of the rounds. In Python the module runs in wasmtime, and the wheel is the native one.`,
  table(["", "", PLAIN, "the package", "times"], rows),
].join("\n\n");

writeFileSync(join(folder, "plain.md"), `${text}\n`);
if (process.env.UPDATE_TABLE) {
  const [before, rest] = readFileSync(page, "utf8").split(BEGIN);
  writeFileSync(page, `${before}${BEGIN}${text}\n${END}${rest.split(END)[1]}`);
}
console.log(text);
