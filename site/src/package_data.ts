// The place where the scripts of the npm package's `data` folder put their texts.

export function packageData(): Record<string, string> {
  const global = globalThis as unknown as Record<symbol, Record<string, string> | undefined>;
  return (global[Symbol.for("toolshape.data")] ??= {});
}
