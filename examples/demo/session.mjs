/** A running client and its server, in either language, and the calls that were made on them. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expand } from "toolshape";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

/** How each language starts its client and its server; the database is given to the server. */
const LANGUAGES = {
  TypeScript: () => ({
    client: [process.execPath, at("client.mjs")],
    server: (variant) => [process.execPath, "--import", "tsx", at(`../typescript/${variant}.ts`)],
  }),
  Python: (python) => ({
    client: [python, at("client.py")],
    server: (variant) => [python, at(`../python/${variant}.py`)],
  }),
};

/** The languages of the servers: Python needs an interpreter that has toolshape. */
export const languages = ({ python }) => (python ? Object.keys(LANGUAGES) : ["TypeScript"]);

/** The line on standard error about a shaped result. */
const RECEIPT = /^toolshape \w+: /;

/** Starts a variant of the server ("naive", "shaped" or "keyset") in a language, with that language's client in front. */
export function openSession({ language, variant, database, python }) {
  const { client, server } = LANGUAGES[language](python);
  const [command, ...args] = [...client, ...server(variant), database];
  const child = spawn(command, args, { cwd: at(".."), stdio: "pipe" });
  const ended = new Promise((resolve, reject) => child.on("error", reject).on("close", resolve));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const [steps, reported] = [[], []];
  createInterface({ input: child.stderr }).on("line", (line) =>
    RECEIPT.test(line) ? reported.push(line) : console.error(line),
  );

  /** Calls a tool as one step of the agent's work, and gives what the model would read, parsed. */
  async function call(step, name, args) {
    const start = performance.now();
    child.stdin.write(`${JSON.stringify({ name, arguments: args })}\n`);
    const { value: line, done } = await lines.next();
    if (done) throw new Error(`the ${language} client ended with ${await ended} during ${name}`);
    const result = JSON.parse(line);
    const text = result.content.map((block) => block.text).join("\n");
    const milliseconds = performance.now() - start;
    const { structuredContent: structured, isError = false } = result;
    steps.push({
      step,
      tool: name,
      arguments: args,
      text,
      structured,
      isError,
      milliseconds,
    });
    return JSON.parse(expand(text));
  }

  async function close() {
    child.stdin.end();
    await ended;
  }

  return { language, variant, steps, reported, call, close };
}
