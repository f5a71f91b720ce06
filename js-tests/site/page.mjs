// Opens the page in a browser, as a visitor does; notes what it asks the network for, and every fault.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { Archive, MemoryStore, Shaper } from "toolshape";

export const SITE = process.env.TOOLSHAPE_SITE;
const { serve } = await import(pathToFileURL(join(process.env.TOOLSHAPE_ROOT, "site/serve.mjs")).href);

/** How long the page may take for anything: a bound for what hangs, not a measure. */
const PATIENCE = 60_000;

export const launch = () =>
  chromium.launch({
    executablePath: process.env.TOOLSHAPE_CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
  });

/**
 * Opens the page, or another at `path` in the site, from its files or from a server; `use` gets it once its first result is there. The file
 * `without` is not.
 */
export async function visit(
  browser,
  { from = "file", path = "", hash = "", isReady = true, without, ...options } = {},
  use,
) {
  const server = from === "server" ? await serve(SITE, 0) : undefined;
  const folder = server ? `http://127.0.0.1:${server.address().port}/` : pathToFileURL(`${SITE}/`).href;
  const url = folder + (path || (server ? "" : "index.html"));
  const context = await browser.newContext({ acceptDownloads: true, ...options });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  const faults = [];
  const requests = [];
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  context.on("request", (request) => requests.push(request.url()));
  if (without) await page.route(`**/${without}`, (route) => route.abort());
  try {
    await page.goto(url + hash);
    if (isReady) await ready(page);
    await use(page, { requests, faults, url });
    assert.deepEqual(faults, []);
    const elsewhere = requests.filter((asked) => !asked.startsWith(folder) && !/^(?:blob|data):/.test(asked));
    assert.deepEqual(elsewhere, [], "a request left the page");
  } finally {
    await context.close();
    server?.close();
    server?.closeAllConnections();
  }
}

/** Waits until what is wanted is shaped. */
export async function ready(page) {
  await page.waitForSelector(".reading[aria-busy=false] .text");
}

/** Opens a sample by its button. */
export async function open(page, id) {
  await page.click(`[data-sample=${id}]`);
  await page.waitForSelector(`[data-sample=${id}][aria-pressed=true]`);
  await ready(page);
}

/** Writes a text into the editor, as a person who pastes it, and waits for its result. */
export async function paste(page, text) {
  const before = await shapings(page);
  await page.locator(".cm-content").focus();
  await page.keyboard.press("ControlOrMeta+a");
  await page.evaluate((text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    document
      .querySelector(".cm-content")
      .dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, text);
  await page.waitForFunction((before) => Number(document.querySelector(".app").dataset.shapings) > before, before);
  // One's own text, and not what was there while it was written.
  await page.waitForTimeout(400);
  await ready(page);
}

const shapings = async (page) => Number(await page.getAttribute(".app", "data-shapings"));

/** Does something that changes the policy or the result, and waits until it is shaped. */
export async function changed(page, change) {
  const before = await shapings(page);
  await change();
  await page.waitForFunction((before) => Number(document.querySelector(".app").dataset.shapings) > before, before);
  await ready(page);
}

/** What the model reads, to the byte. */
export const read = (page) => page.locator(".reading .text").evaluate((text) => text.textContent);

/** The answers of the conversation, in their order. */
export const answers = (page) =>
  page.locator(".turn").evaluateAll((turns) => turns.map((turn) => turn.querySelector(".text")?.textContent));

/** Asks something, and returns the answer. */
export async function ask(page, act) {
  const count = await page.locator(".turn").count();
  await act();
  await page.waitForFunction((count) => document.querySelectorAll(".turn .text").length > count, count);
  return (await answers(page)).at(-1);
}

/** The text of a sample, as its script has it. */
export function sampleText(id) {
  let found;
  new Function("toolshapeSample", readFileSync(join(SITE, `samples/${id}.js`), "utf8"))((_, text) => (found = text));
  return found;
}

/** What the npm package makes of a result in Node, as an adapter calls it. */
export async function shapedInNode(text, tool, policy = {}) {
  const limits = { maxBytes: 2 ** 30, maxValueBytes: 2 ** 30 };
  const archive = new Archive(new Shaper(policy), new MemoryStore(limits));
  const { result, receipt } = await archive.shapeResult({ content: [{ type: "text", text }] }, { tool, arguments: {} });
  return { text: result.content[0].text, receipt };
}
