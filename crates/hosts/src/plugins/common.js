// Written by `toolshape install`; `toolshape uninstall` deletes it.
import { spawn } from "node:child_process";

const [program, ...words] = COMMAND;

/** The texts that replace those of a tool; nothing if they fit, or if toolshape fails. */
const shaped = (tool, input, texts) =>
  new Promise((resolve) => {
    const child = spawn(program, words, { stdio: ["pipe", "pipe", "ignore"] });
    let answer = "";
    child.on("error", () => resolve());
    child.stdin.on("error", () => {});
    child.stdout.setEncoding("utf8").on("data", (part) => (answer += part));
    child.on("close", () => {
      try {
        resolve(JSON.parse(answer).texts);
      } catch {
        resolve();
      }
    });
    child.stdin.end(JSON.stringify({ tool_name: tool, tool_input: input, tool_response: texts }));
  });

/** The blocks with other texts; nothing if they stay. What is not a text stays. */
const shapedBlocks = async (tool, input, blocks) => {
  const texts = blocks.filter(({ type }) => type === "text").map(({ text }) => text);
  const short = texts.length > 0 ? await shaped(tool, input, texts) : undefined;
  if (!short) return undefined;
  const others = blocks.filter(({ type }) => type !== "text");
  return [...short.map((text) => ({ type: "text", text })), ...others];
};
