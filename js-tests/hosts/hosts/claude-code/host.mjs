import { mcpServers, PROMPT, put } from "../files.mjs";

export default {
  title: "Claude Code",
  package: "@anthropic-ai/claude-code",
  setup: "@anthropic-ai/claude-code/install.cjs",
  /** It may start before the servers have; only then it offers the first tool. It may defer tools, which the second loads. */
  before(tools) {
    const names = [...new Set(tools.map(({ server, tool }) => `mcp__${server}__${tool}`))];
    return [
      [{ as: "wait", tool: "WaitForMcpServers", ifOffered: true }],
      [{ as: "load", tool: "ToolSearch", args: { query: `select:${names.join(",")}` }, ifOffered: true }],
    ];
  },
  start({ home, url, servers }) {
    const file = put(home, "mcp.json", { mcpServers: mcpServers(servers) });
    const allowed = Object.keys(servers)
      .map((name) => `mcp__${name}`)
      .join(",");
    const args = ["-p", PROMPT, "--mcp-config", file, "--strict-mcp-config", "--allowedTools", allowed];
    const quiet = {
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_ERROR_REPORTING: "1",
    };
    const env = { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "sk-ant-dummy", DISABLE_AUTOUPDATER: "1", ...quiet };
    return { command: "claude", args: [...args, "--model", "claude-sonnet-4-5"], env };
  },
};
