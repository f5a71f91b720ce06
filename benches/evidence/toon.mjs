/**
 * The questions of TOON's benchmark, each asked as one statement of SQL: how many answers are those that the benchmark computes.
 *
 * `node toon.mjs <checkout of toon-format/toon> <folder>`: the questions and their answers are made by the checkout. The folder has our
 * packages, such as `target/node`; what the checkout needs is installed below it. `toon.tsv` has the statement for each form of a question.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [checkout, folder] = process.argv.slice(2).map((path) => resolve(path));
const { generateQuestions, ACCURACY_DATASETS, compareAnswers } = await benchmark();
const { Archive, MemoryStore, Shaper, countTokens } = await import(
  pathToFileURL(createRequire(join(folder, "x.mjs")).resolve("toolshape"))
);
const forms = readFileSync(new URL("toon.tsv", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .slice(1)
  .map((line) => line.split("\t"));

const archive = new Archive(new Shaper({ maxTokens: 400 }), new MemoryStore());
const handles = {};
for (const { name, data } of ACCURACY_DATASETS) {
  // In so few tokens none of them fits, so all are stored.
  const shaped = await archive.shape(data, { tool: name });
  handles[name] = /result\/([a-z]{16})/.exec(shaped.text)?.[1];
}
// Whether a damaged text is whole is not a question about its data.
const questions = generateQuestions().filter(({ type }) => type !== "structural-validation");
let [right, tokens] = [0, 0];
for (const { prompt, groundTruth, dataset, answerType, normalizationOptions } of questions) {
  const sql = statement(dataset, prompt);
  const { text } = sql === undefined ? { text: "{}" } : await archive.readResult({ handle: handles[dataset], sql });
  tokens += countTokens(sql ?? "") + countTokens(text);
  const cell = JSON.parse(text).rows?.[0]?.[0];
  const isRight = compareAnswers(String(cell), groundTruth, answerType ?? "string", normalizationOptions).match;
  right += isRight;
  if (!isRight) console.log({ dataset, prompt, groundTruth, sql, text });
}
console.log(`${right} of ${questions.length} questions right, ${tokens} tokens asked and read`);

/** The statement for a question. */
function statement(dataset, prompt) {
  for (const [of, form, sql] of forms) {
    const found = (of === "*" || of === dataset) && new RegExp(`^${form}$`).exec(prompt);
    if (found) return sql.replace(/\$(\d)/g, (_, group) => (found[group] ?? "").replaceAll("'", "''"));
  }
}

/** What the checkout exports, as one module. */
async function benchmark() {
  const own = join(folder, "toon");
  mkdirSync(own, { recursive: true });
  const packages = ["@faker-js/faker@10.5.0", "esbuild@0.25.12"];
  execFileSync("npm", ["install", "--silent", "--no-save", "--prefix", own, ...packages], { stdio: "inherit" });
  const source = ["questions/index", "datasets", "normalize"].map((name) => {
    const file = join(checkout, `benchmarks/src/${name}.ts`);
    return `export * from ${JSON.stringify(file)};`;
  });
  writeFileSync(join(own, "entry.mjs"), source.join("\n"));
  const bundle = [
    "--bundle",
    "--platform=node",
    "--format=esm",
    "--log-level=error",
    `--outfile=${join(own, "all.mjs")}`,
  ];
  execFileSync(join(own, "node_modules/.bin/esbuild"), [join(own, "entry.mjs"), ...bundle], {
    env: { ...process.env, NODE_PATH: join(own, "node_modules") },
  });
  return import(pathToFileURL(join(own, "all.mjs")));
}
