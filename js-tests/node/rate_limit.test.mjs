// Rate limits of errors that JSON cannot express.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Shaper } from "toolshape";

const call = { tool: "list_articles" };
const shaper = new Shaper();

/** What was found: the wait, null for an unknown one, or undefined for no rate limit. */
const wait = (error, now) => shaper.rateLimit(error, call, now)?.value.retryAfterSeconds;

test("the result is an error for the model, with a receipt", () => {
  const shaped = shaper.rateLimit({ status: 429, headers: new Headers({ "retry-after": "30" }) }, call);
  const value = {
    type: "rate_limited",
    retryAfterSeconds: 30,
    upstream: "list_articles",
    message: "Too Many Requests",
  };
  assert.deepEqual(shaped.value, value);
  assert.equal(shaped.text, JSON.stringify(value));
  assert.ok(shaped.isError && !shaped.unchanged);
  assert.deepEqual(shaped.receipt.steps, ["rateLimit"]);
  assert.equal(shaped.tokens, shaped.receipt.tokensAfter);
});

test("a date counts from the time of the call", () => {
  const inTwoMinutes = new Date(Date.now() + 120_000).toUTCString();
  const seconds = wait(new Response("", { status: 429, headers: { "retry-after": inTwoMinutes } }));
  assert.ok(seconds >= 118 && seconds <= 120, String(seconds));
});

test("a wrong call is the author's fault", () => {
  assert.throws(() => shaper.rateLimit({ status: 429 }, { tol: "x" }), {
    name: "ToolshapeError",
    code: "INVALID_CALL",
  });
});

const raise = () => {
  throw new Error("hostile");
};
const overflow = () => overflow() + 1;
const revoked = (target) => {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
};
const cyclic = new Error("a");
cyclic.cause = new Error("b", { cause: cyclic });
const circle = { message: "a", errors: [] };
circle.errors.push(circle, circle, { status: 429, headers: { "retry-after": "30" } });
let chain = { status: 429 };
for (let i = 0; i < 1_000_000; i++) chain = { cause: chain };
const endless = new Proxy({}, { get: (_, __, self) => self });
const endlessFunction = new Proxy(() => {}, { get: (_, __, self) => self, apply: (_, self) => self });

const hostile = {
  undefined: [undefined],
  null: [null],
  "a number": [429],
  "a symbol": [Symbol("429")],
  "a bigint": [{ status: 429n }],
  "a boxed number": [{ status: new Number(429) }],
  "what turns into 429": [{ status: { toString: () => "429", valueOf: () => 429 } }],
  "a string": ["HTTP Error 429: Too Many Requests", null],
  "a throwing getter next to the status": [Object.defineProperty({ statusCode: 429 }, "status", { get: raise }), null],
  "a getter that overflows the stack": [
    {
      get status() {
        return overflow();
      },
    },
  ],
  "a proxy of which all throws": [new Proxy({}, { get: raise, has: raise, ownKeys: raise, getPrototypeOf: raise })],
  "a revoked proxy": [revoked({})],
  "revoked proxies all around": [{ status: 429, cause: revoked({}), errors: revoked([]), headers: revoked([]) }, null],
  "a cycle of causes": [cyclic],
  "a circle of groups": [circle, 30],
  "a chain of a million causes": [chain],
  "an object that is all its own properties": [endless],
  "a function that is all its own properties and results": [endlessFunction],
  "a list without end": [{ errors: new Proxy([], { get: (_, key) => (key === "length" ? 2 ** 53 : undefined) }) }],
  "headers whose get throws": [{ status: 429, headers: { get: raise, "Retry-After": "30" } }, 30],
  "a header that throws": [
    {
      status: 429,
      headers: {
        get "retry-after"() {
          return raise();
        },
        "RETRY-AFTER": "30",
      },
    },
    30,
  ],
  "headers as a Map": [{ status: 429, headers: new Map([["Retry-After", "30"]]) }, 30],
  "headers that came twice": [
    new Response("", {
      status: 429,
      headers: [
        ["retry-after", "30"],
        ["retry-after", "60"],
      ],
    }),
    60,
  ],
  "no prototype": [Object.assign(Object.create(null), { status: "429" }), null],
  "a function": [Object.assign(() => {}, { status: 429 }), null],
  "a DOMException": [new DOMException("HTTP 429"), null],
  "a lone surrogate": [{ status: 429, message: "\ud83d slow" }, null],
};
for (const [name, [error, expected]] of Object.entries(hostile)) {
  test(`hostile: ${name}`, () => {
    assert.equal(wait(error), expected);
    assert.equal(wait({ status: 429, headers: { "retry-after": "30" } }), 30, "the next call works");
  });
}

test("a message of megabytes is cut to the budget", () => {
  const shaped = shaper.rateLimit({ message: "slow 🤦🏽‍♀️ ".repeat(300_000), cause: { status: 429 } }, call);
  assert.ok(shaped.tokens <= 2000 && shaped.tokens > 1000);
  assert.match(shaped.value.message, /^slow 🤦🏽‍♀️ .*…$/u);
});
