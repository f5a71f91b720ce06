// A summarizer of the host's own, such as a model that the client samples: asked for a time, and not trusted.

import { run, type SummarizerTerms } from "../core.js";
import { optionsText } from "../options.js";
import { reason } from "../stores/store.js";
import type { SummaryTask, TextSummary } from "../types.js";

/** An `AbortSignal`, where the types of the platform know one. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer Signal } } ? Signal : { readonly aborted: boolean };

/** What a summarizer is told beside the text. */
export interface SummaryRequest {
  /** The most tokens that a summary may have so as to be shown. */
  readonly maxTokens: number;
  /** What the caller says of the text. */
  readonly kind: "log" | "document" | undefined;
  /** What the SDK tells of the call; by it the client may be asked to sample. */
  readonly context: unknown;
  /** Aborted when the time is over. */
  readonly signal: Signal;
}

/** Writes summaries in place of ours. Where it fails, or gives too much, ours stand in their place and say so. */
export interface Summarizer {
  /** Whose summaries they are; stands in each as `by`. */
  readonly by: string;
  readonly summarize: (text: string, request: SummaryRequest) => string | Promise<string>;
  /** How long it may take. Default 30. */
  readonly timeoutSeconds?: number | undefined;
}

/** A summarizer with its time. */
export class HostSummarizer {
  readonly #summarizer: Summarizer;
  readonly #terms: SummarizerTerms;

  /** @throws {ToolshapeError} `INVALID_CALL`. */
  constructor(summarizer: Summarizer) {
    const options = optionsText({ timeoutSeconds: summarizer.timeoutSeconds }, "INVALID_CALL");
    [this.#summarizer, this.#terms] = [summarizer, run((core) => core.exports.summarizerOptions(options))];
  }

  /** The summary that it gives, or why there is none, as options of `summarizeText`. */
  async ask({ text, summary, maxTokens }: SummaryTask, context: unknown): Promise<TextSummary> {
    const [{ by, summarize }, { timeoutSeconds, late, empty, failed }] = [this.#summarizer, this.#terms];
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const over = new Promise<TextSummary>((resolve) => {
      timer = setTimeout(() => (resolve({ by, failure: late }), abort.abort()), timeoutSeconds * 1000);
    });
    const request = { maxTokens, kind: summary.kind, context, signal: abort.signal };
    const work = async (): Promise<TextSummary> => {
      try {
        const given: unknown = await summarize.call(this.#summarizer, text, request);
        return typeof given === "string" && given !== "" ? { by, summary: given } : { by, failure: empty };
      } catch (error) {
        return { by, failure: `${failed}: ${reason(error)}` };
      }
    };
    try {
      return await Promise.race([work(), over]);
    } finally {
      clearTimeout(timer);
    }
  }
}
