// Good manners: every width, light and dark, the keyboard, what hostile results cannot do, what leaves the page.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { ask, changed, launch, open, paste, read, visit } from "./page.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const WIDTHS = [360, 768, 1200, 2000];

let browser;
before(async () => (browser = await launch()));
after(() => browser?.close());

for (const width of WIDTHS) {
  test(`${width} pixels: within the screen, and accessible, in light and dark`, async () => {
    await visit(browser, { viewport: { width, height: 900 }, bypassCSP: true }, async (page) => {
      await open(page, "penguins");
      // Few tokens: each is a part of the page that is looked at.
      await changed(page, () => page.getByLabel("maxTokens").fill("400"));
      await ask(page, () => page.locator(".questions button", { hasText: "its first row, in SQL" }).click());
      await page.locator(".policy summary").click();
      await page.getByLabel("colour its tokens").check();
      await page.waitForSelector(".reading .token");
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(over <= 0, `${over} pixels wider than ${width}`);
      await page.evaluate(AXE);
      for (const colorScheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme });
        const { violations } = await page.evaluate(() => globalThis.axe.run({ preload: false }));
        assert.deepEqual(
          violations.map(({ id, nodes }) => [id, nodes[0].html]),
          [],
          colorScheme,
        );
      }
    });
  });
}

test("nothing moves that one looks at while the page fills", async () => {
  for (const viewport of [
    { width: 412, height: 823 },
    { width: 1350, height: 940 },
  ]) {
    await visit(browser, { viewport }, async (page) => {
      const moved = await page.evaluate(async () => {
        let moved = 0;
        new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => (moved += value))).observe({
          type: "layout-shift",
          buffered: true,
        });
        await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
        return moved;
      });
      // What Cumulative Layout Shift calls good ends at 0.1.
      assert.ok(moved < 0.1, `${moved} at ${viewport.width} pixels`);
    });
  }
});

const HOSTILE = [
  JSON.stringify({
    "</script><img src=x onerror=hacked=1>": "<script>hacked=1</script>",
    pointer: '/"><b>bold</b>',
    note: "<iframe src=//example.com>",
  }),
  JSON.stringify(
    Array.from({ length: 400 }, (_, id) => ({
      id,
      "<img src=x onerror=hacked=1>": `</div></script><script>hacked=${id}</script>`.repeat(3),
    })),
  ),
  `<!doctype html><title></title><svg onload=hacked=1>${"<p onclick=hacked=1>text</p><script>hacked=1</script>".repeat(600)}`,
  JSON.stringify({
    // biome-ignore lint/suspicious/noDuplicateObjectKeys: one sets the prototype, the other is a member
    __proto__: null,
    constructor: "x",
    ["__proto__"]: { polluted: 1 },
    ask: { handle: "x", group: ["<img src=x onerror=hacked=1>"] },
  }),
];

test("what a hostile result says is text", async () => {
  await visit(browser, { bypassCSP: true }, async (page) => {
    for (const text of HOSTILE) {
      await paste(page, text);
      assert.ok((await read(page)).length > 0);
      for (const call of (await page.locator(".reading .call").all()).slice(0, 4)) await call.hover();
      const question = page.locator(".questions button").first();
      if ((await question.count()) > 0) await ask(page, () => question.click());
      assert.equal(
        await page.locator("main img:not(.cm-widgetBuffer), main iframe, main script, main b b, main p p").count(),
        0,
      );
      assert.equal(await page.evaluate(() => globalThis.hacked), undefined);
      assert.equal(await page.evaluate(() => ({}).polluted), undefined);
    }
  });
});

test("nothing may leave the page", async () => {
  await visit(browser, { from: "server" }, async (page, { faults, requests, url }) => {
    const tried = await page.evaluate(async (url) => {
      const ways = {
        fetch: () => fetch(`${url}page.css`),
        beacon: () => (navigator.sendBeacon(`${url}x`, "y") ? undefined : Promise.reject(new Error("refused"))),
        socket: () =>
          new Promise((done, fail) =>
            Object.assign(new WebSocket(url.replace("http", "ws")), { onopen: done, onerror: fail }),
          ),
        image: () =>
          new Promise((done, fail) => Object.assign(new Image(), { onload: done, onerror: fail, src: `${url}x.png` })),
        script: () =>
          new Promise((done, fail) =>
            document.head.append(
              Object.assign(document.createElement("script"), {
                onload: done,
                onerror: fail,
                src: "http://127.0.0.1:9/x.js",
              }),
            ),
          ),
      };
      const passed = [];
      for (const [name, way] of Object.entries(ways))
        await Promise.resolve(way()).then(
          () => passed.push(name),
          () => undefined,
        );
      return passed;
    }, url);
    // A beacon is queued before it is refused.
    assert.deepEqual(
      tried.filter((way) => way !== "beacon"),
      [],
    );
    const refused = faults.splice(0).filter((fault) => fault.includes("Content Security Policy"));
    for (const what of ["page.css", "ws://", "x.png", "x.js"])
      assert.ok(
        refused.some((fault) => fault.includes(what)),
        `${what}: ${refused}`,
      );
    // What was refused was asked for, and never sent.
    requests.splice(0);
  });
});

test("the keyboard alone: a sample, a call in the result, arguments of one's own", async () => {
  await visit(browser, {}, async (page) => {
    const focused = (selector) =>
      page.evaluate((selector) => document.activeElement?.matches(selector) ?? false, selector);
    const tabTo = async (selector) => {
      for (let at = 0; at < 300; at++) {
        await page.keyboard.press("Tab");
        if (await focused(selector)) return;
      }
      assert.fail(`Tab does not reach ${selector}`);
    };
    await tabTo("[data-sample=penguins]");
    await page.keyboard.press("Enter");
    await page.waitForSelector("[data-sample=penguins][aria-pressed=true]");
    await page.waitForFunction(() => document.querySelector(".reading .text").textContent.includes("Torgersen"));
    await tabTo(".policy [name=maxTokens]");
    await tabTo(".cm-content");
    await tabTo(".reading .call[title^='the next part']");
    await ask(page, () => page.keyboard.press("Enter"));
    await tabTo(".ask input");
    await page.keyboard.type("Torgersen");
    assert.match(await ask(page, () => page.keyboard.press("Enter")), /Torgersen/);
    await tabTo(".code pre");
  });
});

test("who wants less motion gets none", async () => {
  const moving = () =>
    document.getAnimations().length +
    [...document.querySelectorAll("*")].filter((one) => getComputedStyle(one).transitionDuration !== "0s").length;
  await visit(browser, { reducedMotion: "reduce" }, async (page) => assert.equal(await page.evaluate(moving), 0));
});
