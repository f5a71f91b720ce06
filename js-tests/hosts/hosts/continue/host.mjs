import { PROMPT, put } from "../files.mjs";

const server = ([name, { command, args }]) =>
  `  - name: ${name}\n    command: ${command}\n    args: ${JSON.stringify(args)}\n`;

const settings = (url) => `name: x
version: 1.0.0
schema: v1
models:
  - name: fake
    provider: openai
    model: fake
    apiBase: ${url}/v1
    apiKey: x
    capabilities: [tool_use, image_input]
    roles: [chat]
mcpServers:
`;

export default {
  title: "Continue",
  package: "@continuedev/cli",
  images: "note",
  start({ home, url, servers }) {
    const file = put(home, "config.yaml", settings(url) + Object.entries(servers).map(server).join(""));
    return {
      command: "cn",
      args: ["-p", "--auto", "--config", file, PROMPT],
      env: { CONTINUE_TELEMETRY_ENABLED: "0" },
    };
  },
};
