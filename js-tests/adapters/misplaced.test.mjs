// An option, policy, store or server in the wrong place is refused there. The message names the place where it belongs.

import assert from "node:assert/strict";
import { test } from "node:test";
import { McpServer } from "@modelcontextprotocol/server";
import { FastMCP } from "fastmcp";
import { Archive, MemoryStore, preset, Shaper } from "toolshape";
import * as fast from "toolshape/fastmcp";
import { shapeServer } from "toolshape/mcp";

const INFO = { name: "here", version: "1.0.0" };
const [shaper, store] = [new Shaper(), new MemoryStore()];
const archive = new Archive(shaper, store);
const server = () => new McpServer(INFO);
const shape = (...given) => shapeServer(server(), ...given);

/** By what is wrong: the use, the code and the path of its error, and words of its message. */
const WRONG = {
  "a store in the policy": [
    () => shape({ store }),
    "INVALID_POLICY",
    "/store",
    "in the object after the policy, { store }",
  ],
  "a store in a shaper": [() => new Shaper({ store }), "INVALID_POLICY", "/store", "new Archive(shaper, store)"],
  "redact in the policy": [() => new Shaper({ redact: String }), "INVALID_POLICY", "/redact", "option of the adapter"],
  "ttlSeconds in the policy": [
    () => shape({ ttlSeconds: 5 }),
    "INVALID_POLICY",
    "/ttlSeconds",
    "option of the adapter",
  ],
  "scope in the policy": [() => shape({ scope: () => "t" }), "INVALID_POLICY", "/scope", "option of the adapter"],
  "onReceipt in the policy": [() => shape({ onReceipt() {} }), "INVALID_POLICY", "/onReceipt", "option of the adapter"],
  "maxTokens in the options": [
    () => shape({}, { maxTokens: 9999 }),
    "INVALID_CALL",
    "/maxTokens",
    "option of the policy",
  ],
  "tools in the options": [() => shape({}, { tools: { a: false } }), "INVALID_CALL", "/tools", "option of the policy"],
  "maxTokens of an archive": [
    () => new Archive(shaper, store, { maxTokens: 500 }),
    "INVALID_CALL",
    "/maxTokens",
    "option of the policy",
  ],
  "scope of an archive": [
    () => new Archive(shaper, store, { scope: () => "t" }),
    "INVALID_CALL",
    "/scope",
    "option of the adapter",
  ],
  "a policy in the policy": [() => shape({ policy: {} }), "INVALID_POLICY", "/policy", "pass the policy by itself"],
  "a policy in the options": [() => shape({}, { policy: {} }), "INVALID_CALL", "/policy", "pass the policy by itself"],
  "a tool beside tools": [
    () => shape({ list: { maxTokens: 500 } }),
    "INVALID_POLICY",
    "/list",
    '{ tools: { "list": … } }',
  ],
  "a tool that is left alone, beside tools": [() => shape({ list: false }), "INVALID_POLICY", "/list", "tools"],
  "a page in the policy": [() => new Shaper({ page: 2 }), "INVALID_POLICY", "/page", "option of a call"],
  "a tool's name in the policy": [() => new Shaper({ tool: "list" }), "INVALID_POLICY", "/tool", "option of a call"],
  "a preset in the policy": [() => new Shaper({ preset: "agent" }), "INVALID_POLICY", "/preset", 'preset("agent")'],
  "a preset's name as the policy": [() => shape("agent"), "INVALID_POLICY", "", 'pass preset("agent")'],
  "a number as the policy": [() => shape(2000), "INVALID_POLICY", "", "{ maxTokens: 2000 }"],
  "a store as the policy": [() => shape(store), "INVALID_POLICY", "", "in the object after the policy, { store }"],
  "a shaper as the policy": [() => shape(shaper), "INVALID_POLICY", "", "the options that it was made with"],
  "an archive as the policy": [() => shape(archive), "INVALID_POLICY", "", "its store in the object after it"],
  "a server as the policy": [() => shapeServer({}, server()), "INVALID_POLICY", "", "pass the server first"],
  "a promise as the policy": [() => shape(Promise.resolve({})), "INVALID_POLICY", "", "await it"],
  "nothing as the policy": [() => shape(null), "INVALID_POLICY", "", "pass an object"],
  "a store as the options": [() => shape({}, store), "INVALID_CALL", "", "pass { store }"],
  "nothing as the options": [() => shape({}, null), "INVALID_CALL", "", "leave them out"],
  "no server": [() => shapeServer(undefined), "INVALID_CALL", "/server", "the server is undefined; expected McpServer"],
  "no server of fastmcp": [
    () => fast.shapeServer(null),
    "INVALID_CALL",
    "/server",
    "the server is null; expected FastMCP",
  ],
  "a class": [() => shapeServer(McpServer), "INVALID_CALL", "/server", "the class McpServer"],
  "a promise of a server": [() => shapeServer(Promise.resolve()), "INVALID_CALL", "/server", "await it first"],
  "a server of fastmcp": [() => shapeServer(new FastMCP(INFO)), "INVALID_CALL", "/server", "toolshape/fastmcp"],
  "a server of mcp": [() => fast.shapeServer(server()), "INVALID_CALL", "/server", "toolshape/mcp"],
  "a tool's name as the call": [() => shaper.shape([1], "list"), "INVALID_CALL", "", 'pass { tool: "list" }'],
  "the same for a result": [() => shaper.shapeResult([1], "list"), "INVALID_CALL", "", 'pass { tool: "list" }'],
  "a policy as the shaper": [() => new Archive({}, store), "INVALID_CALL", "/shaper", "pass new Shaper(policy)"],
  "a store as the shaper": [() => new Archive(store, shaper), "INVALID_CALL", "/shaper", "pass the shaper first"],
  "options as the store": [() => new Archive(shaper, { store }), "INVALID_CALL", "/store", "pass the store itself"],
  "one result for several": [() => shaper.shapeTogether({ value: 1 }), "INVALID_CALL", "/results", "pass a list"],
  "offload without a store": [
    () => shape({ overflow: "offload" }, { store: null }),
    "INVALID_CALL",
    "/store",
    'overflow "offload" requires a store',
  ],
  "a preset that offloads, without a store": [
    () => shape(preset("subagent"), { store: null }),
    "INVALID_CALL",
    "/store",
    "requires a store",
  ],
  // A wrong value in the right place is an ordinary error.
  "a wrong value": [() => shape({ maxTokens: "2000" }), "INVALID_POLICY", "/maxTokens", "it takes a whole number"],
  "a typing error": [() => shape({ maxToken: 2000 }), "INVALID_POLICY", "/maxToken", "did you mean maxTokens?"],
  "what belongs nowhere": [() => shape({ colour: 1 }), "INVALID_POLICY", "/colour", "unknown option colour"],
  "an option without its key": [() => shape({}, { scope: () => "t" }), "INVALID_CALL", "/scope", "requires cursorKey"],
};

for (const [name, [use, code, path, words]] of Object.entries(WRONG)) {
  test(name, () => {
    assert.throws(use, (error) => {
      assert.deepEqual([error.code, error.path], [code, path], error.message);
      assert.ok(error.message.includes(words), error.message);
      return true;
    });
  });
}

test("a Map, which has a store's methods, is a wrong policy and no store", () => {
  assert.throws(() => shape(new Map([["maxTokens", 500]])), /plain object/);
});
