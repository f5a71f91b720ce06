/**
 * Sixteen clients call one server at once, over HTTP; prints as JSON what each kind of server did.
 *
 * The servers take turns of two seconds, so that what else the machine does hits all of them.
 *
 * Usage: crowd.mjs <sdk> <seconds for each>
 */
import { connect, startServer } from "./clients.mjs";
import { SIZES } from "./rows.mjs";

const [sdk, seconds] = process.argv.slice(2);
const CLIENTS = 16;
const SIZE = "350 KB";
const TURN = Math.min(2, seconds) * 1_000;
/** How often the memory is looked at, in milliseconds: with a garbage collector it goes up and down within a turn. */
const LOOK = 100;
/** This many calls fill the default store: only then memory stays constant. */
const FILLING = seconds < 10 ? CLIENTS : 400;

const crowds = [];
for (const how of ["naive", "shaped"]) {
  const server = await startServer(sdk, how);
  const peers = await Promise.all(Array.from({ length: CLIENTS }, () => connect(sdk, how, server.url)));
  crowds.push({ how, server, peers, milliseconds: [], took: 0, resident: [] });
}
let version = 0;
for (const crowd of crowds) {
  let calls = 0;
  await everyone(crowd, () => calls++ < FILLING);
  crowd.resident.push(crowd.server.resident());
}
for (let turn = 0; turn < (seconds * 1_000) / TURN; turn++) {
  for (const crowd of crowds) {
    const start = performance.now();
    const looking = setInterval(() => crowd.resident.push(crowd.server.resident()), LOOK);
    await everyone(
      crowd,
      () => performance.now() - start < TURN,
      (took) => crowd.milliseconds.push(took),
    );
    clearInterval(looking);
    crowd.took += performance.now() - start;
    crowd.resident.push(crowd.server.resident());
  }
}
const found = crowds.map(({ how, milliseconds, took, resident }) => {
  const sorted = milliseconds.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.floor((sorted.length - 1) * share)];
  return {
    sdk,
    size: SIZE,
    how,
    callsPerSecond: sorted.length / (took / 1_000),
    median: at(0.5),
    p99: at(0.99),
    worst: at(1),
    resident,
  };
});
console.log(JSON.stringify(found));
process.exit();

/** Each client calls again as soon as it has its result, while `goes` says so. */
async function everyone({ peers }, goes, report = () => {}) {
  await Promise.all(
    peers.map(async ({ call }) => {
      while (goes()) {
        const start = performance.now();
        await call(SIZES[SIZE], ++version);
        report(performance.now() - start);
      }
    }),
  );
}
