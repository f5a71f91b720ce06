// Tasks of protocol 2025-11-25: a call may be answered by a task, and then tasks/result tells what the tool returned.

import type { Arguments, Plan } from "./adapter.js";

/** A call that is answered by a task. */
export interface Asked {
  readonly plan: Plan;
  readonly given: Arguments;
}

/** The calls that are remembered, of which the oldest are forgotten: a task that is never asked for stays no burden. */
const REMEMBERED = 1000;

/** Which call each task answers. */
export class Tasks {
  readonly #asked = new Map<string, Asked>();

  /** Remembers the call that a result answers, if the result is a task. */
  remember(result: unknown, asked: Asked): void {
    const id = (result as { task?: { taskId?: string } } | undefined)?.task?.taskId;
    if (id === undefined) return;
    this.#asked.set(id, asked);
    for (const oldest of this.#asked.keys()) {
      if (this.#asked.size <= REMEMBERED) break;
      this.#asked.delete(oldest);
    }
  }

  /** The call that a task answers; undefined where it is forgotten, or was made of another server. */
  of(id: string | undefined): Asked | undefined {
    return id === undefined ? undefined : this.#asked.get(id);
  }
}
