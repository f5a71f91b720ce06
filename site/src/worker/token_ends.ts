// Where tokens end in a text, in UTF-16 units, as the page draws them.

/**
 * The end of each token. A token that ends inside a character ends after it, so that each character is drawn once: the
 * tokens that share it have the same end.
 */
export function tokenEnds(text: string, tokens: Uint32Array, bytesOf: (token: number) => number): Uint32Array {
  const ends = new Uint32Array(tokens.length);
  let [bytes, at, reached] = [0, 0, 0];
  tokens.forEach((token, nth) => {
    bytes += bytesOf(token);
    while (reached < bytes && at < text.length) {
      const point = text.codePointAt(at) as number;
      reached += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
      at += point < 0x10000 ? 1 : 2;
    }
    ends[nth] = at;
  });
  return ends;
}
