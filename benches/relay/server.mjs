/**
 * The server behind every contender: by hand, so that it costs nearly nothing. It is one of MCP, because most contenders
 * are MCP clients of it, and one that writes what a measurement asks for.
 */
import { writeSync } from "node:fs";
import { MESSAGE, callResult } from "./messages.mjs";

const TOOLS = ["small", "rows", "line"].map((name) => ({
  name,
  inputSchema: { type: "object", properties: { version: { type: "integer" } } },
}));
/** Messages that are written at once, as one who does not wait for them does. */
const BLOCK = 640;

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "bench", version: "1" },
  }),
  ping: () => ({}),
  "tools/list": () => ({ tools: TOOLS }),
  "tools/call": ({ name, arguments: { version } }) => callResult(name, version),
  /** This many messages, each written by itself or in blocks; the answer comes after them. */
  "bench/write": ({ count, inBlocks }) => {
    const [piece, times] = inBlocks
      ? [Buffer.from(MESSAGE.repeat(BLOCK)), count / BLOCK]
      : [Buffer.from(MESSAGE), count];
    for (let at = 0; at < times; at++) whole(piece);
    return {};
  },
  /** A line of this many bytes that is not the result of a tool. */
  "bench/line": ({ size }) => ({ text: "x".repeat(size) }),
};

/** Messages of the bench are counted, not read. */
let [open, notes] = ["", 0];
const wanted = { count: Infinity, id: null };
process.stdin.on("data", (bytes) => {
  const lines = (open + bytes.toString("latin1")).split("\n");
  open = lines.pop();
  for (const line of lines) take(line);
});
process.stdin.on("end", () => process.exit());

function take(line) {
  if (line.length + 1 === MESSAGE.length && line.startsWith('{"jsonrpc":"2.0","method":"notifications/message"')) {
    if (++notes >= wanted.count) {
      notes = 0;
      answer(wanted.id, {});
    }
    return;
  }
  const { id, method, params } = JSON.parse(line);
  if (method === "bench/read") Object.assign(wanted, { count: params.count, id });
  else if (id !== undefined && methods[method]) answer(id, methods[method](params));
  else if (id !== undefined)
    whole(
      Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "no such method" } })}\n`),
    );
}

function answer(id, result) {
  whole(Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`));
}

/** Writes at once, as servers without an event loop do. */
function whole(bytes) {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}
