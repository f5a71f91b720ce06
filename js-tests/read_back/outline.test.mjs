// Outlines of READMEs and changelogs of others through `readResult`, compared with the headings that markdown-it finds.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { test } from "node:test";
import MarkdownIt from "markdown-it";
import { expand } from "toolshape";

// What reads without an archive is the package's own function.
const require = createRequire(import.meta.url);
require("toolshape");
const { callShaper } = require(join(dirname(require.resolve("toolshape/package.json")), "dist/cjs/core.js"));
const packages = dirname(dirname(require.resolve("ajv/package.json")));
const files = readdirSync(packages, { recursive: true }).filter((name) => /\.(md|markdown)$/iu.test(name));
const POLICY = JSON.stringify({ maxTokens: 1000 });

/** Documents whose outline in toolshape still differs from markdown-it's: the list only gets shorter. */
const KNOWN = new Set([
  "axios/README.md",
  "fflate/CHANGELOG.md",
  "fflate/README.md",
  "openai/README.md",
  "stripe/CHANGELOG.md",
  "stripe/README.md",
  "@andrewbranch/untar.js/README.md",
  "@biomejs/biome/README.uk.md",
  "@biomejs/cli-linux-x64/CHANGELOG.md",
  "@sec-ant/readable-stream/README.md",
  "undici/docs/docs/api/Errors.md",
  "playwright-core/lib/tools/skills/playwright-cli/SKILL.md",
  "playwright-core/lib/tools/skills/playwright-component-testing/SKILL.md",
  "playwright-core/lib/tools/skills/playwright-trace/SKILL.md",
  "playwright-core/lib/tools/skills/playwright-cli/references/request-mocking.md",
  "playwright-core/lib/tools/skills/playwright-cli/references/storage-state.md",
]);

function ask(text, args) {
  const handle = createHash("sha256").update(text).digest("hex");
  const call = { tool: "read_result", arguments: { handle, ...args } };
  const answer = callShaper(POLICY, "readResult", { key: `${handle}.txt`, call }, { content: text });
  assert.ok(!answer.isError, answer.text);
  return JSON.parse(expand(answer.text));
}

/** All rows of an answer, by its cursors. */
function rows(text, args) {
  const found = [];
  let cursor;
  do {
    const value = ask(text, { ...args, format: "json", cursor });
    found.push(...value.items);
    cursor = value.nextCursor ?? undefined;
    if (!cursor) assert.equal(value.totalItems, found.length);
  } while (cursor);
  return found;
}

/** A heading as its line and its level. Versions of a change log have one level, whatever it is written at. */
function place(lines, line, level) {
  return /^#+\s*\[?v?\d+\.\d/iu.test(lines[line - 1]) ? `${line}` : `${line} ${level}`;
}

/** The headings outside of lists and quotations. */
function headings(text) {
  const lines = text.split("\n");
  const tokens = new MarkdownIt({ html: true }).parse(text, {});
  const open = tokens.filter(({ type, level }) => type === "heading_open" && level === 0);
  const titled = open.filter((token) => tokens[tokens.indexOf(token) + 1].content.trim() !== "");
  return titled.map(({ map, tag }) => place(lines, map[0] + 1, tag.slice(1)));
}

test("headings of documents of others", () => {
  let [documents, count, differ] = [0, 0, []];
  for (const file of files) {
    const text = readFileSync(join(packages, file), "utf8").replaceAll("\r\n", "\n");
    const wanted = headings(text);
    if (wanted.length < 2) continue;
    const lines = text.split("\n");
    // An outline of more than 20 headings leaves out the deeper ones.
    if (ask(text, { outline: true }).deeper) continue;
    const all = rows(text, { outline: true });
    const found = all.filter(({ lines: section }) => !/^\s*<h\d/iu.test(lines[section.split("-")[0] - 1]));
    const reported = found.map(({ lines: section, level }) => place(lines, Number(section.split("-")[0]), level));
    documents += 1;
    count += wanted.length;
    if (JSON.stringify(reported) !== JSON.stringify(wanted)) {
      const [missing, more] = [
        wanted.filter((one) => !reported.includes(one)),
        reported.filter((one) => !wanted.includes(one)),
      ];
      differ.push(file);
      console.log(`${file}: ${wanted.length} headings; missing ${missing.slice(0, 5)}; more ${more.slice(0, 5)}`);
    }
    // A section is read by its lines, and begins with its heading.
    for (const { lines: section } of found.slice(0, 3)) {
      const [first] = section.split("-").map(Number);
      const { text: all, preview } = ask(text, { lines: section });
      assert.ok((all ?? preview).startsWith(lines[first - 1].slice(0, 40)), `${file} ${section}`);
    }
  }
  console.log(
    `outlines: ${count} headings in ${documents} documents; ${documents - differ.length} are as markdown-it has them`,
  );
  assert.ok(documents >= 15, `only ${documents} documents`);
  assert.deepEqual(
    differ.filter((file) => !KNOWN.has(file)),
    [],
  );
});

test("hits have the heading above them", () => {
  const file = files.find((name) => /node-addon-api\/CHANGELOG\.md$/iu.test(name.replaceAll("\\", "/")));
  const text = readFileSync(join(packages, file), "utf8").replaceAll("\r\n", "\n");
  const lines = text.split("\n");
  const hits = rows(text, { search: "napi", context: 0 });
  assert.ok(hits.length > 10, `only ${hits.length} hits`);
  for (const { line, heading } of hits) {
    const above = lines.slice(0, line - 1).findLast((text) => /^#{1,6} \S/u.test(text));
    const printedText = heading?.split(" > ").at(-1).replace(/…$/u, "");
    // The title of the whole says nothing about a line.
    if (printedText)
      assert.ok(
        above.replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, "$1").includes(printedText),
        `${line}: ${printedText} / ${above}`,
      );
  }
  assert.ok(hits.some(({ heading }) => heading));
});
