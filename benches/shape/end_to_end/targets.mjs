/** Targets of the end-to-end benchmark, and whether they are reached; a target without measurements is left out. */
import { spread } from "../figures.mjs";
import { WORKS, mostInHalves, overNaive, overParts } from "./figures.mjs";

/** Of the SDKs in each face, the most that 2 KB may take over the naive server, in milliseconds. */
const MORE = { Node: 0.15, Python: 0.3 };
const OVER_NAIVE = { "3.7 MB": 0.5, "350 KB": 0.9 };

export function targets(faces) {
  const list = [];
  const add = (name, atMost, found) => found && list.push({ name, atMost, found, holds: found.middle <= atMost });
  for (const [face, { parts, calls, crowd, memory }] of Object.entries(faces)) {
    for (const { size, milliseconds } of parts.filter(({ size }) => size === "3.7 MB")) {
      for (const work of WORKS) {
        add(`${face}: ${work}, ${size}, over its parts`, 1.2, overParts(milliseconds, work, "no store"));
        add(`${face}: ${work}, ${size}, in memory, over its parts`, 1.2, overParts(milliseconds, work, "memory"));
      }
    }
    for (const each of calls.filter(({ transport }) => transport === "stdio")) {
      if (OVER_NAIVE[each.size])
        add(`${each.sdk}: ${each.size}, shaped over naive`, OVER_NAIVE[each.size], overNaive(each, "shaped"));
      else add(`${each.sdk}: ${each.size}, shaped, milliseconds more than naive`, MORE[face], more(each.milliseconds));
    }
    for (const { sdk, median, worst, resident } of crowd.filter(({ how }) => how === "shaped")) {
      add(`${sdk}: sixteen clients, the worst call over the median`, 10, spread([worst / median]));
      const halves = mostInHalves(resident);
      if (halves)
        add(
          `${sdk}: sixteen clients, the most memory in the second half over that in the first`,
          1.1,
          spread([halves[1] / halves[0]]),
        );
    }
    for (const { place, textBytes, peakBytes, leftBytes, wasmBefore, wasmAfter } of memory) {
      add(
        `${face}: a very large result, ${place}, peak memory beyond the input over the text`,
        2.5,
        spread([peakBytes / textBytes]),
      );
      add(
        `${face}: a very large result, ${place}, memory left beyond the input over the text`,
        0.5,
        spread([leftBytes / textBytes]),
      );
      if (wasmBefore)
        add(
          `${face}: a very large result, ${place}, WebAssembly memory after over before`,
          1.5,
          spread([wasmAfter / wasmBefore]),
        );
    }
  }
  return list;
}

function more({ naive, shaped }) {
  return spread(shaped.map((took, round) => took - naive[round]));
}
