/**
 * What is to be reached, and whether it is: each a ratio of two figures of the same run that is to be at most, or
 * at least. A target whose work was not measured, as in a quick run, is left out.
 */
import { ratio, spread } from "./figures.mjs";

/** The handlers that one writes by hand: those that cut, and those that give JSON within the budget. */
const CUTTING = ["tiktoken", "gpt-tokenizer", "js-tiktoken", "ai-tokenizer", "json + tiktoken", "orjson + tiktoken"];
const CAREFUL = ["tiktoken, careful", "orjson + tiktoken, careful"];
const BUDGET = 2000;
/** Texts that toolshape reads to their end, for what matters in them, while handlers cut them. */
const READ = ["20 MB log", "20 MB of HTML", "20 MB of CSV"];

/** The targets with their figures: `name`, `found` with its spread, `atMost` or `atLeast`. */
export function targets({ node, python }) {
  const list = [];
  const add = (name, bound, find) => {
    const found = find();
    if (found)
      list.push({
        name,
        ...bound,
        found,
        holds: found.middle <= (bound.atMost ?? Infinity) && found.middle >= (bound.atLeast ?? -Infinity),
      });
  };
  const times = (face, work) => face?.times.find((each) => each.work === work)?.milliseconds;
  const over =
    (face, work, whom, than, scale = (value) => value) =>
    () => {
      const found = times(face, work);
      return found?.[whom] && found[than] && ratio(found[whom], found[than].map(scale));
    };
  const [all, rows, texts] = ["JSON.stringify of all", "100,000 rows", "20 MB of rows, as JSON text"];

  add(
    "Node: a page of 20 of 100,000 rows, over one JSON.stringify of all",
    { atMost: 0.03 },
    over(node, rows, "toolshape", all),
  );
  add(
    "Node: a page of 100,000 rows over one of 1,000",
    { atMost: 1.5 },
    over(node, rows, "toolshape", "toolshape, 1,000 rows"),
  );
  add(
    "Python: a page of 20 of 100,000 rows, over json.dumps of all",
    { atMost: 0.03 },
    over(python, rows, "toolshape", "json.dumps"),
  );
  add(
    "Python: a page of 20 of 100,000 rows, over orjson.dumps of all",
    { atMost: 0.2 },
    over(python, rows, "toolshape", "orjson.dumps"),
  );
  add(
    "Node: 2 KB that pass untouched, over JSON.stringify and 20 µs, twice",
    { atMost: 1 },
    over(node, "2 KB that fits", "toolshape", all, (ms) => 2 * (ms + 0.02)),
  );
  add(
    "Python: 2 KB that pass untouched, over json.dumps and 20 µs, twice",
    { atMost: 1 },
    over(python, "2 KB that fits", "toolshape", "json.dumps", (ms) => 2 * (ms + 0.02)),
  );
  add(
    "Node: 20 MB of JSON text in, one page out, over JSON.parse",
    { atMost: 2 },
    over(node, texts, "toolshape", "JSON.parse"),
  );
  add(
    "Python: 20 MB of JSON text in, one page out, over json.loads",
    { atMost: 2 },
    over(python, texts, "toolshape", "json.loads"),
  );
  const stored = "20 MB of rows, stored whole";
  add(
    "Node: 20 MB stored whole, hash and schema included, over JSON.stringify and SHA-256",
    { atMost: 3 },
    over(node, stored, "toolshape", "JSON.stringify and SHA-256"),
  );
  add(
    "Python: 20 MB stored whole, hash and schema included, over json.dumps and SHA-256",
    { atMost: 3 },
    over(python, stored, "toolshape", "json.dumps and SHA-256"),
  );
  for (const [name, face] of [
    ["Node", node],
    ["Python", python],
  ]) {
    for (const work of ["20 MB text", "20 MB text with emoji"]) {
      add(
        `${name}: ${work}, milliseconds`,
        { atMost: 10 },
        () => times(face, work) && spread(times(face, work).toolshape),
      );
    }
    for (const work of READ) {
      add(
        `${name}: ${work}, milliseconds`,
        { atMost: 600 },
        () => times(face, work) && spread(times(face, work).toolshape),
      );
    }
    for (const { contender, work, peakBytes, textBytes } of face?.memory ?? []) {
      // Of a list only a page is held as text, and of small values nothing above the noise.
      if (contender !== "toolshape" || work.endsWith("rows") || textBytes < 1e6) continue;
      add(`${name}: ${work}, peak memory beyond the input over the text`, { atMost: 3 }, () =>
        spread([peakBytes / textBytes]),
      );
    }
  }
  add("Node: import to first shaped result, milliseconds over import to first count", { atMost: 15 }, () => {
    const { shape, count } = node?.startup ?? {};
    return shape && spread(shape.map((ms, round) => ms - count[round]));
  });
  for (const [name, face] of [
    ["Node", node],
    ["Python", python],
  ]) {
    for (const { work, milliseconds, tokens, isJson } of face?.times ?? []) {
      for (const [kind, handlers] of [
        ["hand-written handler", CUTTING],
        ["careful hand-written handler", CAREFUL],
      ]) {
        const best = bestOf(handlers, milliseconds);
        if (best === undefined || READ.includes(work)) continue;
        const faults = [tokens[best] > BUDGET && "over budget", isJson.toolshape && !isJson[best] && "no JSON"].filter(
          Boolean,
        );
        const who = [best, ...(faults.length > 0 ? [`whose result is ${faults.join(" and ")}`] : [])].join(", ");
        add(
          `${name}: ${work}, the best ${kind} (${who}) over toolshape`,
          { atLeast: handlers === CAREFUL && isRows(work) ? 3 : 1 },
          () => ratio(milliseconds[best], milliseconds.toolshape),
        );
      }
    }
  }
  return list;
}

/** Rows, as values or as JSON text, of which a handler by hand reads all and shows a page. */
function isRows(work) {
  return /^[0-9,]+ rows$/.test(work) || work === "20 MB of rows, as JSON text";
}

function bestOf(handlers, milliseconds) {
  const there = handlers.filter((name) => milliseconds[name]);
  return there.reduce(
    (best, name) => (best && ratio(milliseconds[name], milliseconds[best]).middle >= 1 ? best : name),
    undefined,
  );
}
