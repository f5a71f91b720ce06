// Tasks of protocol 2025-11-25: a call may be answered by a task; tasks/result then returns what the tool returned.

import type { Arguments, Plan } from "./adapter.js";

/** A call that is answered by a task. */
export interface Asked {
  readonly plan: Plan;
  readonly given: Arguments;
}

/**
 * The most calls that are remembered. The oldest are dropped, so that tasks that are never fetched do not use memory
 * for ever.
 */
const REMEMBERED = 1000;

/** The call of each task. */
export class Tasks {
  readonly #asked = new Map<string, Asked>();

  /** Remembers the call of a result, if the result is a task. */
  remember(result: unknown, asked: Asked): void {
    const id = (result as { task?: { taskId?: string } } | undefined)?.task?.taskId;
    if (id === undefined) return;
    this.#asked.set(id, asked);
    for (const oldest of this.#asked.keys()) {
      if (this.#asked.size <= REMEMBERED) break;
      this.#asked.delete(oldest);
    }
  }

  /** The call of a task; undefined if it was dropped, or another server received it. */
  of(id: string | undefined): Asked | undefined {
    return id === undefined ? undefined : this.#asked.get(id);
  }
}
