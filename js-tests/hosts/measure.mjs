// What a host does with the servers, naive and shaped: each run, and what is wrong with it.

import { join } from "node:path";
import { countTokens } from "toolshape";
import { play } from "./play.mjs";
import { PROGRAM_TURNS, wrong } from "./programs.mjs";
import { differences, expectedOf, script, shown } from "./shows.mjs";
import { serverOf, TASKS, TURNS } from "./tasks.mjs";

const SERVER = join(import.meta.dirname, "servers/server.mjs");
const NODE = process.execPath;
const RELAY = join(import.meta.dirname, "node_modules/.bin/toolshape");
const OPTIONS = ["--config", join(import.meta.dirname, "servers/toolshape.json")];

/** The servers by the way in which toolshape shapes them: the line before a naive server, and the flags after it. */
const SHAPED = {
  shaped: [[], ["--shape"]],
  npm: [[NODE, RELAY, ...OPTIONS, "--"], []],
  wheel: [[process.env.TOOLSHAPE_PYTHON, "-m", "toolshape", ...OPTIONS, "--"], []],
};

const serversOf = ([before, after]) =>
  Object.fromEntries(["probe", "second"].map((name) => [name, [...before, NODE, SERVER, name, ...after]]));

/** The turns of a host that offers tools later. */
const before = (host, turns) => host.before?.(turns.flat().map(({ tool }) => ({ tool, server: serverOf(tool) }))) ?? [];

/** Runs a host; returns what it shows, the tokens that its model reads of a list, the tasks, and all failures. */
export async function measure(host, { folder, runs }) {
  const expected = expectedOf(host.title);
  const started = (variant, turns, servers) =>
    play(host, {
      script: [...before(host, turns), ...turns],
      servers: serversOf(servers),
      folder,
      runs: join(runs, variant),
    });

  const naive = await started("naive", script(expected, host), [[], []]);
  const is = shown(naive.model);
  const clients = naive.said.map(({ client }) => client);
  const failures = differences(expected, is, clients).map((sentence) => `naive: ${sentence}`);
  const images = host.images ?? "picture";
  const row = { client: clients[0], is, images, read: { naive: tokens(naive, "list") }, tasks: {} };

  for (const [variant, [line, flags]] of Object.entries(SHAPED)) {
    const store = host.isPerCall && variant === "shaped" ? [`--store=${join(runs, "store")}`] : [];
    const run = await started(variant, TURNS, [line, [...flags, ...store]]);
    row.read[variant] = tokens(run, "list");
    row.tasks[variant] = TASKS.filter(({ isAnswered }) => isAnswered((as) => run.model.read(as), host)).map(
      ({ name }) => name,
    );
    const open = TASKS.map(({ name }) => name).filter((name) => !row.tasks[variant].includes(name));
    if (open.length > 0) failures.push(`${variant}: not answered: ${open.join(", ")}`);
    const cut = cutIn(run);
    if (cut.length > 0) failures.push(`${variant}: not shown whole: ${cut.join(", ")}`);
    if (run.model.missing.size > 0) failures.push(`${variant}: not offered: ${[...run.model.missing].join(", ")}`);
  }
  for (const [variant, servers] of Object.entries(host.code ? { naive: [[], []], ...SHAPED } : {})) {
    const files = { servers: serversOf(servers), folder, runs: join(runs, `code-${variant}`) };
    const others = wrong((await play({ ...host, ...host.code }, { script: PROGRAM_TURNS, ...files })).model);
    if (others.length > 0) failures.push(`${variant}: programs are wrong: ${others.join(", ")}`);
  }
  return { ...row, failures };
}

const tokens = ({ model }, as) => countTokens(model.read(as).text);

/** A text without white space and escapes, as JSON in JSON has more of them. */
const flat = (text) => text.replace(/\\+[nt]/g, "").replace(/[\s\\]/g, "");

/** The calls whose results the model did not read as the server sent them, in one channel at least. */
function cutIn({ model, said }) {
  const reads = [...model.reads.values()].map(({ text }) => flat(text));
  const isRead = ({ content = [], structuredContent }) => {
    // A host may write blocks as JSON.
    const texts = content.filter(({ type }) => type === "text").map(({ text }) => flat(text));
    const structured = structuredContent === undefined ? undefined : flat(JSON.stringify(structuredContent));
    const hasAll = (read) => texts.every((text) => read.includes(text));
    return reads.some((read) => hasAll(read) || (structured !== undefined && read.includes(structured)));
  };
  return said.flatMap(({ calls }) => calls.filter(({ result }) => !result || !isRead(result)).map(({ tool }) => tool));
}
