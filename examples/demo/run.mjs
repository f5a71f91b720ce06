/**
 * The demo: the example servers, naive and shaped, called over stdio by the clients of their own SDKs.
 *
 * Every figure is computed from what came back over stdio, counted by npm `tiktoken`, which shares no code with
 * toolshape. The exit code is 1 when a check fails.
 *
 * Usage: run.mjs [--python <interpreter that has toolshape and fastmcp>]: with it, the servers in Python are called too.
 */
import { copyFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { buildDatabase } from "../data/build.mjs";
import { checkAll } from "./checks.mjs";
import { readInstalled, readReadme } from "./installed.mjs";
import { figures, installs, listing, number, progress, table, verdicts } from "./report.mjs";
import { byReader, byTool, readAllPages, readInFull, workNaively, workShaped } from "./script.mjs";
import { languages, openSession } from "./session.mjs";
import { openWriter } from "./writer.mjs";

const { values: options } = parseArgs({ options: { python: { type: "string" } } });
const database = fileURLToPath(new URL("../data/articles.db", import.meta.url));

/** Runs a piece of the agent's work in every language, one after the other, each time on the same database. */
async function inEveryLanguage(variant, work) {
  const runs = {};
  for (const language of languages(options)) {
    await progress(`${language}: ${variant} server`, async () => {
      const copy = `${database}.copy`;
      copyFileSync(database, copy);
      const session = openSession({ language, variant, database: copy, python: options.python });
      const read = await work(session.call, copy);
      await session.close();
      rmSync(copy);
      runs[language] = { steps: session.steps, reported: session.reported, read };
      return `${session.steps.length} calls`;
    });
  }
  return runs;
}

await progress("Database", async () => {
  const { articles, published, average } = await buildDatabase(database);
  return `${number(articles)} articles, ${published} published, ${average.toFixed(1)} tokens a row`;
});

/** Reads the whole list, while a writer deletes and inserts articles after each page. */
const listUnderAWriter = (follow) => async (call, copy) => {
  const writer = openWriter(copy);
  return { rows: await readAllPages(call, follow, ({ slug }) => writer.change(slug)), deleted: writer.deleted };
};

const naive = await inEveryLanguage("naive", workNaively);
const shaped = await inEveryLanguage("shaped", workShaped);
const full = await inEveryLanguage("shaped", readInFull);
const kept = await inEveryLanguage("shaped", listUnderAWriter(byReader));
const moving = await inEveryLanguage("keyset", listUnderAWriter(byTool));

const [installed, readme] = await Promise.all([readInstalled(), readReadme()]);
const checked = checkAll({ naive, shaped, full, kept, moving, installed, readme });
const read = `${listing(checked.figures)}\n${figures(checked.figures)}`;
console.log(`\n${[installs(installed), table(checked.rows), read, verdicts(checked.verdicts)].join("\n\n")}`);
process.exitCode = checked.verdicts.every(({ holds }) => holds) ? 0 : 1;
