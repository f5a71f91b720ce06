/**
 * Two replicas in TypeScript and one in Python, over one Redis, behind a round robin; clients in both languages walk
 * through results page by page and read back what was offloaded, while two of the replicas are killed.
 *
 * Each call lands on the next replica, so hardly any result is served by the one that made it. Then a reader of three
 * replicas that are shaped by one line: with the Redis that all share, and with the memory of each. Prints what it checked,
 * and figures; the exit code is 1 where something was lost.
 *
 * Usage: run.mjs --python <interpreter that has toolshape and fastmcp>
 */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { url as redis } from "../redis.mjs";
import { openPythonClient, openTypeScriptClient } from "./clients.mjs";
import { readsOn } from "./reader.mjs";
import { openRoundRobin } from "./round_robin.mjs";
import { Walk } from "./walk.mjs";

const { values: options } = parseArgs({ options: { python: { type: "string", default: "python3" } } });
const ROUNDS = 3;
/** At which requests which replica is killed, with one on its way to it. */
const KILLS = new Map([
  [200, 0],
  [450, 2],
]);

const replicas = await Promise.all([
  startReplica("typescript 1", process.execPath, "replica.mjs"),
  startReplica("typescript 2", process.execPath, "replica.mjs"),
  startReplica("python", options.python, "replica.py"),
]);
const killed = [];
const due = [...KILLS];
const balancer = await openRoundRobin(
  replicas.map(({ port }) => port),
  (requests, at) => {
    if (due.length === 0 || requests < due[0][0] || at !== due[0][1]) return;
    due.shift();
    // Now that a request is on its way to it.
    setTimeout(() => replicas[at].child.kill("SIGKILL"), 2);
    killed.push(replicas[at].name);
  },
);

const clients = await Promise.all([
  openTypeScriptClient(balancer.url, "north", "auto"),
  openTypeScriptClient(balancer.url, "south", "auto"),
  openTypeScriptClient(balancer.url, "north", "legacy"),
  openPythonClient(options.python, balancer.url, "north"),
  openPythonClient(options.python, balancer.url, "south"),
]);
const walks = clients.map((client, at) => new Walk(client, `walker ${at}`));
await Promise.all(walks.map((walk) => walk.run(ROUNDS)));
const [north, south] = walks;
const opened = await south.tryToOpen(north.handles);
await Promise.all(clients.map((client) => client.close()));
balancer.close();
for (const { child } of replicas) child.kill();

const sum = (count) => walks.reduce((all, walk) => all + walk.counts[count], 0);
const figures = {
  requests: balancer.counts.requests,
  "retries after a kill": balancer.counts.retries,
  pages: sum("pages"),
  "pages served by a replica other than the one that made the result": sum("foreignPages"),
  handles: sum("handles"),
  "reads of handles": sum("reads"),
  "reads of what the other language stored": sum("crossReads"),
  kills: killed.length,
  losses: sum("losses") + balancer.counts.unanswered,
};
for (const [what, figure] of Object.entries(figures)) console.log(`${String(figure).padStart(6)}  ${what}`);
console.log(`        clients: ${clients.map(({ name }) => name).join("; ")}; killed: ${killed.join(", ")}`);
for (const fault of walks.flatMap(({ faults }) => faults).slice(0, 10)) console.log(`        ${fault}`);
const shared = await readerOf(redis);
const apart = await readerOf();
for (const [store, { refusal, ...met }] of Object.entries({ "a shared Redis": shared, "the memory of each": apart })) {
  console.log(
    `        a reader of three replicas with ${store}: ${JSON.stringify(met)}${refusal ? `; refused: ${JSON.stringify(refusal)}` : ""}`,
  );
}
const verdicts = {
  "with a shared store every handle and every cursor is served by any replica":
    shared.isWhole && shared.isKnown && shared["refusals of read_result"] === 0,
  "with the memory of each a handle of another replica is refused, with a hint of the next call":
    apart.refusal?.error === "NOT_FOUND" &&
    /another server.*call the tool that returned it again/.test(apart.refusal.hint),
  "and who does what they say reads every row": apart.isWhole && apart["refusals of read_result"] > 0,
  "nothing is lost: every page walk and every handle gives the whole result, byte for byte": figures.losses === 0,
  "two replicas were killed in mid-run, with requests on their way to them":
    killed.length === 2 && figures["retries after a kill"] > 0,
  "later pages come from the store, from one run of the tool": sum("pages") > sum("lists") && sum("otherRuns") === 0,
  "each language reads what the other stored":
    walks.some(({ counts }) => counts.pythonReadsTypeScript > 0) &&
    walks.some(({ counts }) => counts.typeScriptReadsPython > 0),
  "another tenant's handles are not found": opened.tried > 0 && opened.found === 0,
};
for (const [what, holds] of Object.entries(verdicts)) console.log(`${holds ? "✓" : "✗"} ${what}`);
process.exitCode = Object.values(verdicts).every(Boolean) ? 0 : 1;

/** What a reader meets of three replicas that are shaped by one line, with a Redis or without. */
async function readerOf(...redis) {
  const replicas = await Promise.all([
    startReplica("one line 1", process.execPath, "one_line.mjs", redis),
    startReplica("one line 2", options.python, "one_line.py", redis),
    startReplica("one line 3", process.execPath, "one_line.mjs", redis),
  ]);
  const balancer = await openRoundRobin(replicas.map(({ port }) => port));
  const client = await openTypeScriptClient(balancer.url, "north", "auto");
  try {
    return await readsOn(client);
  } finally {
    await client.close();
    balancer.close();
    for (const { child } of replicas) child.kill();
  }
}

/** Starts a replica, and waits for the port that it prints. */
async function startReplica(name, program, script, reported = [redis]) {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const child = spawn(program, [path, name, ...reported], { stdio: ["ignore", "pipe", "inherit"] });
  const port = await new Promise((resolve, reject) => {
    child.stdout.once("data", (line) => resolve(Number(line)));
    child.once("exit", () => reject(new Error(`${name} ended before it listened`)));
  });
  return { name, child, port };
}
