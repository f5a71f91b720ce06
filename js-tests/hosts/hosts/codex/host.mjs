import { PROMPT, put } from "../files.mjs";

const settings = (url, model) => `
model = "${model}"
model_provider = "fake"
approval_policy = "never"
sandbox_mode = "danger-full-access"
[analytics]
enabled = false
[model_providers.fake]
name = "fake"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
request_max_retries = 0
stream_max_retries = 0
`;

const server = ([name, { command, args }]) =>
  `[mcp_servers.${name}]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\nrequired = true\n`;

export default {
  title: "Codex",
  package: "@openai/codex",
  start({ home, url, servers, model = "gpt-5.1-codex" }) {
    put(home, ".codex/config.toml", settings(url, model) + Object.entries(servers).map(server).join(""));
    const args = ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", PROMPT];
    return { command: "codex", args, env: { CODEX_HOME: `${home}/.codex`, FAKE_KEY: "x" } };
  },
};
