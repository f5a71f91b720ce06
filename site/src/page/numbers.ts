// Numbers as the page says them.

const WHOLE = new Intl.NumberFormat("en-US");

export const number = (value: number): string => WHOLE.format(value);

export const tokens = (value: number): string => `${number(value)} ${value === 1 ? "token" : "tokens"}`;

export function bytes(size: number): string {
  if (size < 1000) return `${size} bytes`;
  return size < 1e6 ? `${(size / 1e3).toPrecision(3)} KB` : `${(size / 1e6).toFixed(1)} MB`;
}

/** A part of a window: in percent, or in windows where it is more than one. */
export function share(part: number, whole: number): string {
  const ratio = part / whole;
  if (ratio >= 1) return `${ratio.toFixed(1)} windows`;
  return ratio < 0.001 ? "under 0.1 % of the window" : `${(100 * ratio).toPrecision(2)} % of the window`;
}
