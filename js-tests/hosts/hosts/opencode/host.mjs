import { PROMPT, put } from "../files.mjs";

const server = ([name, { command, args }]) => [name, { type: "local", command: [command, ...args], enabled: true }];

export default {
  title: "opencode",
  package: "opencode-ai",
  setup: "opencode-ai/postinstall.mjs",
  start({ home, work, url, servers }) {
    const limit = { context: 1_000_000, output: 8000 };
    put(work, "opencode.json", {
      autoupdate: false,
      share: "disabled",
      provider: {
        fake: {
          npm: "@ai-sdk/openai-compatible",
          name: "fake",
          options: { baseURL: `${url}/v1`, apiKey: "x" },
          models: {
            fake: {
              name: "fake",
              tool_call: true,
              attachment: true,
              limit,
              modalities: { input: ["text", "image"], output: ["text"] },
            },
          },
        },
      },
      model: "fake/fake",
      small_model: "fake/fake",
      mcp: Object.fromEntries(Object.entries(servers).map(server)),
      permission: { "*": "allow" },
    });
    const folders = {
      XDG_DATA_HOME: `${home}/.data`,
      XDG_CONFIG_HOME: `${home}/.config`,
      XDG_CACHE_HOME: `${home}/.cache`,
    };
    const quiet = {
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    };
    return { command: "opencode", args: ["run", "-m", "fake/fake", PROMPT], env: { ...folders, ...quiet } };
  },
};
