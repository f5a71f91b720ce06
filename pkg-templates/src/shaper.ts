import { run } from "./core.js";
import { checkText, optionsText } from "./options.js";
import { Shaped } from "./shaped.js";
import type { Call, Policy } from "./types.js";

/** Shapes results under one policy. */
export class Shaper {
  readonly #policy: string;

  /**
   * @throws {ToolshapeError} `INVALID_POLICY` for an unknown option, a wrong type or a value out of range.
   */
  constructor(policy: Policy = {}) {
    this.#policy = optionsText(policy, "INVALID_POLICY");
    run((core) => core.shaper(this.#policy));
  }

  /**
   * Shapes a value; a string is shaped as text. Nothing is read of the value but what is shown, and lengths.
   *
   * @throws {ToolshapeError} `INVALID_CALL`, `UNSUPPORTED_VALUE`, `TOO_DEEP`.
   */
  shape(value: unknown, call: Call = {}): Shaped {
    const startedAt = performance.now();
    const asked = optionsText(call, "INVALID_CALL");
    const outcome = run((core) => core.exports.shape(core.shaper(this.#policy), value, asked));
    return new Shaped(outcome, startedAt, { value });
  }

  /**
   * Shapes a JSON text: numbers and keys come out as they are spelled in it.
   *
   * @throws {ToolshapeError} `INVALID_JSON` with line and column, `INVALID_CALL`, `TOO_DEEP`.
   */
  shapeJson(text: string, call: Call = {}): Shaped {
    const startedAt = performance.now();
    const json = escapeLoneSurrogates(checkText(text, "text"));
    const asked = optionsText(call, "INVALID_CALL");
    const outcome = run((core) => core.exports.shapeJson(core.shaper(this.#policy), json, asked));
    return new Shaped(outcome, startedAt);
  }

  /**
   * The result that tells the model of an upstream's rate limit, if that is what a client threw: HTTP
   * status 429, also in a response, in a chain of causes or in an `AggregateError`. Null for everything else.
   *
   * A Retry-After that is a date counts from `now`, in seconds since 1970.
   *
   * @throws {ToolshapeError} `INVALID_CALL`; never for what the error is.
   */
  rateLimit(error: unknown, call: Call = {}, now: number = Date.now() / 1000): Shaped | null {
    const startedAt = performance.now();
    const asked = optionsText(call, "INVALID_CALL");
    const outcome = run((core) => core.exports.rateLimit(core.shaper(this.#policy), error, asked, now));
    return outcome && new Shaped(outcome, startedAt);
  }
}

/** JSON text whose lone surrogates, which the way into the core would replace, are escaped. */
function escapeLoneSurrogates(json: string): string {
  if (json.isWellFormed?.() ?? !LONE_SURROGATE.test(json)) return json;
  return json.replace(new RegExp(LONE_SURROGATE, "gu"), (lone) => `\\u${lone.charCodeAt(0).toString(16)}`);
}

const LONE_SURROGATE = /\p{Surrogate}/u;
