/** Figures out of samples: every ratio is made within a round, and reported as its median and the spread of the rounds. */

export const median = (values) => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

/** Of one figure for every round: the median, and the quarter and the three quarters of the rounds. */
export function spread(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.round((sorted.length - 1) * share)];
  return { middle: median(values), low: at(0.25), high: at(0.75) };
}

/** One contender's time over another's, round by round. */
export function ratio(samples, over) {
  return spread(samples.map((sample, round) => sample / over[round]));
}

/** A number as people read it: three digits that count. */
export function show(value) {
  if (value === 0) return "0";
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toLocaleString("en", { maximumFractionDigits: Math.min(digits, 4) });
}

export const showSpread = ({ middle, low, high }) => `${show(middle)} (${show(low)} to ${show(high)})`;
export const megabytes = (bytes) => `${show(bytes / 1e6)} MB`;
