import type { Outcome } from "./core.js";
import { plain } from "./expand.js";
import type { Keep, Receipt } from "./types.js";

/** An object that `JSON.stringify` writes as what the model reads: it also has the original, which may be of any size. */
export function writtenAs<T extends object>(object: T, written: unknown): T {
  return Object.defineProperty(object, "toJSON", { value: () => written });
}

/** The core's receipt with its duration. */
export function readReceipt(json: string, durationMs: number): Receipt {
  return { ...(JSON.parse(json) as Receipt), durationMs };
}

/** A result that passes unchanged. It is measured at the first access to its receipt. */
export interface Passed extends Omit<Outcome, "receipt"> {
  receipt(this: void): string;
}

/** One shaped result; `Value` is its type unless it is an error. */
export class Shaped<Value = unknown> {
  /** What the model reads: JSON, or the tool's own text if it passed unchanged. */
  readonly text: string;
  /** Whether the result passed unchanged: `value` is then the tool's own. */
  readonly unchanged: boolean;
  /** Whether the result explains an error instead of containing data. */
  readonly isError: boolean;
  /**
   * What must be written to the store before the result is returned, because the result refers to it; null if there is
   * nothing to store.
   */
  readonly keep: Keep | null;
  /** The block of a stored image that `read_result` shows, as JSON text; `text` only describes it. Null for anything else. */
  readonly image: string | null;
  #value: unknown;
  #isRead: boolean;
  readonly #measured: string | (() => string);
  readonly #durationMs: number;
  #receipt: Receipt | undefined;

  /** @internal */
  constructor(
    { text, unchanged, isError, receipt, keep, image = undefined }: Outcome | Passed,
    startedAt: number,
    own?: { value: unknown },
    given?: string,
  ) {
    this.text = text;
    this.unchanged = unchanged;
    this.isError = isError;
    this.keep = keep && { ...keep, content: keep.content ?? given ?? "" };
    this.image = image ?? null;
    this.#isRead = unchanged && own !== undefined;
    this.#value = this.#isRead ? own?.value : undefined;
    this.#measured = receipt;
    this.#durationMs = performance.now() - startedAt;
  }

  /** The steps that were applied and the size of the result. */
  get receipt(): Receipt {
    const measured = this.#measured;
    return (this.#receipt ??= readReceipt(typeof measured === "string" ? measured : measured(), this.#durationMs));
  }

  /** Tokens of `text`. */
  get tokens(): number {
    return this.receipt.tokensAfter;
  }

  /**
   * The result as a value: the tool's own if `unchanged`, else parsed from `text` at the first access, out of the dense form
   * if it has that. Numbers that are not exact here are texts.
   */
  get value(): Value {
    if (!this.#isRead) {
      this.#value = JSON.parse(exact(this.unchanged ? this.text : plain(this.text)));
      this.#isRead = true;
    }
    return this.#value as Value;
  }

  /** What `JSON.stringify` writes: what the model reads, without what is to be stored. */
  toJSON(): unknown {
    if (typeof this.value === "string") return this.value;
    try {
      return JSON.parse(exact(this.text));
    } catch {
      // A date, or bytes.
      return this.text;
    }
  }
}

/** Texts without these have no number beyond all doubles, and no whole number that is not exact. */
const LONG = /[eE]\+?[0-9]{3}|[0-9]{16}/;
/** A string or a number in JSON text. */
const TOKEN = /"(?:[^"\\]+|\\.)*"|-?[0-9][0-9.eE+-]*/g;

/** JSON text in which numbers beyond all doubles, and whole numbers that are not exact here, are texts. */
export function exact(json: string): string {
  const isExact = (spelled: string): boolean =>
    /^-?[0-9]+$/.test(spelled) ? Number.isSafeInteger(Number(spelled)) : Number.isFinite(Number(spelled));
  const written = (token: string): string => (token.startsWith('"') || isExact(token) ? token : JSON.stringify(token));
  return LONG.test(json) ? json.replace(TOKEN, written) : json;
}
