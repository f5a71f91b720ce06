// What each proxy loses of eleven servers: node peers.mjs <file> <file of the documentation>, the latter with UPDATE_TABLE. The steps
// of each server run without a proxy, behind the relay and behind other proxies; the table counts the steps with equal results. A
// result that the relay shapes is equal if all of it can be read back.

import { writeFileSync } from "node:fs";
import { normal, same } from "./compare.mjs";
import { PythonSession } from "./python_session.mjs";
import { run } from "./run.mjs";
import { servePage } from "./scratch.mjs";
import { ALL } from "./servers.mjs";
import { PLAIN, peers, relays } from "./ways.mjs";

const page = await servePage();
const ways = [{ ...relays()[0], name: "toolshape", isOurs: true }, ...peers()];
/** For each kind of step and each way: how many there were, how many brought the same, and what was lost. */
const kinds = new Map();

function note(kind, way, isSame, what) {
  const row = kinds.get(kind) ?? new Map();
  const cell = row.get(way.name) ?? { same: 0, all: 0, lost: [] };
  row.set(way.name, {
    same: cell.same + (isSame ? 1 : 0),
    all: cell.all + 1,
    lost: isSame ? cell.lost : [...cell.lost, what],
  });
  kinds.set(kind, row);
}

/** A value with its members in one order, and without those that say `false` where that is the default. */
function plainly(value) {
  if (Array.isArray(value)) return value.map(plainly);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([key, inside]) => !(DEFAULTS.includes(key) && inside === false));
  return Object.fromEntries(
    members.sort(([one], [other]) => (one < other ? -1 : 1)).map(([key, inside]) => [key, plainly(inside)]),
  );
}
const DEFAULTS = ["isError", "listChanged", "subscribe"];

/** The tool whose result is the environment of its process, which each proxy makes in its way. */
const OF_PROCESS = "get-env";

const isSame = async (check) =>
  Promise.resolve()
    .then(check)
    .then(
      () => true,
      () => false,
    );

for (const name of Object.keys(ALL)) {
  const plain = await run(name, PLAIN, page.address);
  for (const way of ways) {
    const other = await run(name, way, page.address).catch((error) => error);
    const isThere = !(other instanceof Error);
    const here = (value) =>
      JSON.parse(JSON.stringify(value ?? null).replaceAll(isThere ? other.folder : "\0", plain.folder));
    const reported = (run) => normal(plainly(here(run.session.initialized.response.result)), plain.folder);
    note("what the server says of itself", way, isThere && reported(plain) === reported(other), name);
    for (const [at, step] of plain.steps.entries()) {
      if (step.params?.name === OF_PROCESS) continue;
      const found = isThere ? here(other.came[at]) : undefined;
      const ours = () => same(step, plain.came[at], found, plain.folder, other.session);
      const equal = isThere && (way.isOurs ? await isSame(ours) : isAlike(step, plain.came[at], found, plain.folder));
      note(step.shows, way, equal, `${name}: ${step.params?.name ?? step.params?.uri ?? step.method}`);
      if (!equal && process.env.TOOLSHAPE_LOUD)
        console.error(
          way.name,
          name,
          JSON.stringify(step).slice(0, 200),
          "\n  ",
          normal(plain.came[at], plain.folder).slice(0, 500),
          "\n  ",
          normal(found ?? String(other), plain.folder).slice(0, 500),
        );
    }
    if (isThere) await other.end();
    console.error(`${name}, ${way.name}: ${isThere ? "run" : other.message}`);
  }
  await plain.end();
}

/** Integers, in a client that has them all. */
for (const way of ways.filter(({ isHttp }) => !isHttp)) {
  const { session, end } = await run("own, Python", way, page.address, PythonSession);
  await session.take({ method: "tools/call", params: { name: "rows", arguments: { count: 1 } } });
  note("integers over 2⁵³", way, session.last.split("9007199254740993").length === 3, "rows");
  await end();
}

/**
 * Whether a step brings the same to a client that does not look at the order of members, at those that say the default, nor at
 * the words of an error.
 */
function isAlike(step, expected, found, scratch) {
  const coded = ({ error, ...rest }) => ({ ...rest, ...(error && { error: error.code }) });
  const worded = (came) => (came?.response ? { ...came, response: coded(came.response) } : came);
  const seen = (came) => worded(step.isRandom ? { ...came, reported: came?.reported?.method } : came);
  return normal(plainly(seen(expected)), scratch) === normal(plainly(seen(found)), scratch);
}

const written = ({ same, all } = { same: 0, all: 0 }) =>
  all === 0 ? "" : same === all ? "all" : same === 0 ? "none" : `${same} of ${all}`;
const columns = ["step", ...ways.map(({ name }) => name)];
const rows = [...kinds].sort().map(([kind, row]) => [kind, ...ways.map(({ name }) => written(row.get(name)))]);
const about = "How many steps give the client the same as without a proxy. An empty cell was not tested.";
const recorded = {
  command: "cargo xtask bench relay-peers",
  tables: [{ title: "What proxies lose", about, columns, rows }],
};
const [file, documented] = process.argv.slice(2);
for (const path of [file, ...(process.env.UPDATE_TABLE ? [documented] : [])])
  writeFileSync(path, `${JSON.stringify(recorded, null, 1)}\n`);
writeFileSync(
  file.replace(".json", "-steps.json"),
  JSON.stringify(Object.fromEntries([...kinds].map(([kind, row]) => [kind, Object.fromEntries(row)])), null, 2),
);
console.table(rows.map((row) => Object.fromEntries(row.map((cell, at) => [columns[at], cell]))));
page.close();
