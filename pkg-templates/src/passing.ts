// The texts that pass whatever the call is. What decides that but the text is the same for one tool and one client, so the core
// finds it out once, and writes their first receipt: the others differ in their size and duration alone.

import type { Exports } from "./core.js";
import { readReceipt } from "./shaped.js";
import type { Receipt } from "./types.js";

/** The most tools and clients that are remembered: a server has few tools, but its clients name themselves. */
const MOST = 1000;
/** Of the size of a text as the core tells it, the part that is its bytes. */
const BYTE_BITS = 16;

/** What is known of one tool and one client. */
interface Known {
  /** The core's handle of what decides; undefined where nothing passes without its call. */
  readonly handle: number | undefined;
  receipt: Receipt | undefined;
}

type ByClient = Map<string | undefined, Known>;
type ByTool = Map<string | undefined, ByClient>;

/** Which texts pass, in one instance of the core. */
export class Passing {
  readonly #exports: Exports;
  readonly #known = new Map<number, ByTool>();
  #size = 0;

  constructor(exports: Exports) {
    this.#exports = exports;
  }

  /** The receipt of a text, if it passes. */
  receipt(shaper: number, text: string, tool: string | undefined, client: string | undefined, startedAt: number): Receipt | undefined {
    const known = this.#known.get(shaper)?.get(tool)?.get(client) ?? this.#ask(shaper, tool, client);
    if (known.handle === undefined) return undefined;
    const size = this.#exports.passText(known.handle, text);
    if (size === undefined) return undefined;
    const first = (known.receipt ??= readReceipt(this.#exports.passReceipt(known.handle, text) as string, 0));
    const tokens = size >>> BYTE_BITS;
    const bytes = size & (2 ** BYTE_BITS - 1);
    return { ...first, steps: [], tokensBefore: tokens, tokensAfter: tokens, bytes, durationMs: performance.now() - startedAt };
  }

  /** Forgets all, because the shapers have other handles from now on. */
  forget(): void {
    this.#exports.forgetPassing();
    this.#known.clear();
    this.#size = 0;
  }

  #ask(shaper: number, tool: string | undefined, client: string | undefined): Known {
    if (this.#size === MOST) this.forget();
    const known = { handle: this.#exports.passing(shaper, tool, client), receipt: undefined };
    const byTool: ByTool = this.#known.get(shaper) ?? new Map();
    const byClient: ByClient = byTool.get(tool) ?? new Map();
    this.#known.set(shaper, byTool.set(tool, byClient.set(client, known)));
    this.#size++;
    return known;
  }
}
