// What results show of documents of others: of what an object leaves out nothing small fits into what is left of the
// budget, a row that fits a page by itself is never cut, and what a row shows is the document's.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { Shaper, countTokens } from "toolshape";

const require = createRequire(import.meta.url);
const examples = join(dirname(require.resolve("simdjson/package.json")), "jsonexamples");
const NAMES = ["twitter", "citm_catalog", "canada", "gsoc-2018", "github_events", "marine_ik", "mesh", "update-center"];
const files = Object.fromEntries(NAMES.map((name) => [name, join(examples, `${name}.json`)]));
files["browser-compat-data"] = require.resolve("@mdn/browser-compat-data");

const BUDGETS = [300, 1000, 2000];
/** A leaf with at most this many characters is small. */
const SMALL = 100;
/** Parts are counted one by one, so this part of the budget may stay unused although a small value is left out. */
const UNUSED = 8;
/** Parts of a document that are shaped, and members of each part from which further parts are taken. */
const PARTS = 60;
const MEMBERS = 12;
/** Rows of a page that are looked at alone. */
const ROWS = 6;

const isContainer = (value) => typeof value === "object" && value !== null;
const isSmall = (leaf) => typeof leaf !== "string" || [...leaf].length <= SMALL;

/** The document and parts of it, level by level, evenly spread over the members. */
function partsOf(document) {
  const parts = [document];
  for (let at = 0; at < parts.length && parts.length < PARTS; at++) {
    const inside = Object.values(parts[at]).filter(isContainer);
    const step = Math.max(1, Math.floor(inside.length / MEMBERS));
    parts.push(...inside.filter((_, nth) => nth % step === 0).slice(0, MEMBERS));
  }
  return parts.slice(0, PARTS);
}

/** The small leaves of a value that a result does not show in place. */
function* leftOut(value, shown) {
  if (isContainer(value)) {
    for (const key of Object.keys(value))
      yield* leftOut(value[key], isContainer(shown) && Object.hasOwn(shown, key) ? shown[key] : undefined);
  } else if (isSmall(value) && !Object.is(value, shown)) yield value;
}

/** Whether a row of a page is one of the list: whole, or without the fields that the page names. */
function shows(row, whole, omittedFields) {
  if (omittedFields === undefined) return JSON.stringify(row) === JSON.stringify(whole);
  if (!isContainer(row)) return Object.is(row, whole);
  return Object.keys(row).every((key) => Object.hasOwn(whole, key) && shows(row[key], whole[key], omittedFields));
}

/** Tokens that a summarized object leaves unused although a small value would fit. Keys that the next part shows are to come. */
function wasted(value, { value: result, tokens }, budget) {
  const unused = budget - tokens;
  const isHere = ([key]) => result._nextCursor === undefined || Object.hasOwn(result, key);
  let least = Infinity;
  for (const leaf of leftOut(Object.fromEntries(Object.entries(value).filter(isHere)), result))
    least = Math.min(least, countTokens(JSON.stringify(leaf)));
  return least + budget / UNUSED <= unused ? { unused, least } : undefined;
}

for (const [name, path] of Object.entries(files)) {
  test(name, () => {
    const counts = { objects: 0, pages: 0, rows: 0 };
    for (const part of partsOf(JSON.parse(readFileSync(path, "utf8")))) {
      for (const maxTokens of BUDGETS) {
        const shaper = new Shaper({ maxTokens });
        const shaped = shaper.shape(part);
        const { _summarized, _page, paginated, elisions, items, omittedFields } = shaped.value ?? {};
        if (_summarized && !_page && !("_value" in shaped.value)) {
          counts.objects++;
          assert.equal(wasted(part, shaped, maxTokens), undefined, shaped.text);
        } else if (paginated && Array.isArray(part)) {
          counts.pages++;
          const cut = new Set((elisions ?? []).map(({ pointer }) => Number(pointer.split("/")[1])));
          for (const at of [...cut].slice(0, ROWS)) {
            counts.rows++;
            const alone = shaper.shape(part, { pageSize: 1, page: at + 1 }).value;
            assert.ok(alone.elisions?.length > 0, `row ${at} fits a page by itself, and is cut: ${shaped.text}`);
          }
          assert.ok(
            items === undefined || cut.size > 0 || items.every((row, at) => shows(row, part[at], omittedFields)),
            shaped.text,
          );
        }
      }
    }
    console.log(`${name}: ${counts.objects} objects, ${counts.pages} pages, ${counts.rows} rows that are cut`);
    assert.ok(counts.objects + counts.pages > 0);
  });
}
