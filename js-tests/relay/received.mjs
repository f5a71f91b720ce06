/** What one side has received so far, and waiting for more of it. */
import assert from "node:assert/strict";

/** The longest that a test waits, in milliseconds. It says nothing of how quick a pump is: what has not come by then, never comes. */
export const PATIENCE = Number(process.env.TOOLSHAPE_PATIENCE ?? 60_000);

export class Received {
  #pieces = [];
  #waiting = new Set();
  length = 0;
  ended = false;

  constructor(stream, name) {
    this.name = name;
    stream.on("data", (piece) => {
      this.#pieces.push(piece);
      this.length += piece.length;
      this.#look();
    });
    const end = () => {
      this.ended = true;
      this.#look();
    };
    stream.on("end", end).on("close", end).on("error", end);
  }

  #look() {
    for (const look of this.#waiting) look();
  }

  /** All of it, as bytes. */
  bytes() {
    if (this.#pieces.length > 1) this.#pieces = [Buffer.concat(this.#pieces)];
    return this.#pieces[0] ?? Buffer.alloc(0);
  }

  /** The lines that are whole, as text without their ends. */
  lines() {
    return this.bytes().toString().split("\n").slice(0, -1);
  }

  /** Waits until this holds, or until nothing more can come. */
  async until(holds, wanted) {
    await new Promise((resolve, reject) => {
      const look = () => (holds(this) || this.ended) && done(resolve);
      const late = setTimeout(
        () => done(() => reject(new Error(`${this.name} has no ${wanted}: ${this.#tail()}`))),
        PATIENCE,
      );
      const done = (how) => {
        clearTimeout(late);
        this.#waiting.delete(look);
        how();
      };
      this.#waiting.add(look);
      look();
    });
    assert.ok(holds(this), `${this.name} ended without ${wanted}: ${this.#tail()}`);
    return this;
  }

  bytesCount(count) {
    return this.until(({ length }) => length >= count, `${count} bytes`);
  }

  linesCount(count) {
    return this.until(() => this.lines().length >= count, `${count} lines`);
  }

  toEnd() {
    return this.until(({ ended }) => ended, "end");
  }

  #tail() {
    return `${this.length} bytes, the last of them ${JSON.stringify(this.bytes().subarray(-300).toString())}`;
  }
}
