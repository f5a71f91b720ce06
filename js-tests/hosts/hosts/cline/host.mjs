import { PROMPT } from "../files.mjs";

const quoted = (word) => `'${word.replaceAll("'", "'\\''")}'`;

export default {
  title: "Cline",
  package: "cline",
  images: "note",
  start({ url, servers }) {
    const provider = "-P openai-compatible -m fake";
    const add = ([name, { command, args }]) =>
      `cline mcp add ${name} --yes --json -- ${[command, ...args].map(quoted).join(" ")}`;
    const lines = [
      `cline auth -p openai-compatible -k x -b ${url}/v1 -m fake`,
      ...Object.entries(servers).map(add),
      `cline ${provider} --retries 1 -t 200 ${quoted(PROMPT)}`,
    ];
    return { command: "sh", args: ["-ec", lines.join("\n")], env: { CLINE_TELEMETRY: "off" } };
  },
};
