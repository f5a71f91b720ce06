// A summarizer of the host's own, such as a model that the client samples: asked for a time, and not trusted.

import { checkPositive, reason } from "../stores/store.js";
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

/** Refuses what would fail at every call. */
export function checkSummarizer({ timeoutSeconds }: Summarizer): void {
  if (timeoutSeconds !== undefined) checkPositive("timeoutSeconds", timeoutSeconds);
}

/** The summary that a summarizer gives, or why there is none, as options of `summarizeText`. */
export async function askSummarizer(summarizer: Summarizer, { text, summary, maxTokens }: SummaryTask, context: unknown): Promise<TextSummary> {
  const { by, timeoutSeconds = 30 } = summarizer;
  const abort = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<TextSummary>((resolve) => {
    const failure = `it took over ${timeoutSeconds} seconds`;
    timer = setTimeout(() => (resolve({ by, failure }), abort.abort()), timeoutSeconds * 1000);
  });
  const request = { maxTokens, kind: summary.kind, context, signal: abort.signal };
  const work = async (): Promise<TextSummary> => {
    try {
      const given: unknown = await summarizer.summarize(text, request);
      if (typeof given === "string" && given !== "") return { by, summary: given };
      return { by, failure: "it gave no text" };
    } catch (error) {
      return { by, failure: `it failed: ${reason(error)}` };
    }
  };
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}
