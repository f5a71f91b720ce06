// The samples that were built with the page. Each is a script.

import { loadScript } from "./script.js";

/** A tool's result that somebody else made; `samples.mjs` says where it comes from. */
export interface Sample {
  readonly id: string;
  readonly title: string;
  /** What kind of result it is, in a word or two. */
  readonly kind: string;
  readonly about: string;
  readonly tool: string;
  readonly source: string;
  readonly licence: string;
  readonly bytes: number;
  readonly policy: Readonly<Record<string, unknown>>;
}

declare global {
  /** The list of samples, which the build writes into the page's script. */
  const TOOLSHAPE_SAMPLES: readonly Sample[];
  /** What the script of a sample calls. */
  var toolshapeSample: ((id: string, text: string) => void) | undefined;
}

export const samples: readonly Sample[] = TOOLSHAPE_SAMPLES;

const texts = new Map<string, Promise<string>>();

/** The text of a sample. */
export function textOf(id: string): Promise<string> {
  let text = texts.get(id);
  if (text === undefined) {
    text = load(id);
    text.catch(() => texts.delete(id));
    texts.set(id, text);
  }
  return text;
}

const waiting = new Map<string, (text: string) => void>();
globalThis.toolshapeSample = (id, text) => waiting.get(id)?.(text);

function load(id: string): Promise<string> {
  return new Promise((resolve, reject) => {
    waiting.set(id, resolve);
    loadScript(`samples/${id}.js`).catch(reject);
  });
}
