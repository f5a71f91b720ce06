// What the page shows, and how it changes: a source is opened, a policy is set, the model asks on.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Given, PolicyOptions, Read, Rebuilt, Shaped } from "../protocol.js";
import type { Args } from "../reading/calls.js";
import { Core, coreError, type CoreError } from "./core.js";
import { textOf, type Sample } from "./samples.js";
import { sqlModuleFor } from "./sql.js";

/** What a tool returned, and where it comes from. */
export interface Source {
  readonly name: string;
  readonly given: Given;
  readonly bytes: number;
  /** The text, or its beginning where all of it would slow an editor down. */
  readonly shown: string;
  readonly isWhole: boolean;
  readonly sample?: Sample;
}

/** A call of `read_result`, and its answer once it is there. */
export interface Turn {
  readonly id: number;
  readonly args: Args;
  readonly answer?: Read;
  readonly fault?: CoreError;
}

export type ReadingBack = { readonly calls: number } | Rebuilt | CoreError;

/** The most characters that the editor gets. */
const EDITED = 200_000;
const BEGINNING = 20_000;

/** A source from a text. */
export function sourceOf(name: string, text: string, sample?: Sample): Source {
  const isWhole = text.length <= EDITED;
  const shown = isWhole ? text : text.slice(0, BEGINNING);
  // A large text is handed over as a blob, which is not copied.
  const given = isWhole ? text : new Blob([text]);
  return {
    name,
    given,
    bytes: given instanceof Blob ? given.size : new Blob([text]).size,
    shown,
    isWhole,
    ...(sample && { sample }),
  };
}

/** A source from a file; only its beginning is read on the page. */
export async function sourceOfFile(file: File): Promise<Source> {
  if (file.size <= EDITED) return sourceOf(file.name, await file.text());
  return {
    name: file.name,
    given: file,
    bytes: file.size,
    shown: await file.slice(0, BEGINNING).text(),
    isWhole: false,
  };
}

export async function sourceOfSample(sample: Sample): Promise<Source> {
  return sourceOf(sample.title, await textOf(sample.id), sample);
}

interface Wanted {
  readonly source: Source;
  readonly tool: string;
  readonly policy: PolicyOptions;
}

interface Shown {
  /** What this is the outcome of; the page is busy while another is wanted. */
  readonly of?: Partial<Wanted>;
  readonly shaped?: Shaped;
  readonly fault?: CoreError;
  readonly shapings: number;
}

export interface Session {
  readonly core: Core;
  readonly source: Source | undefined;
  readonly tool: string;
  readonly policy: PolicyOptions;
  readonly shaped: Shaped | undefined;
  /** Why the result could not be shaped; what is shown is then the result before. */
  readonly fault: CoreError | undefined;
  readonly isBusy: boolean;
  /** How many results were shaped. */
  readonly shapings: number;
  readonly turns: readonly Turn[];
  readonly readingBack: ReadingBack | undefined;
  change(change: Partial<Wanted>): void;
  fail(error: unknown): void;
  ask(args: Args): void;
  readBack(): void;
}

export function useSession(): Session {
  const core = useMemo(() => new Core(), []);
  const [wanted, setWanted] = useState<Partial<Wanted>>({});
  const [shown, setShown] = useState<Shown>({ shapings: 0 });
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const [readingBack, setReadingBack] = useState<ReadingBack>();
  const latest = useRef<Partial<Wanted>>(wanted);
  const opened = useRef<Source | undefined>(undefined);
  const isWorking = useRef(false);
  const round = useRef(0);
  const count = useRef(0);

  /** Shapes what is wanted now; what was wanted in between is left out. */
  async function work(): Promise<void> {
    if (isWorking.current) return;
    isWorking.current = true;
    for (let done: Partial<Wanted> | undefined; done !== latest.current; ) {
      done = latest.current;
      const { source, tool = "my_tool", policy = {} } = done;
      if (source === undefined) break;
      try {
        const isNew = opened.current !== source;
        const shaped = await (isNew
          ? core.ask("open", [source.given, tool, policy])
          : core.ask("shape", [tool, policy]));
        opened.current = source;
        const shapings = ++round.current;
        performance.mark("shaped");
        setShown({ of: done, shaped, shapings });
        setTurns([]);
        setReadingBack(undefined);
      } catch (error) {
        opened.current = undefined;
        const of = done;
        setShown((shown) => ({ ...shown, of, fault: coreError(error) }));
      }
    }
    isWorking.current = false;
  }

  useEffect(() => {
    latest.current = wanted;
    if (wanted.source !== undefined) void work();
  }, [wanted]);

  function ask(args: Args): void {
    const [id, asked] = [++count.current, round.current];
    const put = (turn: Turn): void => {
      if (asked === round.current)
        setTurns((turns) => [...turns.filter((other) => other.id !== id), turn].sort((a, b) => a.id - b.id));
    };
    put({ id, args });
    sqlModuleFor(args)
      .then((sqlModule) => core.ask("ask", [args, sqlModule]))
      .then(
        (answer) => put({ id, args, answer }),
        (error: unknown) => put({ id, args, fault: coreError(error) }),
      );
  }

  function readBack(): void {
    const asked = round.current;
    const put = (back: ReadingBack): void => void (asked === round.current && setReadingBack(back));
    put({ calls: 0 });
    core.ask("rebuild", [], (calls) => put({ calls })).then(put, (error: unknown) => put(coreError(error)));
  }

  const { source, tool = "my_tool", policy = {} } = wanted;
  const change = (change: Partial<Wanted>): void => setWanted((wanted) => ({ ...wanted, ...change }));
  const fail = (error: unknown): void =>
    setShown((shown) => ({ ...shown, of: latest.current, fault: coreError(error) }));
  const { of, shaped, fault, shapings } = shown;
  return {
    core,
    source,
    tool,
    policy,
    shaped,
    fault,
    shapings,
    isBusy: of !== wanted,
    turns,
    readingBack,
    change,
    fail,
    ask,
    readBack,
  };
}
