/**
 * Starts a server on stdio again and again; prints as JSON how long it takes until a client is connected, and its first call.
 *
 * Usage: cold.mjs <sdk> <rounds>
 */
import { connect } from "./clients.mjs";
import { SIZES } from "./rows.mjs";

const [sdk, rounds] = process.argv.slice(2);
const HOW = ["naive", "shaped"];
const found = Object.fromEntries(HOW.map((how) => [how, { start: [], first: [] }]));
// The first round is not looked at: it reads the files from the disk.
for (let round = 0; round <= Number(rounds); round++) {
  for (const how of HOW) {
    const start = performance.now();
    const { call, close } = await connect(sdk, how);
    const connected = performance.now();
    await call(SIZES["2 KB"], round);
    const answered = performance.now();
    await close();
    if (round === 0) continue;
    found[how].start.push(connected - start);
    found[how].first.push(answered - connected);
  }
}
console.log(JSON.stringify({ sdk, milliseconds: found }));
