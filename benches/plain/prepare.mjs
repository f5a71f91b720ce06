/**
 * Writes the works into a folder: the texts, and what Python has to know of them.
 *
 * Usage: prepare.mjs <folder>
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CALL, POLICY, WORKS, rowsOf } from "./works.mjs";

const [folder] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "small.json"), rowsOf(1900));
writeFileSync(join(folder, "large.json"), rowsOf(20e6));
writeFileSync(join(folder, "works.json"), JSON.stringify({ works: WORKS, policy: POLICY, call: CALL }));
