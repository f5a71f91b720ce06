// A tool's result with its store: shaped under a policy, and read back as a model would.

import { Archive, explain, MemoryStore, Shaper, type Keep, type Receipt, type ShapedResult } from "toolshape";
import type { Given, PolicyOptions, Read, Rebuilt, Shaped } from "../protocol.js";
import { Reader } from "./reader.js";
import { returnedBy, type Returned } from "./returned.js";

/** Nothing else is in this memory, so one result may have all of it. */
const STORE_BYTES = 2 ** 30;

/** A fault that the page shows to a person. */
export class Refused extends Error {
  readonly code = "PAGE";
  readonly path = "";
}

export class Session {
  #returned: Returned | undefined;
  #archive: Archive | undefined;
  #keep: Keep | null = null;

  /** Shapes another result. */
  async open(given: Given, tool: string, policy: PolicyOptions): Promise<Shaped> {
    const text = typeof given === "string" ? given : await given.text();
    this.#returned = returnedBy(text);
    return this.shape(tool, policy);
  }

  /** Shapes the same result under another policy. */
  async shape(tool: string, policy: PolicyOptions): Promise<Shaped> {
    if (this.#returned === undefined) throw new Refused("There is no result yet.");
    const { result: returned, takenFor } = this.#returned;
    const shaper = new Shaper(policy);
    const archive = new Archive(shaper, new MemoryStore({ maxBytes: STORE_BYTES, maxValueBytes: STORE_BYTES }));
    const shaped = await archive.shapeResult(returned, { tool, arguments: {} });
    [this.#archive, this.#keep] = [archive, shaped.keep];
    const { text, otherBlocks } = textOf(shaped);
    const { unchanged, isError } = shaped;
    const handle = shaped.keep?.ticket.split(".")[0] ?? null;
    const storedAs = shaped.keep && (shaped.keep.key.endsWith(".json") ? "json" : "text");
    const receipt = receiptOf(shaped, shaper, text);
    const explanation = explain(receipt);
    return { text, otherBlocks, unchanged, isError, takenFor, handle, storedAs, receipt, explanation };
  }

  /** Answers a call of `read_result`. */
  async ask(args: Readonly<Record<string, unknown>>): Promise<Read> {
    if (this.#archive === undefined) throw new Refused("There is no result yet.");
    const { text, isError, receipt } = await this.#archive.readResult(args);
    return { text, isError, receipt };
  }

  /** Reads everything that is stored, by answers of `read_result` alone, and compares. */
  async rebuild(onCall: (calls: number) => void): Promise<Rebuilt> {
    if (this.#keep === null) throw new Refused("Nothing is stored: the model has read all of the result.");
    const { key, content, ticket } = this.#keep;
    const isJson = key.endsWith(".json");
    const reader = new Reader((args) => this.ask({ handle: ticket.split(".")[0], ...args }), onCall);
    const rebuilt = isJson ? await reader.json() : await reader.text();
    const { calls, mostTokens } = reader;
    return { content: new Blob([rebuilt]), isJson, calls, mostTokens, isSame: rebuilt === content };
  }
}

/** The texts of a result, as a host shows them one after another. */
function textOf({ result }: ShapedResult): { text: string; otherBlocks: number } {
  const texts = result.content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  return { text: texts.join("\n"), otherBlocks: result.content.length - texts.length };
}

/** A result without a receipt, because it is not the result of a tool, is measured as its text. */
function receiptOf({ receipt }: ShapedResult, shaper: Shaper, text: string): Receipt {
  return receipt ?? shaper.shape(text).receipt;
}
