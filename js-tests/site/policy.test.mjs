// The form of the policy, which is made from the published schema: what it changes, and the code that it gives.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { changed, launch, open, read, sampleText, shapedInNode, visit } from "./page.mjs";

const schema = JSON.parse(readFileSync(join(process.env.TOOLSHAPE_ROOT, "docs/toolshape.schema.json"), "utf8"));
/** Options about a whole server, which say nothing about one result. */
const OF_SERVERS = [
  "$schema",
  "tools",
  "store",
  "resultArguments",
  "redactFields",
  "redactTexts",
  "scope",
  "cursorKey",
  "cursorTtl",
  "combinedTokens",
  "snapshot",
  "schema",
  "controls",
];

let browser;
before(async () => (browser = await launch()));
after(() => browser?.close());

const form = (page) => page.getByRole("form", { name: "Policy" });

test("the form has every option of the schema that is about one result, the common ones in sight", async () => {
  await visit(browser, {}, async (page) => {
    const common = await form(page).locator(".common label").allInnerTexts();
    assert.deepEqual(common, ["maxTokens", "fields", "format", "overflow", "text"]);
    await form(page).locator("summary").click();
    const all = await form(page).evaluate((form) =>
      [...form.querySelectorAll("fieldset:not(.parts) > div > .field > label, .common label, .parts > legend")].map(
        (one) => one.textContent,
      ),
    );
    assert.deepEqual(
      all.sort(),
      Object.keys(schema.properties)
        .filter((name) => !OF_SERVERS.includes(name))
        .sort(),
    );
  });
});

test("each change changes the result, as the same policy does in Node", async () => {
  await visit(browser, {}, async (page) => {
    await open(page, "penguins");
    const text = sampleText("penguins");
    const policy = {};
    const step = async (change, act) => {
      Object.assign(policy, change);
      const before = await read(page);
      await changed(page, act);
      const now = await read(page);
      assert.notEqual(now, before, JSON.stringify(change));
      assert.equal(now, (await shapedInNode(text, "query_penguins", policy)).text, JSON.stringify(policy));
    };
    await step({ maxTokens: 700 }, () => form(page).getByLabel("maxTokens").fill("700"));
    await step({ format: "json" }, () => form(page).getByLabel("format").selectOption("json"));
    await step({ fields: ["Species", "Island"] }, () => form(page).getByLabel("fields").fill("Species, Island"));
    assert.match(await page.locator(".gave-way .fields").innerText(), /Species[^]*Body Mass/);
    await form(page).locator("summary").click();
    await step({ pageSize: 7 }, () => form(page).getByLabel("pageSize", { exact: true }).fill("7"));
    await step({ overflow: "error" }, () => form(page).getByLabel("overflow").selectOption("error"));
    await changed(page, () => page.getByRole("button", { name: "Back to the defaults" }).click());
    assert.equal(await read(page), (await shapedInNode(text, "query_penguins")).text);
  });
});

test("a wrong option is named, at its field, and the result before stays", async () => {
  await visit(browser, {}, async (page) => {
    const before = await read(page);
    await form(page).getByLabel("maxTokens").fill("3");
    await page.waitForSelector("[name=maxTokens][aria-invalid=true]");
    assert.match(await page.locator(".field .wrong").innerText(), /maxTokens.*200/s);
    assert.equal(await read(page), before);
    await changed(page, () => form(page).getByLabel("maxTokens").fill("300"));
    assert.equal(await page.locator(".field .wrong").count(), 0);
  });
});

test("the code to copy has the policy, in each language", async () => {
  await visit(browser, {}, async (page) => {
    await open(page, "weather");
    await changed(page, () => form(page).getByLabel("maxTokens").fill("900"));
    const code = page.getByRole("region", { name: "Put it into your server" });
    const snippetOf = async (name) => {
      await code.getByRole("button", { name, exact: true }).click();
      return (await code.locator("pre").allInnerTexts()).join("\n");
    };
    const typescript = await snippetOf("TypeScript");
    const given = /shapeServer\(server, (\{[^]*\})\);/.exec(typescript)[1];
    assert.deepEqual(new Function(`return ${given}`)(), { series: { value: "temp_max", at: "date" }, maxTokens: 900 });
    const python = (await snippetOf("Python")).replace(/,\n\}/g, "}").replace(/\n */g, " ");
    assert.match(
      python,
      /ShapingMiddleware\(\{ "series": \{"value": "temp_max", "at": "date"\}, "max_tokens": 900\}\)/,
    );
    assert.match(
      python,
      /shape_server\(server, \{ "series": \{"value": "temp_max", "at": "date"\}, "max_tokens": 900\}\)/,
    );
    const relay = await snippetOf("Any server");
    assert.match(relay, /npx -y toolshape-cli -- /);
    assert.deepEqual(JSON.parse(relay.slice(relay.indexOf("{"))), {
      series: { value: "temp_max", at: "date" },
      maxTokens: 900,
    });
  });
});
