/** What is to be reached by the relay, and whether it is. */
import { spread } from "../shape/figures.mjs";
import { PIPE, SHAPING } from "./works.mjs";

const PASSES = 0.3;
const SHAPED = 0.5;
const SHARE = 1 / 3;
const FLOW = "from the server, a write each";

/** Of each round: what a contender takes more than the pipe alone. */
export const more = (samples, name) => samples[name].map((took, round) => took - samples[PIPE][round]);

/** Of each round: what a result that is shaped takes more than the pipe alone and shaping alone. */
export const moreThanShaping = (samples, pump) =>
  more(samples, pump).map((took, round) => took - samples[SHAPING][round]);

export function targets({ latency, throughput }, pumps) {
  const list = [];
  for (const pump of pumps) {
    const passing = spread(more(latency.ping, pump));
    list.push({
      name: `${pump}: milliseconds more, a message that passes`,
      wanted: `≤ ${PASSES}`,
      found: passing,
      holds: passing.middle <= PASSES,
    });
    const shaped = spread(moreThanShaping(latency.rows, pump));
    list.push({
      name: `${pump}: milliseconds more than shaping, a result that is shaped`,
      wanted: `≤ ${SHAPED}`,
      found: shaped,
      holds: shaped.middle <= SHAPED,
    });
    const share = spread(throughput[FLOW][pump].map((perSecond, round) => perSecond / throughput[FLOW][PIPE][round]));
    list.push({
      name: `${pump}: messages of 100 bytes, of what the pipe alone carries`,
      wanted: "≥ 0.33",
      found: share,
      holds: share.middle >= SHARE,
    });
  }
  return list;
}
