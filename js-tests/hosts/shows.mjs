// What a host shows of a result, measured with a naive server, and what `src/api/mcp/host.rs` says of it.

import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Written by the test of `host.rs`. */
export const EXPECTED = JSON.parse(readFileSync(join(import.meta.dirname, "expected.json"), "utf8"));

/** A size that every host without a limit shows whole. */
const LARGE = 120_000;
/** A text as large as this share of a limit is shown whole, or not. */
const [BELOW, ABOVE] = [0.9, 1.1];

/** The characters or bytes that a host shows; absent for one without a limit. */
export const limitOf = ({ limit }) => limit.chars ?? limit.bytes;

/** What is expected of a host: the row with its title, or with the start of it. */
export const expectedOf = (title) =>
  EXPECTED.find((host) => host.title === title) ?? EXPECTED.find((host) => title.startsWith(host.title));

/** The calls that show what a host does. */
export function script(expected, { failsOnLinks = false }) {
  const limit = limitOf(expected);
  const sizes = limit ? [BELOW, ABOVE].map((share) => Math.round(limit * share)) : [LARGE];
  const probes = ["channels", ...(failsOnLinks ? [] : ["beside", "linked"]), "quoted", "numbers"].map((tool) => ({
    as: tool,
    tool,
  }));
  const sized = sizes.map((length, at) => ({ as: `size ${at}`, tool: "sized", args: { length } }));
  return [...probes, ...sized, { as: "list", tool: "list_articles" }].map((call) => [call]);
}

/** What the model read of these calls. */
export function shown(model) {
  const has = (as, mark) => model.read(as).text.includes(mark);
  const hasLink = (as) => has(as, "probe://linked") || has(as, "LINK-NAME");
  const [content, structured] = [has("channels", "IN-CONTENT"), has("channels", "IN-STRUCTURED")];
  return {
    channel: content && structured ? "both" : structured ? "structured" : content ? "content" : "none",
    showsMeta: has("channels", "IN-META"),
    isEscaped: has("quoted", '\\"quoted\\"'),
    refusesLists: !/1,\s*2,\s*3/.test(model.read("numbers").text),
    link: hasLink("linked"),
    linkBeside: hasLink("beside"),
    imageBeside: model.read("beside").images > 0,
    below: isWhole(model.read("size 0").text),
    above: isWhole(model.read("size 1").text),
  };
}

/** Whether no number is missing in a text of numbers. */
function isWhole(text) {
  const numbers = [...text.matchAll(/w(\d+)\b/g)].map(([, number]) => Number(number));
  return text.includes("LAST") && numbers.every((number, at) => number === at);
}

/** The differences of a host from what is expected, as sentences. */
export function differences(expected, is, clients) {
  const escaped = expected.writing !== "text";
  const checks = [
    [clients.every((client) => client?.toLowerCase().startsWith(expected.name)), `its name is ${clients.join(", ")}`],
    [is.link === (expected.drops !== "Links"), is.link ? "it shows links" : "it shows no links"],
    [
      is.linkBeside === (expected.drops === "Nothing"),
      is.linkBeside ? "it shows links next to structured content" : "it shows no links beside structured content",
    ],
    [is.channel === expected.channel, `it shows ${is.channel}`],
    [is.isEscaped === escaped, escaped ? "it does not escape texts" : "it escapes texts"],
    [is.refusesLists === expected.needsObject, is.refusesLists ? "it refuses lists" : "it takes lists"],
    [is.below, "it cuts a text below its limit"],
    [!limitOf(expected) || !is.above, "it shows a text over its limit whole"],
  ];
  return checks.flatMap(([holds, sentence]) => (holds ? [] : [sentence]));
}
