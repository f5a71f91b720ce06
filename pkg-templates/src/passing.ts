// The texts that pass whatever the call is. What decides that but the text is the same for one tool and one client, so the core
// finds it out once.

import type { Exports } from "./core.js";
import { readReceipt } from "./shaped.js";
import type { Receipt } from "./types.js";

/** The most tools and clients that are remembered: a server has few tools, but its clients name themselves. */
const MOST = 1000;

/** Texts of one tool for one client. */
export interface PassingTexts {
  /** The core's handle of what decides which of them pass. */
  readonly handle: number;
  /** The receipt of an empty text: the others differ in their size and duration alone. */
  readonly receipt: Receipt;
}

/** Null where no text passes without its call. */
type ByClient = Map<string | undefined, PassingTexts | null>;
type ByTool = Map<string | undefined, ByClient>;

/** Which texts pass, in one instance of the core. */
export class Passing {
  readonly #exports: Exports;
  readonly #known = new Map<number, ByTool>();
  #size = 0;

  constructor(exports: Exports) {
    this.#exports = exports;
  }

  /** What is known of one tool and one client. */
  of(shaper: number, tool: string | undefined, client: string | undefined): PassingTexts | null {
    const known = this.#known.get(shaper)?.get(tool)?.get(client);
    return known === undefined ? this.#ask(shaper, tool, client) : known;
  }

  /** Forgets all, because the shapers have other handles from now on. */
  forget(): void {
    this.#exports.forgetPassing();
    this.#known.clear();
    this.#size = 0;
  }

  #ask(shaper: number, tool: string | undefined, client: string | undefined): PassingTexts | null {
    if (this.#size === MOST) this.forget();
    const handle = this.#exports.passing(shaper, tool, client);
    const texts =
      handle === undefined ? null : { handle, receipt: readReceipt(this.#exports.passReceipt(handle) as string, 0) };
    const byTool: ByTool = this.#known.get(shaper) ?? new Map();
    const byClient: ByClient = byTool.get(tool) ?? new Map();
    this.#known.set(shaper, byTool.set(tool, byClient.set(client, texts)));
    this.#size++;
    return texts;
  }
}
