/**
 * Records what was measured of the plain module.
 *
 * Usage: report.mjs <folder with plain-node.json and plain-python.json> <the module> <folder of the documentation>
 */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { median, ratio } from "../shape/figures.mjs";
import { megabytes, record, rounded, spreadCell } from "../shape/measurements.mjs";
import { WORKS } from "./works.mjs";

const [folder, module, docs] = process.argv.slice(2);
const PLAIN = "the plain module";
const faces = Object.fromEntries(
  ["Node", "Python"].map((name) => [
    name,
    JSON.parse(readFileSync(join(folder, `plain-${name.toLowerCase()}.json`), "utf8")),
  ]),
);

const tables = [
  {
    title: "Size of the plain module",
    columns: ["form", "MB"],
    rows: [
      ["file", megabytes(statSync(module).size)],
      ["gzipped", megabytes(gzipSync(readFileSync(module)).length)],
    ],
  },
  {
    title: "The plain module and the packages",
    about:
      "Processor time in milliseconds for one `shapeJson`, from the host's string to the model's, receipts included. In Python the module runs in wasmtime, and the wheel is native.",
    columns: ["work", "language", "plain module, ms", "package", "package, ms", "ratio"],
    rows: Object.keys(WORKS).flatMap((work) =>
      Object.entries(faces).map(([face, found]) => {
        const { [PLAIN]: plain, ...others } = found[work];
        const [[name, other]] = Object.entries(others);
        return [work, face, rounded(median(plain)), name, rounded(median(other)), spreadCell(ratio(plain, other))];
      }),
    ),
  },
];
record("plain", { command: "cargo xtask bench plain", tables }, { folder, docs });
