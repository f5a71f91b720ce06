// Servers of others with and without the relay and the gateway: SDKs' own clients get by every pump, and over HTTP, what they get
// without one, and of results that are shaped, which fit, all can be read.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { normal, same } from "./compare.mjs";
import { PythonSession } from "./python_session.mjs";
import { run } from "./run.mjs";
import { servePage } from "./scratch.mjs";
import { ALL } from "./servers.mjs";
import { Session } from "./session.mjs";
import { GATEWAY, GATEWAY_REMOTE, PLAIN, PLAIN_REMOTE, relays } from "./ways.mjs";

/** Servers that have results over budget. */
const SHAPED = Object.keys(ALL).filter((name) => !["sequential-thinking", "time", "own, odd"].includes(name));

let page;
before(async () => (page = await servePage()));
after(() => page.close());

const titled = ({ shows, method, params }) =>
  `${shows}: ${method} ${params === undefined ? "" : JSON.stringify(params).slice(0, 80)}`;

/** Servers that Python's client calls too; it speaks 2026-07-28 with those in Python. */
const BY_PYTHON = ["filesystem", "fetch", "git", "time", "own, Python", "own, odd"];

const of =
  (names, Kind, itself = PLAIN, ways = [...relays(), GATEWAY]) =>
  (t) =>
    Promise.all(
      names.map((name) => t.test(name, { timeout: 300_000 }, (t) => behindEach(name, t, Kind, itself, ways))),
    );
/** Servers that listen too. */
const LISTENING = Object.keys(ALL).filter((name) => ALL[name].listening);

test("servers and the client in TypeScript", { concurrency: 2 }, of(Object.keys(ALL), Session));
test("servers and the client in Python", { concurrency: 2 }, of(BY_PYTHON, PythonSession));
test("servers at an address", { concurrency: 2 }, of(LISTENING, Session, PLAIN_REMOTE, [GATEWAY_REMOTE]));

async function behindEach(name, t, Kind, itself, ways) {
  const [plain, ...all] = await Promise.all([itself, ...ways].map((way) => run(name, way, page.address, Kind)));
  for (const [at, way] of ways.entries()) {
    await t.test(`behind ${way.name}`, async (t) => {
      const relayed = all[at];
      // Both folders are named alike, so that what is compared is the server's.
      const here = (value) => JSON.parse(JSON.stringify(value ?? null).replaceAll(relayed.folder, plain.folder));
      await t.test("initialize", () =>
        assert.equal(
          normal(here(relayed.session.initialized), plain.folder),
          normal(plain.session.initialized, plain.folder),
        ),
      );
      const receipts = [];
      for (const [at, step] of plain.steps.entries()) {
        await t.test(titled(step), async () => {
          const receipt = await same(step, plain.came[at], here(relayed.came[at]), plain.folder, relayed.session);
          if (receipt) receipts.push(receipt);
        });
      }
      await t.test("results over budget are shaped", () =>
        assert.equal(receipts.length > 0, SHAPED.includes(name), `${receipts.length} were`),
      );
      const sum = (member) => receipts.reduce((all, receipt) => all + receipt[member], 0);
      t.diagnostic(
        `${name}, ${way.name}: ${plain.steps.length} steps, ${receipts.length} results of ${sum("tokensBefore")} tokens shown in ${sum("tokensAfter")}`,
      );
      await relayed.end();
    });
  }
  await plain.end();
}
