import type { Outcome } from "./core.js";
import type { Keep, Receipt } from "./types.js";

/** The receipt that the core wrote, and how long it took. */
export function readReceipt(json: string, durationMs: number): Receipt {
  return { ...(JSON.parse(json) as Receipt), durationMs };
}

/** A result that passes as it is, and is measured once somebody wants to know. */
export interface Passed extends Omit<Outcome, "receipt"> {
  receipt(this: void): string;
}

/** One result, shaped. */
export class Shaped {
  /** What the model reads: JSON, or the tool's own text where that passed unchanged. */
  readonly text: string;
  /** Whether the result passed as it was: `value` is then the tool's own. */
  readonly unchanged: boolean;
  /** Whether the result explains an error instead of carrying data. */
  readonly isError: boolean;
  /** What has to be in the store before the result is told, because it tells of it; null if nothing has. */
  readonly keep: Keep | null;
  #value: unknown;
  #isRead: boolean;
  readonly #measured: string | (() => string);
  readonly #durationMs: number;
  #receipt: Receipt | undefined;

  /** @internal */
  constructor({ text, unchanged, isError, receipt, keep }: Outcome | Passed, startedAt: number, own?: { value: unknown }, given?: string) {
    this.text = text;
    this.unchanged = unchanged;
    this.isError = isError;
    this.keep = keep && { ...keep, content: keep.content ?? given ?? "" };
    this.#isRead = unchanged && own !== undefined;
    this.#value = this.#isRead ? own?.value : undefined;
    this.#measured = receipt;
    this.#durationMs = performance.now() - startedAt;
  }

  /** What was done and what it weighs. */
  get receipt(): Receipt {
    const measured = this.#measured;
    return (this.#receipt ??= readReceipt(typeof measured === "string" ? measured : measured(), this.#durationMs));
  }

  /** Tokens of `text`. */
  get tokens(): number {
    return this.receipt.tokensAfter;
  }

  /** The result as a value: the tool's own if `unchanged`, else what `text` says, read at the first access. */
  get value(): unknown {
    if (!this.#isRead) {
      this.#value = JSON.parse(this.text);
      this.#isRead = true;
    }
    return this.#value;
  }
}
