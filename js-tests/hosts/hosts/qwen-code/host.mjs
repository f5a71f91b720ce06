import { mcpServers, PROMPT, put } from "../files.mjs";

export default {
  title: "Qwen Code",
  package: "@qwen-code/qwen-code",
  images: "none",
  /** It defers the tools of servers: the model finds them first, five at a time. */
  before(tools) {
    const names = [...new Set(tools.map(({ server, tool }) => `mcp__${server}__${tool}`))];
    const searches = Array.from({ length: Math.ceil(names.length / 5) }, (_, at) => names.slice(5 * at, 5 * at + 5));
    return searches.map((some, at) => [
      { as: `search ${at}`, tool: "tool_search", args: { query: `select:${some.join(",")}` } },
    ]);
  },
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
