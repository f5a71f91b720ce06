// The receipts of results that pass: those of one tool and one client differ only in their size and duration, so the core
// writes the first one.

import type { Receipt } from "./types.js";

/** The most that are remembered: a server has few tools, but its clients name themselves. */
const MOST = 1000;

/** Receipts by tool and client. */
export class PassReceipts {
  #known = new Map<string | undefined, Map<string | undefined, Receipt>>();
  #size = 0;

  /** A receipt of the tool and the client; `make` makes the first one. */
  of(tool: string | undefined, client: string | undefined, make: () => Receipt): Receipt {
    const known = this.#known.get(tool)?.get(client);
    if (known) return known;
    const made = make();
    if (this.#size === MOST) {
      this.#known.clear();
      this.#size = 0;
    }
    if (!this.#known.has(tool)) this.#known.set(tool, new Map());
    this.#known.get(tool)?.set(client, made);
    this.#size++;
    return made;
  }
}
