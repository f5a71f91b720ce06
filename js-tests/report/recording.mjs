// Recordings of servers that do not exist: the same ones in each run.

const HOSTILE = [
  "</script><script>globalThis.hacked=1</script>",
  '"><img src=x onerror="globalThis.hacked=1">',
  "'; globalThis.hacked=1; '",
  '</title></style></svg><b onpointermove="globalThis.hacked=1">',
  "\u202eexe.txt\u0000\u001b[31m",
  "&lt;b&gt;",
  "名前の長い道具名前の長い道具名前の長い道具",
  "w".repeat(100_000),
];

const WORDS = [
  "issues",
  "pull_request",
  "repository",
  "branch",
  "commit",
  "workflow_run",
  "code_scanning_alert",
  "release",
];

const schema = (count) => ({
  type: "object",
  properties: Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`argument_${at}`, { type: "string", description: "What it is for" }]),
  ),
});

function recording(name, tools) {
  const lines = [];
  const say = (from, message) => lines.push(JSON.stringify({ at: 0, from, message: { jsonrpc: "2.0", ...message } }));
  say("client", { id: "i", method: "initialize" });
  say("server", { id: "i", result: { serverInfo: { name } } });
  say("client", { id: "l", method: "tools/list" });
  say("server", { id: "l", result: { tools } });
  tools.forEach((tool, at) => {
    if (at % 3 === 2) return;
    const rows = Array.from({ length: Math.floor(1.25 ** (at % 40)) }, (_, id) => ({
      id,
      title: `Row ${id}`,
      by: tool.name.slice(0, 20),
    }));
    const text = JSON.stringify({ rows }, null, at % 2 ? 2 : 0);
    say("client", { id: at, method: "tools/call", params: { name: tool.name, arguments: {} } });
    say("server", {
      id: at,
      result: { content: [{ type: "text", text }], ...(at % 4 ? {} : { structuredContent: { rows, large: 0.5 } }) },
    });
  });
  return lines.join("\n").replaceAll('"large":0.5', '"large":12345678901234567890');
}

const tools = (names) =>
  names.map((name, at) => ({
    name,
    description: "Does something useful with it. ".repeat(1 + ((at * 7) % (at % 11 ? 12 : 80))),
    inputSchema: schema(1 + ((at * 5) % 13)),
    ...(at % 2 ? { outputSchema: schema((at * 3) % 9) } : {}),
    annotations: { readOnlyHint: true },
  }));

// A server with a hundred tools; one whose texts are attacks; a small one.
export const LARGE = recording(
  "large",
  tools(
    Array.from({ length: 100 }, (_, at) => `${["list", "get", "search", "delete"][at % 4]}_${WORDS[at % 8]}_${at}`),
  ),
);
export const HOSTILE_ONE = recording(HOSTILE[0] + HOSTILE[1], tools(HOSTILE));
export const SMALL = recording("small", tools(["list_files", "read_file"]));
