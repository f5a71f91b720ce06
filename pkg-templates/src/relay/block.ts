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

/** Puts the chunks of one side together to blocks. */
export class Lines {
  /** The begin of a line whose end is not yet there. */
  #begun: Uint8Array[] = [];

  /** The lines that end in a chunk; null if none does. */
  take(chunk: Uint8Array): Block | null {
    const end = chunk.lastIndexOf(LINE_END) + 1;
    if (end === 0) {
      this.#begun.push(chunk);
      return null;
    }
    const block = new Block([...this.#begun, chunk.subarray(0, end)]);
    this.#begun = end < chunk.length ? [chunk.subarray(end)] : [];
    return block;
  }

  /** What came after the last end of a line, when the side has ended. */
  rest(): Block | null {
    const begun = this.#begun;
    this.#begun = [];
    return begun.length > 0 ? new Block(begun) : null;
  }
}
