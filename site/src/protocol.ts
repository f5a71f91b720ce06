// The messages between the page and its worker. Every request has one answer; `rebuild` reports its progress before.

import type { OwnTool, Receipt } from "toolshape";

/** Options of a policy, as the form and the code to copy have them: camelCase, as in TypeScript. */
export type PolicyOptions = Readonly<Record<string, unknown>>;

/** What a tool returned: a text, or a file that is read in the worker. */
export type Given = string | Blob;

/** What a text was taken for: the text of one block, or a whole result that has blocks of its own. */
export type TakenFor = "text" | "result";

/** One text that a model reads. */
export interface Read {
  readonly text: string;
  readonly isError: boolean;
  readonly receipt: Receipt;
}

/** A tool's result as the model reads it. */
export interface Shaped extends Read {
  /** Why it looks as it does: a sentence a line. */
  readonly explanation: string;
  readonly unchanged: boolean;
  readonly takenFor: TakenFor;
  /** The handle of the stored result; null where nothing is left out. */
  readonly handle: string | null;
  /** What is stored under it. */
  readonly storedAs: "json" | "text" | null;
  /** Images, audio and other blocks that pass as they are. */
  readonly otherBlocks: number;
}

/** What came back when everything was read. */
export interface Rebuilt {
  readonly content: Blob;
  readonly isJson: boolean;
  readonly calls: number;
  /** Tokens of the largest answer. */
  readonly mostTokens: number;
  /** Whether it is what was stored, byte for byte. */
  readonly isSame: boolean;
}

export interface Requests {
  about: { args: []; answer: OwnTool };
  open: { args: [given: Given, tool: string, policy: PolicyOptions]; answer: Shaped };
  shape: { args: [tool: string, policy: PolicyOptions]; answer: Shaped };
  ask: { args: [args: Readonly<Record<string, unknown>>, sqlModule: string | undefined]; answer: Read };
  tokenEnds: { args: [text: string]; answer: Uint32Array };
  rebuild: { args: []; answer: Rebuilt };
}

export type Name = keyof Requests;

/** An error that an author can fix, or the reason why something cannot be done. */
export interface Fault {
  readonly code: string;
  readonly message: string;
  readonly path: string;
}

export interface Request<N extends Name = Name> {
  readonly id: number;
  readonly name: N;
  readonly args: Requests[N]["args"];
}

export type Reply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly fault: Fault }
  | { readonly id: number; readonly progress: number };
