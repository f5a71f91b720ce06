/** How many messages a second go through each contender, in turns: one after the other, without waiting for any. */
import { CONTENDERS, Link, isPeer } from "./contenders.mjs";
import { MESSAGE } from "./messages.mjs";

/** The works, and whether peers take part: they pass on what the SDK knows. */
export const FLOWS = {
  "from the server, a write each": {
    run: (link, count) => link.time("bench/write", { count, inBlocks: false }, count + 1),
  },
  "from the server, in blocks": {
    run: (link, count) => link.time("bench/write", { count, inBlocks: true }, count + 1),
  },
  "from the client, in blocks": { run: fromClient },
  "calls at once": { run: calls, share: 1 / 100, hasPeers: true },
};

const BLOCK = 640;

export async function throughput(count, rounds) {
  const found = Object.fromEntries(Object.keys(FLOWS).map((flow) => [flow, {}]));
  const links = await Promise.all(Object.keys(CONTENDERS).map((name) => Link.start(name)));
  for (let round = -1; round < rounds; round++) {
    for (const [flow, { run, share = 1, hasPeers = false }] of Object.entries(FLOWS)) {
      for (const link of links) {
        if (link.hasEnded || (isPeer(link.name) && !hasPeers)) continue;
        const messages = Math.max(BLOCK, Math.round((count * share) / BLOCK) * BLOCK);
        const took = await run(link, messages).catch((error) => link.failed(error));
        if (round >= 0 && took !== undefined) (found[flow][link.name] ??= []).push((messages * 1000) / took);
      }
    }
  }
  await Promise.all(links.map((link) => link.end()));
  return found;
}

async function fromClient(link, count) {
  const came = link.time("bench/read", { count });
  const block = MESSAGE.repeat(BLOCK);
  for (let at = 0; at < count; at += BLOCK) await link.write(block);
  return came;
}

async function calls(link, count) {
  const asked = Array.from({ length: count }, (_, version) =>
    link.request("tools/call", { name: "small", arguments: { version } }),
  ).join("");
  const came = link.lines(count);
  const start = performance.now();
  await link.write(asked);
  return (await came) - start;
}
