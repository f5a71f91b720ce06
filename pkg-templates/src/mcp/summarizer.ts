// A summarizer that the host supplies, such as a model that the client samples. It has a time limit and is not trusted.

import { call, type SummarizerTerms } from "../core.js";
import { reason } from "../stores/store.js";
import type { SummaryTask, TextSummary } from "../types.js";
import type { SdkContext } from "./adapter.js";

/** An `AbortSignal`, if the platform's types have one. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer Signal } }
  ? Signal
  : { readonly aborted: boolean };

/** What a summarizer receives in addition to the text. */
export interface SummaryRequest {
  /** The most tokens of a summary; a longer one is not shown. */
  readonly maxTokens: number;
  /** The kind of text that the caller names. */
  readonly kind: "log" | "document" | undefined;
  /** The SDK's context of the call; through it the client can be asked to sample. */
  readonly context: SdkContext;
  /** Aborted at the time limit. */
  readonly signal: Signal;
}

/**
 * Writes summaries in place of toolshape's. If it fails, or its summary is too long, toolshape's own is used and
 * reports it.
 */
export interface Summarizer {
  /** The author of the summaries; written in each as `by`. */
  readonly by: string;
  readonly summarize: (text: string, request: SummaryRequest) => string | Promise<string>;
  /** How long it may take. Default 30. */
  readonly timeoutSeconds?: number | undefined;
}

/** A summarizer with its time limit. */
export class HostSummarizer {
  readonly #summarizer: Summarizer;
  readonly #terms: SummarizerTerms;

  /** @throws {ToolshapeError} `INVALID_CALL`. */
  constructor(summarizer: Summarizer) {
    const options = { timeoutSeconds: summarizer.timeoutSeconds };
    [this.#summarizer, this.#terms] = [summarizer, call("summarizerOptions", { options })];
  }

  /** The summary that it returns, or why there is none, as options of `summarizeText`. */
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
