import { mcpServers, PROMPT, put } from "../files.mjs";

export default {
  title: "Copilot CLI",
  package: "@github/copilot",
  images: "none",
  start({ home, url, servers }) {
    put(home, ".copilot/mcp-config.json", { mcpServers: mcpServers(servers, { type: "local", tools: ["*"] }) });
    const provider = { BASE_URL: `${url}/v1`, TYPE: "openai", API_KEY: "x" };
    const env = Object.fromEntries(
      Object.entries(provider).map(([name, value]) => [`COPILOT_PROVIDER_${name}`, value]),
    );
    Object.assign(env, { COPILOT_OFFLINE: "true", COPILOT_MODEL: "gpt-5.1", COPILOT_AUTO_UPDATE: "false" });
    const args = ["-p", PROMPT, "--allow-all-tools", "--disable-builtin-mcps", "--model", "gpt-5.1"];
    return { command: "copilot", args, env };
  },
};
