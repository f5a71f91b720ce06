// An option, policy, store or server in the wrong place is refused there. The message names the place where it belongs.

import assert from "node:assert/strict";
import { test } from "node:test";
import { McpServer } from "@modelcontextprotocol/server";
import { FastMCP } from "fastmcp";
import { Archive, MemoryStore, Shaper } from "toolshape";
import * as fast from "toolshape/fastmcp";
import { shapeServer } from "toolshape/mcp";

const INFO = { name: "here", version: "1.0.0" };
const [shaper, store] = [new Shaper(), new MemoryStore()];
const archive = new Archive(shaper, store);
const server = () => new McpServer(INFO);
const shape = (...given) => shapeServer(server(), ...given);

/** By what is wrong: the use, the code and the path of its error, and words of its message. */
const WRONG = {
  "a store in the policy": [() => shape({ store }), "INVALID_POLICY", "/store", "an option of an adapter"],
  "redact in a shaper": [
    () => new Shaper({ redact: String }),
    "INVALID_POLICY",
    "/redact",
    "an option of an adapter or",
  ],
  "maxTokens in the options": [
    () => shape({}, { maxTokens: 9 }),
    "INVALID_CALL",
    "/maxTokens",
    "an option of the policy",
  ],
  "maxTokens of an archive": [
    () => new Archive(shaper, store, { maxTokens: 500 }),
    "INVALID_CALL",
    "/maxTokens",
    "an option of the policy",
  ],
  "a page in the policy": [() => new Shaper({ page: 2 }), "INVALID_POLICY", "/page", "an option of a call"],
  "a tool beside tools": [() => shape({ list: { maxTokens: 500 } }), "INVALID_POLICY", "/list", "tools"],
  "a name as the policy": [() => shape("agent"), "INVALID_POLICY", "", "of type string"],
  "a store as the policy": [() => shape(store), "INVALID_POLICY", "", "an instance of MemoryStore"],
  "a shaper as the policy": [() => shape(shaper), "INVALID_POLICY", "", "an instance of Shaper"],
  "an archive as the policy": [() => shape(archive), "INVALID_POLICY", "", "an instance of Archive"],
  "a server as the policy": [
    () => shapeServer(server(), server()),
    "INVALID_POLICY",
    "/server",
    "unknown option server",
  ],
  "a promise as the policy": [() => shape(Promise.resolve({})), "INVALID_POLICY", "", "an instance of Promise"],
  "a Map as the policy": [() => shape(new Map([["maxTokens", 500]])), "INVALID_POLICY", "", "an instance of Map"],
  "nothing as the policy": [() => shape(null), "INVALID_POLICY", "", "the options are null"],
  "a store as the options": [() => shape({}, store), "INVALID_CALL", "", "an instance of MemoryStore"],
  "nothing as the options": [() => shape({}, null), "INVALID_CALL", "", "the options are null"],
  "no server": [() => shapeServer(undefined), "INVALID_CALL", "/server", "it takes an McpServer or a Server"],
  "no server of fastmcp": [() => fast.shapeServer(null), "INVALID_CALL", "/server", "it takes a FastMCP"],
  "a class": [() => shapeServer(McpServer), "INVALID_CALL", "/server", "the class McpServer, not an instance"],
  "a server of fastmcp": [() => shapeServer(new FastMCP(INFO)), "INVALID_CALL", "/server", "import toolshape/fastmcp"],
  "a server of mcp": [() => fast.shapeServer(server()), "INVALID_CALL", "/server", "import toolshape/mcp"],
  "a tool's name as the call": [() => shaper.shape([1], "list"), "INVALID_CALL", "", "of type string"],
  "the same for a result": [() => shaper.shapeResult([1], "list"), "INVALID_CALL", "", "of type string"],
  "a policy as the shaper": [() => new Archive({}, store), "INVALID_CALL", "/shaper", "it takes a Shaper"],
  "options as the store": [() => new Archive(shaper, { store }), "INVALID_CALL", "/store", "without get, set, delete"],
  "one result for several": [() => shaper.shapeTogether({ value: 1 }), "INVALID_CALL", "/results", "it takes a list"],
  "offload without a store": [
    () => shape({ overflow: "offload" }, { store: null }),
    "INVALID_CALL",
    "/store",
    'overflow "offload" requires a store',
  ],
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
