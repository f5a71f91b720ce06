/**
 * TOON's benchmark, on a checkout of toon-format/toon: its data in a lossless form, and its questions in SQL.
 *
 * `node toon.mjs CHECKOUT`. The checkout makes the data, the questions and the answers, and compares answers. `toon.tsv` has a statement
 * for each form of a question, without which a model would have to count. The environment variable `TOOLSHAPE_PYTHON` is the Python of
 * `lossless.py`, which prints the first table.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Archive, countTokens, MemoryStore, Shaper } from "toolshape";

const { generateQuestions, ACCURACY_DATASETS, compareAnswers } = await benchmark(resolve(process.argv[2]));
const forms = readFileSync(new URL("toon.tsv", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .slice(1)
  .map((line) => line.split("\t"));

// Whether a damaged text is whole is not a question about its data.
const questions = generateQuestions().filter(({ type }) => type !== "structural-validation");
const datasets = ACCURACY_DATASETS.filter(({ name }) => questions.some(({ dataset }) => dataset === name));
mkdirSync("toon-data", { recursive: true });
for (const { name, data } of datasets) writeFileSync(`toon-data/${name}.json`, JSON.stringify(data));
execFileSync(process.env.TOOLSHAPE_PYTHON ?? "python3", ["lossless.py", "toon-data"], { stdio: "inherit" });

// In so few tokens no data fits, so all are stored.
const archive = new Archive(new Shaper({ maxTokens: 400 }), new MemoryStore());
const handles = {};
const tally = {};
for (const { name, data } of datasets) {
  const { text } = await archive.shape(data, { tool: name });
  handles[name] = /result\/([a-z]{16})/.exec(text)[1];
  tally[name] = { asked: 0, right: 0, tokens: 0, first: countTokens(text), raw: countTokens(JSON.stringify(data)) };
}
const wrong = [];
for (const { prompt, groundTruth, dataset, answerType, normalizationOptions } of questions) {
  const sql = statement(dataset, prompt);
  const { text } = sql === undefined ? { text: "{}" } : await archive.readResult({ handle: handles[dataset], sql });
  const cell = JSON.parse(text).rows?.[0]?.[0];
  const isRight = compareAnswers(String(cell), groundTruth, answerType ?? "string", normalizationOptions).match;
  const own = tally[dataset];
  own.asked += 1;
  own.right += isRight;
  own.tokens += countTokens(sql ?? "") + countTokens(text);
  if (!isRight) wrong.push(`${prompt} ${cell}, not ${groundTruth}`);
}
console.log("\n| data | JSON, tokens | right in SQL | shown at first | an answer, tokens |\n|---|---|---|---|---|");
for (const [name, { asked, right, tokens, first, raw }] of Object.entries(tally)) {
  console.log(`| ${name} | ${raw} | ${right} of ${asked} | ${first} | ${Math.round(tokens / asked)} |`);
}
for (const one of wrong) console.log(one);
console.log(`right in SQL: ${questions.length - wrong.length} of ${questions.length}`);

/** The statement for a question. */
function statement(dataset, prompt) {
  for (const [of, form, sql] of forms) {
    const found = (of === "*" || of === dataset) && new RegExp(`^${form}$`).exec(prompt);
    if (found) return sql.replace(/\$(\d)/g, (_, group) => (found[group] ?? "").replaceAll("'", "''"));
  }
}

/** What the checkout exports, as one module; its packages are those of this folder. */
async function benchmark(checkout) {
  const { build } = await import("esbuild");
  const contents = ["questions/index", "datasets", "normalize"]
    .map((name) => `export * from ${JSON.stringify(join(checkout, `benchmarks/src/${name}.ts`))};`)
    .join("\n");
  const outfile = resolve("toon-data/benchmark.mjs");
  await build({
    stdin: { contents, resolveDir: checkout },
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "error",
    nodePaths: [resolve("node_modules")],
    outfile,
  });
  return import(outfile);
}
