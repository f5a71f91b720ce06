/** The npm packages that count tokens of o200k_base, each used as its makers mean it; loaded only when it is called for. */
export const TOKENIZERS = {
  tiktoken: async () => {
    const { get_encoding } = await import("tiktoken");
    const encoding = get_encoding("o200k_base");
    return { count: (text) => encoding.encode_ordinary(text).length };
  },
  "gpt-tokenizer": async () => {
    const { countTokens, isWithinTokenLimit } = await import("gpt-tokenizer/encoding/o200k_base");
    const options = { disallowedSpecial: new Set() };
    return {
      count: (text) => countTokens(text, options),
      /** The count if it is at most this many; stops soon after. */
      within: (text, limit) => isWithinTokenLimit(text, limit, options) || undefined,
    };
  },
  "js-tiktoken": async () => {
    const { Tiktoken } = await import("js-tiktoken/lite");
    const { default: ranks } = await import("js-tiktoken/ranks/o200k_base");
    const encoding = new Tiktoken(ranks);
    return { count: (text) => encoding.encode(text, [], []).length };
  },
  "ai-tokenizer": async () => {
    const { Tokenizer } = await import("ai-tokenizer");
    const tokenizer = new Tokenizer(await import("ai-tokenizer/encoding/o200k_base"));
    return { count: (text) => tokenizer.count(text) };
  },
};

/** The one that is never wrong about any text: what a handler counts with that has to be within the budget. */
export const EXACT = "tiktoken";
