// A summarizer of a host's own, that does as the text says with which it is asked.

export const SUMMARIZER = {
  by: "the house",
  timeoutSeconds: 0.3,
  summarize: (text, { maxTokens, signal }) => {
    if (text.startsWith("THROW")) throw new TypeError("in /etc/secret");
    if (text.startsWith("HANG"))
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve("too late")));
    if (text.startsWith("NOTHING")) return undefined;
    if (text.startsWith("LONG")) return "All went well. ".repeat(500);
    return `It has ${text.length} characters; ${maxTokens} tokens are left for them.`;
  },
};

/** What the result says about each of its faults. */
export const FAULTS = {
  THROW: "it failed: TypeError",
  HANG: "it took over 0.3 seconds",
  NOTHING: "it gave no text",
  LONG: "it is over the budget",
};
