/** End-to-end figures, from the samples of both languages: each a ratio within a round. */
import { ratio } from "../figures.mjs";

/** The parts of each call, apart from writing to the store. */
const PARTS = {
  shapeJson: { shaping: "shapeJson", parts: [] },
  "shapeJson of an envelope": { shaping: "shapeJson", parts: [] },
  "shapeJson of three lists": { shaping: "shapeJson of three lists", parts: [] },
  shape: { shaping: "shape", parts: [], storing: ["JSON.stringify"] },
  "a text": { shaping: "shapeJson", parts: [] },
  "a text and structured": { shaping: "shapeJson", parts: ["JSON.stringify"] },
  "three texts": { shaping: "shapeJson of three lists", parts: [] },
  "output schema, widened": { shaping: "shapeJson", parts: ["JSON.stringify"] },
  "output schema, preserved": { shaping: "shapeJson", parts: ["JSON.stringify"] },
};
export const WORKS = Object.keys(PARTS);

/** The names of the parts of a work in a store. */
function partsOf(work, store) {
  const { shaping, parts, storing = [] } = PARTS[work];
  const own = [`${shaping}, no store`, ...parts];
  return store === "no store" ? own : [...own, ...storing, "SHA-256", `set, ${store}`];
}

/** The time of a work over the sum of its parts; none for what is a part itself. */
export function overParts(milliseconds, work, store) {
  const [parts, samples] = [partsOf(work, store), milliseconds[`${work}, ${store}`]];
  if (samples === undefined || parts[0] === `${work}, ${store}`) return undefined;
  return ratio(
    samples,
    samples.map((_, round) => parts.reduce((sum, name) => sum + milliseconds[name][round], 0)),
  );
}

/**
 * The most resident bytes in each half of the time, of samples ten times a second: with a garbage collector it goes up and down
 * all the time, and what grows has more at its most. None where the system does not report it.
 */
export function mostInHalves(resident) {
  if (resident.includes(null)) return undefined;
  const middle = Math.ceil(resident.length / 2);
  return [resident.slice(0, middle), resident.slice(middle)].map((half) => Math.max(...half));
}

/** One server's time over that of the naive one, call by call. */
export function overNaive({ milliseconds }, how) {
  return milliseconds[how] && ratio(milliseconds[how], milliseconds.naive);
}
