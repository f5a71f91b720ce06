// The report in a browser: what a person sees on each screen, and what a hostile server cannot do.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";
import { report } from "./program.mjs";
import { HOSTILE_ONE, LARGE, SMALL } from "./recording.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const WIDTHS = [360, 768, 1200];

let browser;
before(async () => {
  const options = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"];
  browser = await chromium.launch({ executablePath: process.env.TOOLSHAPE_CHROMIUM, args: options });
});
after(() => browser?.close());

// Opens a report, and closes it after `look`.
async function open(url, options, look) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const faults = [];
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => faults.push(message.text()));
  page.on("request", (request) => request.url() === url || faults.push(request.url()));
  await page.goto(url);
  await look(page);
  assert.deepEqual(faults, []);
  await context.close();
}

// The texts of pictures that overlap another, or leave their picture, by more than a pixel.
const collisions = () => {
  const found = [];
  for (const picture of document.querySelectorAll("section > svg")) {
    const frame = picture.getBoundingClientRect();
    const texts = [...picture.querySelectorAll("text")].filter((text) => text.getClientRects().length > 0);
    const boxes = texts.map((text) => {
      const { left, top, right, bottom } = text.getBoundingClientRect();
      const own = text.ownerSVGElement === picture ? frame : text.ownerSVGElement.getBoundingClientRect();
      return { printedText: text.textContent, left, top: top + 2, right, bottom: bottom - 2, own };
    });
    boxes.forEach((a, at) => {
      if (a.left < a.own.left - 1 || a.right > a.own.right + 1) found.push(`outside: ${a.printedText}`);
      for (const b of boxes.slice(at + 1)) {
        if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom && b.top < a.bottom) {
          found.push(`${a.printedText} | ${b.printedText}`);
        }
      }
    });
  }
  return found;
};

for (const [name, recordings] of Object.entries({
  small: [SMALL],
  large: [LARGE],
  several: [LARGE, HOSTILE_ONE, SMALL],
})) {
  test(`${name}: accessible, within the screen, no text on another, in light and dark`, async () => {
    const { url } = report(...recordings);
    for (const width of WIDTHS) {
      for (const colorScheme of ["light", "dark"]) {
        await open(url, { viewport: { width, height: 800 }, colorScheme, bypassCSP: true }, async (page) => {
          assert.deepEqual(await page.evaluate(collisions), [], `${width} ${colorScheme}`);
          await page.evaluate(() => document.querySelectorAll("details").forEach((part) => (part.open = true)));
          const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          assert.ok(over <= 0, `${over} pixels wider than ${width}`);
          await page.evaluate(AXE);
          const { violations } = await page.evaluate(() => globalThis.axe.run());
          const reported = violations.map(({ id, nodes }) => [id, nodes[0].html]);
          assert.deepEqual(reported, [], `${width} ${colorScheme}`);
        });
      }
    }
  });
}

test("a hundred tools take less than 150 KB, and the script less than 3 KB", () => {
  const { html } = report(LARGE);
  assert.ok(html.length > 60_000 && Buffer.byteLength(html) < 150_000, `${Buffer.byteLength(html)} bytes`);
  assert.ok(/<script>([^]*?)<\/script>/.exec(html)[1].length < 3000);
});

test("what a hostile server says is text, under the pointer too", async () => {
  const { url, html } = report(HOSTILE_ONE);
  assert.equal(html.match(/<script/g).length, 1);
  await open(url, { viewport: { width: 1200, height: 900 } }, async (page) => {
    for (const part of await page.locator("g.t").all()) {
      await part.locator("rect, text").first().hover({ force: true });
    }
    await page.locator("#tip").waitFor();
    assert.equal(await page.evaluate(() => globalThis.hacked), undefined);
    assert.equal(await page.locator("img, main b, iframe").count(), 0);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they must not be there
    assert.doesNotMatch(await page.locator("body").innerText(), /[\u202a-\u202e\u2066-\u2069\0\u001b]/);
  });
});

test("the script says what the pointer is at", async () => {
  const { url } = report(SMALL);
  await open(url, { viewport: { width: 1200, height: 900 } }, async (page) => {
    assert.equal(await page.locator("#tip").isVisible(), false);
    const tool = page.locator("g.t", { has: page.locator("rect.tool") }).first();
    await tool.scrollIntoViewIfNeeded();
    await tool.hover();
    assert.match(await page.locator("#tip").innerText(), /^(list|read)_files?: [\d,]+ tokens, /);
  });
});

test("without scripts everything is there", async () => {
  const { url } = report(LARGE);
  await open(url, { viewport: { width: 1200, height: 900 }, javaScriptEnabled: false }, async (page) => {
    const text = await page.locator("main").innerText();
    for (const printedText of [
      "100",
      "Definitions in the window",
      "Where these tokens are",
      "VS Code 8,192",
      "over-host-limit",
    ]) {
      assert.ok(
        text.includes(printedText) || (await page.locator("svg text", { hasText: printedText }).count()) > 0,
        printedText,
      );
    }
    await page.locator("summary").first().click();
    assert.ok(await page.locator("table").first().isVisible());
  });
});
