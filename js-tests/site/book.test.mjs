// The docs as a book, the references and the measured server: all there, found, read by everybody, and from this folder alone.

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { SITE, launch, visit } from "./page.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const DOCS = join(process.env.TOOLSHAPE_ROOT, "docs");
const SERIOUS = ["serious", "critical"];

let browser;
before(async () => (browser = await launch()));
after(() => browser?.close());

/** Opens a file of the site. */
const look = (path, options, use) => visit(browser, { path, isReady: false, ...options }, use);

/** The tables of recorded measurements. */
const measured = (name) => JSON.parse(readFileSync(join(DOCS, `measurements/${name}.json`), "utf8")).tables;

const html = (path) => readFileSync(join(SITE, path), "utf8");

test("each page of docs/ is a page of the book, with its headings", () => {
  const names = readdirSync(DOCS, { recursive: true }).filter((name) => name.endsWith(".md"));
  assert.ok(names.length >= 30, `${names.length}`);
  for (const name of names) {
    const page = html(`docs/${name === "README.md" ? "pages" : name.slice(0, -3)}.html`);
    const headings = readFileSync(join(DOCS, name), "utf8")
      .replace(/^```[^]*?^```/gm, "")
      .match(/^##? .*$/gm);
    assert.equal(page.match(/<h[12] id=/g).length, headings.length, name);
  }
  assert.match(html("docs/index.html"), /479,247 → [\d,]+ tokens/);
  assert.match(html("docs/CHANGELOG.html"), /<h1 id="changelog">/);
});

test("behaviours.json is a table with every row, SDK and exception", async () => {
  const { columns, agents, ...of } = JSON.parse(readFileSync(join(DOCS, "behaviours.json"), "utf8"));
  const rows = [...of.rows, ...agents.rows];
  const plain = (text) => text.replaceAll("`", "");
  await look("docs/behaviours.html", {}, async (page) => {
    const names = await page.locator("main tbody td:first-child strong").allTextContents();
    assert.deepEqual(
      names,
      rows.map(({ name }) => plain(name)),
    );
    for (const { title } of columns)
      assert.equal(await page.locator("main li", { hasText: `${title}: protocol` }).count(), 1, title);
    const cells = await page.locator("main tbody td:nth-child(2)").allTextContents();
    for (const [at, { except = [] }] of rows.entries()) {
      assert.equal(cells[at] === "", except.length === 0, names[at]);
      for (const { reason } of except) assert.ok(cells[at].includes(plain(reason)), reason);
    }
  });
});

test("recorded measurements are tables", async () => {
  const [{ title, rows }] = measured("tool_list");
  await look("docs/performance.html", {}, async (page) => {
    const cells = page.locator(`h3:has-text("${title}") ~ .table`).first().locator("tbody tr").last().locator("td");
    assert.deepEqual(
      await cells.allTextContents(),
      rows.at(-1).map((cell) => (typeof cell === "number" ? cell.toLocaleString("en") : cell.replaceAll("`", ""))),
    );
  });
});

test("a broken link fails the build: a missing file, page or heading", async () => {
  const module = (name) => import(pathToFileURL(join(process.env.TOOLSHAPE_SITE_SOURCE, "book", name)).href);
  const [{ Links }, { brokenLinks }] = await Promise.all([module("links.mjs"), module("check.mjs")]);
  const links = new Links(process.env.TOOLSHAPE_ROOT, ["README.md", "docs/lists.md"]);
  assert.equal(links.resolve("../README.md#options", "docs/lists.md", "lists.html"), "index.html#options");
  assert.equal(links.resolve("docs/lists.md", "README.md", "index.html"), "lists.html");
  assert.equal(links.resolve("../deny.toml", "docs/lists.md", "lists.html"), "files/deny.toml.html");
  assert.deepEqual(links.faults, []);
  for (const nowhere of ["none.md", "../../outside.md", "../README"])
    links.resolve(nowhere, "docs/lists.md", "lists.html");
  assert.equal(links.faults.length, 3);

  const folder = mkdtempSync(join(tmpdir(), "toolshape-book-"));
  try {
    writeFileSync(
      join(folder, "a.html"),
      '<p id="here"><a href="#here">1</a><a href="b.html#there">2</a><a href="b.html#none">3</a><a href="c.html">4</a><img src="d.svg">',
    );
    writeFileSync(join(folder, "b.html"), '<p id="there"><a href="https://example.com/none">5</a>');
    const faults = brokenLinks(folder, ["a.html", "b.html"]);
    assert.deepEqual(faults.map((fault) => fault.split(" ")[1]).sort(), ["b.html#none", "c.html", "d.svg"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("pages link to files, folders and the playground", async () => {
  await look("docs/index.html", {}, async (page, { url }) => {
    await page.click("main a >> text=examples/ >> nth=0");
    await page.click("main a >> text=@modelcontextprotocol/server");
    await page.click("main a >> text=shaped.ts");
    await page.waitForURL(/shaped\.ts\.html$/);
    assert.match(await page.textContent("pre"), /shapeServer\(server, policy/);
    await page.click("header >> text=Playground");
    await page.waitForSelector(".reading .text");
    await page.click("text=Documentation");
    await page.waitForURL(url);
  });
});

for (const from of ["file", "server"]) {
  test(`search, from a ${from}: by words, by arrows, by Enter`, async () => {
    await look("docs/tokens.html", { from }, async (page) => {
      await page.keyboard.press("/");
      await page.keyboard.type("several replicas");
      await page.waitForSelector(".found a");
      assert.match(await page.textContent(".found a"), /Several replicas.*Stores/s);
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await page.waitForURL(/stores\.html#several-replicas$/);
      assert.equal(await page.textContent("h1"), "Stores");
      await page.keyboard.press("/");
      await page.keyboard.type("zzzzzz");
      await page.waitForSelector(".found [role=status] >> text=Nothing about");
      await page.keyboard.press("Escape");
      assert.equal(await page.isVisible(".found"), false);
    });
  });
}

for (const path of ["docs/index.html", "docs/performance.html"]) {
  test(`${path}: within the screen, accessible, in light and dark`, async () => {
    await look(path, { bypassCSP: true, viewport: { width: 1400, height: 900 } }, async (page) => {
      await page.evaluate(AXE);
      for (const [width, colorScheme] of [[360, "light"], [900], [2000, "dark"]]) {
        await page.setViewportSize({ width, height: 900 });
        const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(over <= 0, `${over} pixels wider than ${width}`);
        if (colorScheme === undefined) continue;
        await page.emulateMedia({ colorScheme });
        const { violations } = await page.evaluate(() => globalThis.axe.run({ preload: false }));
        assert.deepEqual(
          violations.filter(({ impact }) => SERIOUS.includes(impact)).map(({ id, nodes }) => [id, nodes[0].html]),
          [],
          `${width} ${colorScheme}`,
        );
      }
    });
  });
}

test("the contents on a narrow screen, by the keyboard", async () => {
  await look("docs/index.html", { viewport: { width: 360, height: 800 } }, async (page) => {
    assert.equal(await page.isVisible("#contents"), false);
    await page.focus("text=Contents");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#contents", { state: "visible" });
    await page.click("#contents >> text=Reliability");
    await page.waitForURL(/reliability\.html$/);
    assert.equal(await page.textContent("h1"), "Reliability");
  });
});

test("the contents on a wide screen show the current page", async () => {
  await look("docs/performance.html", { hash: "#memory", viewport: { width: 1200, height: 500 } }, async (page) => {
    const { top, bottom } = await page
      .locator("#contents [aria-current]")
      .evaluate((link) => link.getBoundingClientRect());
    assert.ok(top >= 0 && bottom <= 501, `${top} to ${bottom}`);
  });
});

test("reduced motion is respected", async () => {
  await look("docs/index.html", { reducedMotion: "reduce" }, async (page) => {
    await page.keyboard.press("/");
    await page.keyboard.type("cursor");
    await page.waitForSelector(".found a");
    assert.deepEqual(
      await page.evaluate(() =>
        [...document.querySelectorAll("*")]
          .filter(
            (one) =>
              getComputedStyle(one).transitionDuration !== "0s" || getComputedStyle(one).scrollBehavior !== "auto",
          )
          .map(({ outerHTML }) => outerHTML),
      ),
      [],
    );
    assert.equal(await page.evaluate(() => document.getAnimations().length), 0);
  });
});

test("plots are drawn from the measurements, and are read without a script", async () => {
  await look("docs/performance.html", { javaScriptEnabled: false }, async (page) => {
    const pictures = page.locator("figure.plot svg[role=img]");
    assert.ok((await pictures.count()) >= 10, `${await pictures.count()}`);
    const { rows } = measured("end_to_end").find(({ title }) => title === "One call, from the client");
    const [, , , , { value }] = rows.find(
      ([server, transport, size]) => server === "TypeScript SDK 2" && transport === "stdio" && size === "3.7 MB",
    );
    const labels = await pictures.evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
    assert.ok(
      labels.some((label) => label.startsWith("TypeScript SDK 2") && label.includes(`3.7 MB, stdio ${value};`)),
      `${value}`,
    );
    for (const picture of await pictures.all()) assert.ok((await picture.locator("path, line").count()) > 10);
    assert.equal(await page.isVisible("form[role=search]"), false);
  });
});

test("the references lead back to the book, and that of Python to all of its modules", async () => {
  for (const path of [
    "reference/typescript/modules/toolshape_mcp.html",
    "reference/python/toolshape/stores/redis.html",
  ]) {
    await look(path, { from: "server" }, async (page) => {
      if (path.includes("python")) {
        await page.click("nav >> text=toolshape.fastmcp");
        await page.waitForURL(/fastmcp\.html$/);
      }
      await page.click("text=Documentation >> nth=0");
      await page.waitForURL(/docs\/index\.html$/);
      assert.equal(await page.textContent("h1"), "toolshape");
    });
  }
});

const REFERENCES = {
  "reference/typescript/classes/toolshape.Shaper.html": ["shapeJson", "shapeTogether", "INVALID_POLICY"],
  "reference/typescript/modules/toolshape_mcp.html": ["shapeServer"],
  "reference/python/toolshape.html": ["Shaper", "count_tokens", "shape_json"],
  "reference/python/toolshape/fastmcp.html": ["ShapingMiddleware"],
  "reference/python/toolshape/stores/redis.html": ["RedisStore"],
  "reference/rust/toolshape/struct.Shaper.html": ["shape_json", "shape_text"],
  "reference/rust/toolshape_rmcp/struct.Shaping.html": ["around", "builder"],
  "report.html": ["list_articles", "weather", "read_result"],
};

test("the references and the report contain their main names", () => {
  for (const [path, names] of Object.entries(REFERENCES)) {
    assert.ok(existsSync(join(SITE, path)), path);
    const text = html(path);
    assert.deepEqual(
      names.filter((name) => !text.includes(name)),
      [],
      path,
    );
  }
});

test("the references and the report make no request to other hosts", async () => {
  for (const path of [
    "reference/rust/toolshape/struct.Shaper.html",
    "reference/typescript/classes/toolshape.Shaper.html",
    "reference/python/toolshape.html",
    "report.html",
  ]) {
    await look(path, { from: "server" }, async (page) => assert.match(await page.textContent("h1"), /./));
  }
});
