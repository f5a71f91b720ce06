// Carries out what the core's sessions ask for: the texts in their slots, the store, and the author's functions.

import type { Authorize } from "./archive.js";
import { call as callCore, type Content, type Input, type Redacts } from "./core.js";
import { ToolshapeError } from "./error.js";
import type { Members } from "./request.js";
import type { Shaper } from "./shaper.js";
import { askSql, type SqlQuestion } from "./sql.js";
import type { Kept } from "./stores/kept.js";
import type { Call, ErrorCode, Keep } from "./types.js";

/** The number of a text that is held here. */
type Slot = number;

type Effect =
  | { readonly do: "get"; readonly key: string; readonly to: Slot }
  | { readonly do: "set"; readonly key: string; readonly from: Slot; readonly owner: string | null }
  | { readonly do: "redact"; readonly from: readonly Slot[]; readonly to: Slot }
  | { readonly do: "allow"; readonly tool: string }
  | { readonly do: "ask"; readonly question: SqlQuestion; readonly sources: readonly AskedSource[]; readonly to: Slot };

type AskedSource =
  | { readonly handle: string; readonly key: string; readonly content: Slot }
  | { readonly handle: string; readonly code: ErrorCode; readonly message: string };

type Heard = "there" | "absent" | { readonly failed: string };

/** What the core asks for next, and the slots that the step after it reads. */
interface Turn {
  readonly state: string;
  readonly reads: readonly Slot[];
  readonly slots: number;
  readonly texts: readonly (readonly [Slot, string])[];
}

/** A turn of a read. */
interface ReadTurn extends Turn {
  readonly effects: readonly Effect[];
}

/** A turn of results that are kept. */
interface KeepTurn extends Turn {
  readonly shape?: readonly (Input & { readonly contents: readonly Slot[] })[];
  readonly whole?: readonly number[];
  readonly effects?: readonly Effect[];
  readonly faults: readonly { readonly code: ErrorCode; readonly message: string; readonly path: string }[];
  readonly ends: boolean;
}

/** Members of a step; `whole` names slots that it reads. */
type StepMembers = Members & {
  readonly whole?: readonly { readonly contents: readonly (readonly [Slot, boolean])[] }[];
};

interface ToStore extends Omit<Keep, "id" | "content" | "images"> {
  readonly content: Slot;
  readonly images: ToStore | null;
}

/** The input of shaping: what the tool returned, or `contents`. */
export interface Source extends Input {
  readonly contents: string[];
  readonly call: Call;
}

/** Returns all that `redact` is to see of a result, which may have been shaped before. */
export type Whole = (call: Call, keep: Keep | null) => Content[];

/** What the author gives: functions, and what is declared as secret. */
interface Given {
  readonly redact?: ((content: string) => string | Promise<string>) | undefined;
  readonly redactFields?: readonly string[] | undefined;
  readonly redactTexts?: readonly string[] | undefined;
  readonly authorize?: Authorize | undefined;
}

/** One read of the store, or results that are kept together. */
export class Session {
  readonly #shaper: Shaper;
  readonly #kept: Kept;
  readonly #given: Given;
  readonly #slots: (string | undefined)[] = [];

