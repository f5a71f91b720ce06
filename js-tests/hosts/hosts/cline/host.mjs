import { PROMPT, put } from "../files.mjs";

const quoted = (word) => `'${word.replaceAll("'", "'\\''")}'`;

export default {
  title: "Cline",
  package: "cline",
  images: "note",
  start({ home, url, servers }) {
    const provider = "-P openai-compatible -m fake";
    // It waits for three seconds otherwise, and goes on without a server.
    const configured = ([name, server]) => [name, { transport: { type: "stdio", ...server }, timeout: 60 }];
    const mcpServers = Object.fromEntries(Object.entries(servers).map(configured));
    put(home, ".cline/data/settings/cline_mcp_settings.json", { mcpServers });
    const lines = [
      `cline auth -p openai-compatible -k x -b ${url}/v1 -m fake`,
      `cline ${provider} --retries 1 -t 200 ${quoted(PROMPT)}`,
    ];
    return { command: "sh", args: ["-ec", lines.join("\n")], env: { CLINE_TELEMETRY: "off" } };
  },
};
