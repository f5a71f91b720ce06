import { mcpServers, PROMPT, put } from "../files.mjs";

export default {
  title: "Gemini CLI",
  package: "@google/gemini-cli",
  start({ home, url, servers }) {
    put(home, ".gemini/settings.json", {
      mcpServers: mcpServers(servers, { trust: true }),
      security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
      telemetry: { enabled: false },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false, disableAutoUpdate: true },
    });
    const env = { GEMINI_API_KEY: "x", GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_TRUST_WORKSPACE: "true" };
    return { command: "gemini", args: ["-p", PROMPT, "--yolo", "-m", "gemini-2.5-pro"], env };
  },
};
