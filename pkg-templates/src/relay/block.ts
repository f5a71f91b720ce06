// The lines of one side, as the chunks in which they came: bytes are never made into text, nor copied to be joined.

export const LINE_END = 0x0a;

/** Whole lines, each with its end; only the last line of a side may have none. */
export class Block {
  readonly length: number;

  constructor(readonly pieces: readonly Uint8Array[]) {
    this.length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  }

  /** A part of the bytes. */
  cut(from: number, to: number): readonly Uint8Array[] {
    if (from === 0 && to === this.length) return this.pieces;
    const parts: Uint8Array[] = [];
    let at = 0;
    for (const piece of this.pieces) {
      const part = piece.subarray(Math.max(from - at, 0), Math.max(to - at, 0));
      if (part.length > 0) parts.push(part);
      at += piece.length;
    }
    return parts;
  }
}

/** A part of a line that is longer than the most that is held, and whether it is the last. */
export interface LongPart {
  readonly part: Uint8Array;
  readonly isEnd: boolean;
}

/** Puts the chunks of one side together to blocks. */
export class Lines {
  /** The bytes of the longest line. */
  readonly #most: number;
  /** The begin of a line whose end is not yet there. */
  #begun: Uint8Array[] = [];
  #begunBytes = 0;
  /** Whether the line has more bytes. */
  #isLong = false;

  constructor(most = Infinity) {
    this.#most = most;
  }

  /** What a chunk ends: the rest of a long line, and whole lines. */
  *take(chunk: Uint8Array): Generator<Block | LongPart> {
    let rest = chunk;
    if (this.#isLong) {
      const end = rest.indexOf(LINE_END) + 1;
      this.#isLong = end === 0;
      yield { part: end === 0 ? rest : rest.subarray(0, end), isEnd: end > 0 };
      if (end === 0) return;
      rest = rest.subarray(end);
    }
    const end = rest.lastIndexOf(LINE_END) + 1;
    if (end > 0) {
      const block = new Block([...this.#begun, rest.subarray(0, end)]);
      [this.#begun, this.#begunBytes] = [[], 0];
      yield block;
      rest = rest.subarray(end);
    }
    if (rest.length === 0) return;
    this.#begun.push(rest);
    this.#begunBytes += rest.length;
    if (this.#begunBytes <= this.#most) return;
    const pieces = this.#begun;
    [this.#begun, this.#begunBytes, this.#isLong] = [[], 0, true];
    for (const part of pieces) yield { part, isEnd: false };
  }

  /** What came after the last end of a line, when the side has ended. */
  *rest(): Generator<Block | LongPart> {
    if (this.#isLong) yield { part: new Uint8Array(), isEnd: true };
    if (this.#begun.length > 0) yield new Block(this.#begun);
    [this.#begun, this.#begunBytes, this.#isLong] = [[], 0, false];
  }
}
