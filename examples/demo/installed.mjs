/** What the READMEs show: the lines that a shaped server has over the naive one, and the figures of the demo. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";

const SERVERS = {
  TypeScript: ["typescript/naive.ts", "typescript/shaped.ts"],
  Python: ["python/naive.py", "python/shaped.py"],
};
const IMPORT = /^(import|from) /;

/** For each language the two files, the imports and the other lines that one has and the other has not, and whether the README shows them. */
export async function readInstalled() {
  const read = (path) => readFile(new URL(`../${path}`, import.meta.url), "utf8");
  const readme = await read("README.md");
  const entries = Object.entries(SERVERS).map(async ([language, files]) => {
    const added = addedLines(...(await Promise.all(files.map(read))));
    const [imports, lines] = [added.filter((line) => IMPORT.test(line)), added.filter((line) => !IMPORT.test(line))];
    const isShown = readme.includes(added.map((line) => `> ${line}\n`).join(""));
    return [language, { files, imports, lines, isShown }];
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** The README of the repository. */
export const readReadme = () => readFile(join(process.env.TOOLSHAPE_ROOT, "README.md"), "utf8");

/** The lines that have to be taken out of `after` to get `before`; everything, where that does not do. */
function addedLines(before, after) {
  const [left, added] = [before.split("\n"), []];
  for (const line of after.split("\n")) {
    if (line === left[0]) left.shift();
    else added.push(line);
  }
  return left.length === 0 ? added : after.split("\n");
}
