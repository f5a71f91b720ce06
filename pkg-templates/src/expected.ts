import { call } from "./core.js";
import { described } from "./options.js";
import type { Encoding } from "./types.js";

/** What a test expects of a tool's result. */
export interface ExpectedResult {
  /** Tokens of each channel, `content` and `structuredContent`. Default 2000. */
  readonly maxTokens?: number | undefined;
  /** Fields that an object in the result has: `author.name` or `/author/name`. Default: none. */
  readonly fields?: readonly string[] | undefined;
  /** A client, whose limit of tokens also applies. Default: none. */
  readonly client?: string | undefined;
  /** Default `o200k_base`. */
  readonly encoding?: Encoding | undefined;
  /** Whether the result is an error. Default false. */
  readonly isError?: boolean | undefined;
}

/**
 * For tests of a server: checks that the result of a tool, as a client got it, fits, and shows certain fields.
 *
 * @throws an error with all that is not as expected; {@link ToolshapeError} `INVALID_CALL` for what cannot be expected.
 */
export function assertFits(result: object, expected: ExpectedResult = {}): void {
  const unmet = call<string[]>("unmet", { result, expected: described(expected) });
  if (unmet.length > 0) throw new Error(unmet.join("; "));
}
