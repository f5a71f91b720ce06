import { mcpServers, PROMPT, put } from "../files.mjs";

const named = ({ server, tool }) => `mcp__${server}__${tool}`;

export default {
  title: "Qwen Code",
  package: "@qwen-code/qwen-code",
  /** It defers the tools of servers: the model finds them first. */
  before: (tools) => [[{ as: "search", tool: "tool_search", args: { query: `select:${tools.map(named).join(",")}` } }]],
  start({ home, url, servers }) {
    put(home, ".qwen/settings.json", {
      mcpServers: mcpServers(servers, { trust: true }),
      security: { auth: { selectedType: "openai" } },
      telemetry: { enabled: false },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false, disableAutoUpdate: true },
    });
    const env = { OPENAI_API_KEY: "x", OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: "fake" };
    return { command: "qwen", args: ["-p", PROMPT, "--yolo"], env };
  },
};
