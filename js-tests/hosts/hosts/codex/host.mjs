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

const start = (model) => ({
  start({ home, url, servers }) {
    put(home, ".codex/config.toml", settings(url, model) + Object.entries(servers).map(server).join(""));
    const args = ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", PROMPT];
    return { command: "codex", args, env: { CODEX_HOME: `${home}/.codex`, FAKE_KEY: "x" } };
  },
});

export default {
  title: "Codex",
  package: "@openai/codex",
  ...start("gpt-5.1-codex"),
  /** With this model it offers no tools: the model writes programs that call them. */
  code: start("gpt-6.2-sol"),
};
