// Inflating what the package brings deflated (RFC 1951): the host's own code where it can be had at once, which in
// browsers it cannot, else the function below. What it reads is of this package's making, so nothing is checked.

type Bytes = Uint8Array<ArrayBuffer>;

/** The content of a raw deflate stream. */
export function inflate(packed: Bytes): Bytes {
  const { process } = globalThis as { process?: { getBuiltinModule?(name: string): { inflateRawSync?(packed: Bytes): Bytes } | undefined } };
  const native = process?.getBuiltinModule?.("node:zlib")?.inflateRawSync;
  return native === undefined ? inflateHere(packed) : native(packed);
}

/** The longest code, in bits. */
const LONGEST = 15;
/** In which order the lengths of the codes of lengths come. */
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/** The same where the host has nothing for it. */
export function inflateHere(packed: Bytes): Bytes {
  let out = new Uint8Array(4 * packed.length + 64);
  let length = 0;
  let at = 0;
  let [bits, held] = [0, 0];
  const fill = (count: number): void => {
    for (; held < count; held += 8) bits |= (packed[at++] ?? 0) << held;
  };
  const take = (count: number): number => {
    fill(count);
    const taken = bits & ((1 << count) - 1);
    bits >>>= count;
    held -= count;
    return taken;
  };
  const symbol = (table: Uint16Array): number => {
    fill(LONGEST);
    const entry = table[bits & ((1 << LONGEST) - 1)] as number;
    bits >>>= entry & 15;
    held -= entry & 15;
    return entry >> 4;
  };
  const room = (more: number): void => {
    if (length + more <= out.length) return;
    const larger = new Uint8Array(2 * out.length + more);
    larger.set(out);
    out = larger;
  };

  for (let isLast = false; !isLast; ) {
    isLast = take(1) === 1;
    const kind = take(2);
    if (kind === 0) {
      take(held & 7);
      const count = take(16);
      take(16);
      room(count);
      for (let end = length + count; length < end; ) out[length++] = take(8);
      continue;
    }
    const [letters, distances] = kind === 1 ? fixed() : dynamic(take, symbol);
    for (let letter; (letter = symbol(letters)) !== 256; ) {
      room(258);
      if (letter < 256) {
        out[length++] = letter;
        continue;
      }
      const size = letter === 285 ? 258 : 3 + spread(letter - 257, 4, take);
      const back = 1 + spread(symbol(distances), 2, take);
      for (let end = length + size; length < end; length++) out[length] = out[length - back] as number;
    }
  }
  return out.subarray(0, length);
}

/** The number that a symbol and the bits behind it stand for, where `steps` symbols share a count of bits. */
function spread(symbol: number, steps: 2 | 4, take: (count: number) => number): number {
  const extra = Math.floor(symbol / steps) - 1;
  return extra < 1 ? symbol : ((steps + (symbol % steps)) << extra) + take(extra);
}

function fixed(): [Uint16Array, Uint16Array] {
  const letters = Array.from({ length: 288 }, (_, letter) => (letter < 144 ? 8 : letter < 256 ? 9 : letter < 280 ? 7 : 8));
  return [tableOf(letters), tableOf(new Array<number>(30).fill(5))];
}

function dynamic(take: (count: number) => number, symbol: (table: Uint16Array) => number): [Uint16Array, Uint16Array] {
  const [letters, distances, named] = [257 + take(5), 1 + take(5), 4 + take(4)];
  const ofLengths = new Array<number>(19).fill(0);
  for (const length of ORDER.slice(0, named)) ofLengths[length] = take(3);
  const table = tableOf(ofLengths);
  const lengths: number[] = [];
  while (lengths.length < letters + distances) {
    const length = symbol(table);
    if (length < 16) lengths.push(length);
    else if (length === 16) repeat(lengths, lengths.at(-1) as number, 3 + take(2));
    else repeat(lengths, 0, length === 17 ? 3 + take(3) : 11 + take(7));
  }
  return [tableOf(lengths.slice(0, letters)), tableOf(lengths.slice(letters))];
}

function repeat(lengths: number[], length: number, times: number): void {
  for (; times > 0; times--) lengths.push(length);
}

/** For all bits that may come next: the symbol whose code they begin with, times 16, and the length of that code. */
function tableOf(lengths: number[]): Uint16Array {
  const table = new Uint16Array(1 << LONGEST);
  let code = 0;
  for (let length = 1; length <= LONGEST; length++, code <<= 1) {
    for (const [symbol, of] of lengths.entries()) {
      if (of !== length) continue;
      let first = 0;
      for (let bit = 0; bit < length; bit++) first |= ((code >> bit) & 1) << (length - 1 - bit);
      for (let at = first; at < table.length; at += 1 << length) table[at] = (symbol << 4) | length;
      code++;
    }
  }
  return table;
}