  constructor(shaper: Shaper, kept: Kept, given: Given) {
    [this.#shaper, this.#kept, this.#given] = [shaper, kept, given];
  }

  /**
   * What is read for a call, and the text that it was read from.
   *
   * @throws {ToolshapeError} the errors of the core.
   */
  async read<Read>(reads: string, call: Call): Promise<{ read: Read; content: string | undefined }> {
    const authorizes = this.#given.authorize !== undefined;
    let turn = this.#step<ReadTurn | { readonly done: Read }>("read", undefined, { reads, authorizes, call });
    let content: string | undefined;
    while (!("done" in turn)) {
      const heard = await this.#perform(turn.effects);
      content = this.#slots[turn.reads[0] ?? 0];
      turn = this.#step<ReadTurn | { readonly done: Read }>("read", turn, { call, heard });
    }
    return { read: turn.done, content };
  }

  /** Results that may be sent. `whole` returns all that `redact` is to see of one. */
  async keep<R extends { keep: Keep | null }>(
    calls: readonly Call[],
    redacts: Redacts | undefined,
    shape: (sources: Source[]) => R[],
    whole: (at: number, ...asked: Parameters<Whole>) => Content[],
  ): Promise<R[]> {
    const given = { calls: calls.map(returning) };
    const step = (turn: KeepTurn | undefined, members: StepMembers): KeepTurn =>
      this.#step<KeepTurn>("keep", turn, { ...given, ...members });
    let made: R[] = [];
    let turn = first(calls.length, redacts, () => step(undefined, { redacts }));
    for (;;) {
      if (turn.shape) {
        made = shape(turn.shape.map((input, at) => this.#source(input, calls[at] as Call)));
        // The end, because nothing is to be stored.
        if (made.every(({ keep }) => keep === null)) return made;
        turn = step(turn, { shaped: made.map(({ keep }) => keep && this.#toStore(keep)) });
      } else if (turn.whole) {
        // What cannot be read is refused as it is without `redact`.
        const wholes = turn.whole.map((at) => whole(at, calls[at] as Call, made[at]?.keep ?? null));
        const { redactFields = [], redactTexts = [] } = this.#given;
        turn = step(turn, {
          whole: wholes.map((contents) => this.#whole(contents)),
          secrets: { redactFields, redactTexts },
        });
      } else if (turn.effects) {
        const heard = await this.#perform(turn.effects);
        if (turn.ends && heard.every((one) => one === "there")) return made;
        turn = step(turn, { heard });
      } else return made;
      for (const { message, code, path } of turn.faults) this.#kept.reason(new ToolshapeError(code, message, path));
    }
  }

  /** The next turn after one. */
  #step<T extends Turn | { readonly done: unknown }>(method: string, turn: Turn | undefined, members: StepMembers): T {
    const reads = [
      ...(turn?.reads ?? []),
      ...(members.whole ?? []).flatMap(({ contents }) => contents.map(([at]) => at)),
    ];
    const given = [...new Set(reads)].filter((at) => this.#slots[at] !== undefined);
    const texts = given.map((at) => this.#slots[at] as string);
    const asked = turn && { state: turn.state, slots: this.#slots.length, given };
    const next = this.#shaper.step<T>(method, { ...members, ...asked }, turn && { texts });
    if ("state" in next) {
      this.#slots.length = next.slots;
      for (const [at, text] of next.texts) this.#slots[at] = text;
    }
    return next;
  }

  /** What was heard of effects, which are independent of each other. */
  async #perform(effects: readonly Effect[]): Promise<Heard[]> {
    // A store that is away fails to read and to write alike, which the author hears once.
    const failures = new Map<string, string>();
    const failed = ({ do: done }: Effect, error: unknown): Heard => {
      const name = String(error);
      const isAlike = done === "get" || done === "set";
      const reason = (isAlike ? failures.get(name) : undefined) ?? this.#kept.reason(error);
      failures.set(name, reason);
      return { failed: reason };
    };
    const hear = (effect: Effect): Promise<Heard> =>
      this.#carryOut(effect).catch((error: unknown) => failed(effect, error));
    if (!this.#kept.takesOne) return Promise.all(effects.map(hear));
    const heard: Heard[] = [];
    for (const effect of effects) heard.push(await hear(effect));
    return heard;
  }

  async #carryOut(effect: Effect): Promise<Heard> {
    switch (effect.do) {
      case "get":
        return this.#put(effect.to, await this.#kept.get(effect.key));
      case "set":
        await this.#kept.set(effect.key, this.#slots[effect.from] as string, effect.owner);
        return "there";
      case "redact": {
        const given = effect.from.map((at) => this.#slots[at] as string);
        const redacted = await Promise.all(given.map((text) => this.#redacted(text)));
        redacted.forEach((text, at) => this.#put(effect.to + at, text));
        return redacted.every((text, at) => text === given[at]) ? "absent" : "there";
      }
      case "allow":
        return (await this.#given.authorize?.(effect.tool)) === true ? "there" : "absent";
      case "ask": {
        const sources = effect.sources.map((source) =>
          "key" in source ? { ...source, content: this.#slots[source.content] as string } : source,
        );
        return this.#put(effect.to, await askSql(effect.question, sources));
      }
    }
  }

  async #redacted(text: string): Promise<string> {
    const redacted: unknown = await this.#given.redact?.(text);
    return typeof redacted === "string" ? redacted : callCore("noText", { what: "redact", type: typeof redacted });
  }

  #put(at: Slot, text: string | null): Heard {
    if (text === null) return "absent";
    this.#slots[at] = text;
    return "there";
  }

  #toStore({ key, ticket, owner, content, about, images }: Keep): ToStore {
    return {
      key,
      ticket,
      owner,
      about,
      content: this.#slots.push(content) - 1,
      images: images ? this.#toStore(images) : null,
    };
  }

  #whole(contents: Content[]): { contents: (readonly [Slot, boolean])[]; isFinal: boolean } {
    return {
      contents: contents.map(({ text, isJson }) => [this.#slots.push(text) - 1, isJson] as const),
      isFinal: this.#given.redact === undefined,
    };
  }

  #source({ contents, ...input }: Input & { readonly contents: readonly Slot[] }, call: Call): Source {
    const { redactFailure, storeFailure } = input;
    const store = storeFailure === null ? { store: true } : { storeFailure };
    return {
      ...input,
      contents: contents.map((at) => this.#slots[at] ?? ""),
      call: { ...call, ...(redactFailure === null ? store : { redactFailure }) },
    };
  }
}

/** What a ticket says of a call: which tool returned the content, and to whom. */
function returning({ tool, scope, session }: Call): Call {
  return { tool, scope, session };
}

/** The first turn, which depends on nothing else and is asked once. */
function first(count: number, redacts: Redacts | undefined, ask: () => KeepTurn): KeepTurn {
  const name = `${count} ${redacts}`;
  const turn = firsts.get(name) ?? ask();
  if (count <= MOST_KNOWN) firsts.set(name, turn);
  return turn;
}

const firsts = new Map<string, KeepTurn>();
/** The most results whose first turn is remembered. */
const MOST_KNOWN = 2;
