// The shared cases, byte for byte what Rust expects of them.

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import "toolshape/cl100k_base";
import { Shaper, ToolshapeError, countTokens, fitsTokens } from "toolshape";
import { inputOf, vectorFiles } from "../vectors.mjs";

const RUNNERS = { tokens: countsTokens, rate_limit: tellsRateLimit };

for (const [name, { cases }] of vectorFiles()) {
  test(name, async (t) => {
    assert.ok(cases.length > 0, "the file has no cases");
    const run = RUNNERS[name] ?? shapes;
    for (const one of cases) await t.test(one.name, () => run(one));
  });
}

function countsTokens({ text, encoding, count }) {
  const input = inputOf(text);
  assert.equal(countTokens(input, encoding), count);
  assert.equal(fitsTokens(input, count, encoding), count);
  if (count > 0) assert.equal(fitsTokens(input, count - 1, encoding), null);
}

function tellsRateLimit({ error, call, now, policy, expect }) {
  mock.timers.enable({ apis: ["Date"], now: (now ?? 0) * 1000 });
  try {
    const shaped = new Shaper(policy).rateLimit(error, call);
    assert.equal(shaped?.text, expect?.text);
    if (shaped) assert.ok(shaped.isError);
  } finally {
    mock.timers.reset();
  }
}

function shapes(one) {
  const isText = one.text !== undefined;
  const input = inputOf(isText ? one.text : one.json);
  check(one, input, (shaper) => (isText ? shaper.shape(input, one.call) : shaper.shapeJson(input, one.call)));
  if (!isText && !one.spelling && one.expect.error === undefined) sameFromValue(one, input);
}

function check({ policy, expect }, input, run) {
  if (expect.error !== undefined) {
    assert.throws(
      () => run(new Shaper(policy)),
      (error) => {
        assert.ok(error instanceof ToolshapeError);
        assert.deepEqual({ code: error.code, path: error.path }, { code: expect.error, path: expect.path ?? "" });
        return true;
      },
    );
    return;
  }
  const { text, unchanged, isError, receipt } = run(new Shaper(policy));
  const { steps, tokensBefore, tokensAfter } = receipt;
  const wanted = expect.text === undefined && expect.unchanged ? { ...expect, text: input } : expect;
  assert.deepEqual({ text, unchanged, isError, steps, tokensBefore, tokensAfter }, wanted);
}

/** The same value in JavaScript's own form gives the same result. */
function sameFromValue({ policy, call, expect }, input) {
  const value = JSON.parse(input);
  const { text, unchanged, isError, receipt } = new Shaper(policy).shape(value, call);
  if (typeof value === "string" || (expect.unchanged && input !== JSON.stringify(value))) return;
  const steps = receipt.steps;
  const { tokensAfter } = receipt;
  const wanted = { text: expect.text ?? input, unchanged: expect.unchanged, isError: expect.isError, steps: expect.steps, tokensAfter: expect.tokensAfter };
  assert.deepEqual({ text, unchanged, isError, steps, tokensAfter }, wanted);
}
