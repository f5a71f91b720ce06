// The shared conversations through a relay: `vectors/README.md` describes them.

import assert from "node:assert/strict";
import { inputOf } from "./vectors.mjs";

const NOW = 1_790_000_000;

/** A runner of cases: what the relay does is compared. `begin` begins a conversation under the options of a relay. */
export const conversesWith = (begin) => (one) => converses(begin, one);

function converses(begin, { policy = {}, store = true, now = NOW, resultArguments = [], steps, expect }) {
  const conversation = begin(JSON.stringify({ ...policy, store: store !== false, resultArguments }));
  const values = new Map();
  const named = new Map();
  const ask = (wanted) => {
    if (typeof store === "string") return { failure: store };
    if ("read" in wanted) return { value: values.get(wanted.read.key) ?? null };
    values.set(wanted.write.key, wanted.write.value);
    return { isWritten: true };
  };
  const seen = (does, line) =>
    does.flatMap((step) => {
      if ("pass" in step) return passes("pass", step.pass, line);
      if ("toServer" in step || "log" in step) return [step];
      if ("shaped" in step) return [{ shaped: step.shaped.steps }];
      if ("toClient" in step) {
        for (const [hole, value] of namesIn(step.toClient)) named.set(hole, value);
        return [apart(step.toClient)];
      }
      const { number, key } = step.read ?? step.write;
      return [{ [step.read ? "read" : "write"]: key }, ...seen(conversation.heard(number, ask(step)), line)];
    });
  const effects = steps.map((step) => {
    const [[side, given]] = Object.entries(step);
    let line = inputOf(given);
    for (const [hole, value] of named) line = line.replaceAll(hole, value);
    if (side === "serverEnded") return seen(conversation.ended(line), "");
    return seen(conversation.lines(side, Buffer.from(`${line}\n`), now), line);
  });
  assert.deepEqual({ effects, idle: conversation.isIdle }, expect);
}

/** A line passes whole, with its end. */
function passes(effect, [from, to], line) {
  assert.deepEqual([from, to], [0, Buffer.byteLength(line) + 1]);
  return [effect];
}

/** What later lines can name: the cursor and the handle of the last result. */
function namesIn(line) {
  const holes = [
    ["${cursor}", /nextCursor\\*":\\*"([^"\\]+)/],
    ["${handle}", /toolshape:\/\/result\/([a-z]{16})/],
  ];
  return holes.flatMap(([hole, pattern]) => {
    const found = pattern.exec(line);
    return found ? [[hole, found[1]]] : [];
  });
}

/** A line with its texts apart, and without the counts that follow from them. */
function apart(line) {
  let rest = line.replaceAll(/"(tokensAfter|bytes)":\d+/g, '"$1":0');
  const texts = [];
  const results = [JSON.parse(line)].flat().flatMap(({ result, params }) => [result, result?.result, params?.result]);
  for (const one of results) {
    for (const { text } of Array.isArray(one?.content) ? one.content : []) {
      if (typeof text !== "string") continue;
      rest = rest.replace(JSON.stringify(text), () => `"⟨${texts.length}⟩"`);
      texts.push(text);
    }
  }
  return texts.length === 0 ? { toClient: rest } : { toClient: rest, texts };
}
