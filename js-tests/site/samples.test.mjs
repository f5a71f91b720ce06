// Each sample on the page: what the model reads is what the package makes of it in Node, byte for byte; and what it leaves
// out comes back.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { decodeBytes, encode, expand, explain } from "toolshape";
import { SITE, ask, launch, open, paste, read, sampleText, shapedInNode, visit } from "./page.mjs";

const IDS = readdirSync(join(SITE, "samples")).map((name) => name.replace(".js", ""));
/** Its parts come back in some ten thousand calls, which take minutes. */
const LARGE = "trace";
const MARKS = /"(?:[^"\\]|\\.)*"|\s+/g;

let browser;
before(async () => (browser = await launch()));
after(() => browser?.close());

/** JSON without the white space between its parts. */
const minified = (json) => json.replace(MARKS, (part) => (part.startsWith('"') ? part : ""));

test("there are a dozen samples, each with its source and licence", async () => {
  assert.ok(IDS.length >= 12, `${IDS.length}`);
  await visit(browser, {}, async (page) => {
    assert.equal(await page.locator("[data-sample]").count(), IDS.length);
    for (const button of await page.locator("[data-sample]").all()) {
      assert.match(await button.getAttribute("title"), /\d (?:KB|MB|bytes)\. .*npm .+\. .+\.$/);
    }
  });
});

test("each sample: the bytes of Node, within the budget", async () => {
  await visit(browser, {}, async (page) => {
    for (const id of IDS) {
      await open(page, id);
      const tool = await page.inputValue(".tool");
      const policy = { weather: { series: { value: "temp_max", at: "date" } }, rain: { grid: { list: "rows" } } }[id];
      const wanted = await shapedInNode(sampleText(id), tool, policy);
      assert.equal(await read(page), wanted.text, id);
      const tokens = Number(await page.getAttribute("[data-tokens-after]", "data-tokens-after"));
      assert.equal(tokens, wanted.receipt.tokensAfter, id);
      assert.ok(
        tokens <= 2000 && wanted.receipt.tokensBefore > 2000,
        `${id}: ${wanted.receipt.tokensBefore} to ${tokens}`,
      );
      const sentences = await page.locator(".steps li").allTextContents();
      const explained = explain(wanted.receipt).split("\n");
      assert.deepEqual(sentences, explained, id);
    }
  });
});

test("everything comes back, byte for byte", async (t) => {
  await visit(browser, {}, async (page) => {
    for (const id of IDS.filter((id) => id !== LARGE)) {
      await t.test(id, async () => {
        await open(page, id);
        await page.getByRole("button", { name: "Read everything back" }).click();
        const link = page.getByRole("link", { name: "Save what came back" });
        const [saved] = await Promise.all([page.waitForEvent("download"), link.click()]);
        const content = readFileSync(await saved.path(), "utf8");
        const text = sampleText(id);
        assert.ok(
          content === (saved.suggestedFilename().endsWith(".json") ? minified(text) : text),
          `${id}: ${content.length} characters differ`,
        );
        const status = await page.locator(".read-back p").innerText();
        assert.match(status, /byte for byte/);
        console.log(`${id}: ${status}`);
      });
    }
  });
});

test("pages are followed to the last, by their cursors, and have every row", async () => {
  await visit(browser, {}, async (page) => {
    await open(page, "penguins");
    const rows = [...JSON.parse(expand(await read(page))).items];
    let more = page.locator(".reading .call[title^='the next part']");
    while ((await more.count()) > 0) {
      rows.push(...JSON.parse(expand(await ask(page, () => more.first().click()))).items);
      more = page.locator(".turn[open] .call[title^='the next part']");
    }
    assert.deepEqual(rows, JSON.parse(sampleText("penguins")));
  });
});

test("what a result names is asked by a click: a question, a pointer, a section", async () => {
  await visit(browser, {}, async (page) => {
    await open(page, "penguins");
    const { ask: question } = JSON.parse(await read(page));
    const answer = JSON.parse(
      await ask(page, () => page.locator(".questions button", { hasText: "ask about all rows" }).click()),
    );
    const [, column] = /^SELECT (\w+), count/.exec(question.sql);
    const groups = new Set(JSON.parse(sampleText("penguins")).map((row) => row[column]));
    assert.equal(answer.totalItems ?? answer.items.length, groups.size);

    await open(page, "tweets");
    const pointer = page.locator(".reading .call[title*='pointer']").first();
    assert.match(await ask(page, () => pointer.click()), /statuses|paginated/);

    await open(page, "document");
    const section = page.locator(".reading .call[title^='read this section']").first();
    const heading = (await section.innerText()).replace(/^"\d* ?#+ |"$/g, "");
    assert.ok((await ask(page, () => section.click())).includes(heading), heading);
  });
});

test("arguments of one's own are asked by the form", async () => {
  await visit(browser, {}, async (page) => {
    await open(page, "penguins");
    const form = page.getByRole("form", { name: "Ask with arguments of your own" });
    await form.getByLabel("Argument").selectOption("sql");
    await form.getByLabel("The value of sql").fill("SELECT count(*), max(`Body Mass (g)`) FROM result");
    const answer = JSON.parse(await ask(page, () => form.getByRole("button", { name: "Ask", exact: true }).click()));
    const masses = JSON.parse(sampleText("penguins")).map((row) => row["Body Mass (g)"] ?? 0);
    assert.deepEqual(answer.rows, [[masses.length, Math.max(...masses)]]);
  });
});

test("tokens are coloured one by one, as many as are counted", async () => {
  await visit(browser, {}, async (page) => {
    await open(page, "penguins");
    const text = await read(page);
    await page.getByLabel("colour its tokens").check();
    await page.waitForSelector(".reading .token");
    assert.equal(await read(page), text);
    const tokens = Number(await page.getAttribute("[data-tokens-after]", "data-tokens-after"));
    const drawn = await page.locator(".reading .token").count();
    // A token over two lines is drawn in two parts.
    const lines = await page.locator(".reading .line").count();
    assert.ok(drawn >= tokens && drawn <= tokens + 3 * lines, `${drawn} of ${tokens}`);
  });
});

test("each token is drawn with its own characters, of any script", async () => {
  const text = "größe naïve — привет, мир! 日本語のテキスト, שלום, ‘quoted’ 😀👩‍👩‍👧 end";
  const [pieces, decoder] = [[], new TextDecoder()];
  for (const token of encode(text)) pieces.push(decoder.decode(decodeBytes([token]), { stream: true }));
  await visit(browser, {}, async (page) => {
    await paste(page, text);
    await page.getByLabel("colour its tokens").check();
    await page.waitForSelector(".reading .token");
    const drawn = await page.locator(".reading .token").allTextContents();
    assert.equal(drawn.join(""), text);
    // A character that several tokens share is drawn with the first of them, and decoded with the last.
    const alone = (parts) => parts.filter((part) => part !== "" && !/\p{Emoji_Presentation}|\u200d/u.test(part));
    assert.deepEqual(alone(drawn), alone(pieces));
  });
});
