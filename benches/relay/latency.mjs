/** Milliseconds from a request to its answer, of all contenders in turns, and what shaping alone takes. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { CONTENDERS, Link, isPeer } from "./contenders.mjs";
import { callResult } from "./messages.mjs";
import { PIPE, SHAPING, WORKS } from "./works.mjs";

export async function latency(rounds, practice) {
  const links = await Promise.all(Object.keys(CONTENDERS).map((name) => Link.start(name)));
  const found = Object.fromEntries(Object.keys(WORKS).map((work) => [work, {}]));
  const add = (work, name, took, round) => round >= 0 && (found[work][name] ??= []).push(took);
  const shape = await shapedInPython();
  let version = 0;
  for (let round = -practice; round < rounds; round++) {
    for (const work of Object.keys(WORKS)) {
      // Whoever is first in a round has the processor's caches cold.
      for (const link of turned(links, round)) {
        if (link.hasEnded || (work === "ping" && isPeer(link.name))) continue;
        const [method, params] =
          work === "ping" ? ["ping", {}] : ["tools/call", { name: work, arguments: { version: ++version } }];
        const took = await link.time(method, params).catch((error) => link.failed(error));
        if (took !== undefined) add(work, link.name, took, round);
      }
    }
    add("rows", SHAPING, await shape(callResult("rows", ++version)), round);
  }
  await Promise.all([...links.map((link) => link.end()), shape.end()]);
  if (found.ping[PIPE].length !== rounds) throw new Error("a round is missing");
  return found;
}

function turned(list, round) {
  const at = Math.abs(round) % list.length;
  return [...list.slice(at), ...list.slice(0, at)];
}

async function shapedInPython() {
  const python = spawn(process.env.TOOLSHAPE_PYTHON, ["shaping.py"], {
    cwd: import.meta.dirname,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface(python.stdout)[Symbol.asyncIterator]();
  const shape = async (result) => {
    python.stdin.write(`${JSON.stringify(result)}\n`);
    const { value, done } = await lines.next();
    if (done) throw new Error("Python ended");
    return Number(value);
  };
  shape.end = async () => {
    python.stdin.end();
    await once(python, "exit");
  };
  return shape;
}
