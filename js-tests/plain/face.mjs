// The plain module in the form of the npm package, so that the same runners of shared cases run through both.

// A byte order mark is a part of a text.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export class ToolshapeError extends Error {
  constructor({ code, message, path }) {
    super(message);
    Object.assign(this, { code, path });
  }
}

/** What the npm package exports, as far as shared cases need it, over a host of the module. */
export function faceOf(host) {
  const ask = (method, members, ...texts) => {
    try {
      return host.call(method, members, ...texts);
    } catch (error) {
      throw error.code === undefined ? error : new ToolshapeError(error);
    }
  };
  const answer = (...asked) => ask(...asked).result;
  const textOf = (part) => decoder.decode(part);
  /** The text that an answer has as the number of a part, or null for the one that was given. */
  const text = (number, parts, given) => (number === null ? given : textOf(parts[number]));
  const kept = (keep, parts, given) => keep && { ...keep, content: text(keep.content, parts, given) };
  const expand = (text) => {
    const { result, parts } = ask("expand", { text: 1 }, text);
    return textOf(parts[result]);
  };
  /** A shaped result of a text; `own` is the value that it is if it passed. */
  const shaped = ({ result, parts }, given, own) => {
    if (result === null) return null;
    const read = text(result.text, parts, given);
    const value = () => (result.unchanged ? (own ?? JSON.parse(read)) : JSON.parse(expand(read)));
    return {
      ...result,
      text: read,
      ...(result.image && { image: text(result.image, parts) }),
      keep: kept(result.keep, parts, given),
      get value() {
        return value();
      },
    };
  };
  const seconds = (now = Date.now() / 1000) => Math.floor(now);

  class Shaper {
    #shaper;

    constructor(policy = {}) {
      this.#shaper = answer("shaper", { policy });
    }

    #ask(method, members, ...texts) {
      return ask(method, { shaper: this.#shaper, now: seconds(), ...members }, ...texts);
    }

    shape(value, call) {
      if (typeof value === "string") return shaped(this.#ask("shapeText", { text: 1, call }, value), value, value);
      const json = JSON.stringify(value);
      return shaped(this.#ask("shapeJson", { text: 1, call }, json), json, value);
    }

    shapeJson(json, call) {
      return shaped(this.#ask("shapeJson", { text: 1, call }, json), json);
    }

    shapeTogether(given, combinedTokens) {
      const results = given.map(({ json, call }, at) => ({ [json === undefined ? "text" : "json"]: at + 1, call }));
      const texts = given.map(({ json, value }) => json ?? value);
      const { result, parts } = this.#ask("shapeTogether", { results, combinedTokens }, ...texts);
      return result.map((one, at) => shaped({ result: one, parts }, texts[at], given[at].value));
    }

    summarizeText(text, summary, call) {
      return shaped(this.#ask("summarizeText", { text: 1, summary, call }, text), text, text);
    }

    keysetPage(rows, keyset, call) {
      const json = JSON.stringify(rows);
      return shaped(this.#ask("keysetPage", { rows: 1, keyset, call }, json), json, rows);
    }

    decodeKeyset(cursor, call) {
      return this.#ask("decodeKeyset", { cursor, call }).result?.map((key) => JSON.parse(key)) ?? null;
    }

    links(rows, links, call) {
      const json = JSON.stringify(rows);
      return shaped(this.#ask("links", { rows: 1, links, call }, json), json, rows);
    }

    outputSchema(tool) {
      return answer("outputSchema", { shaper: this.#shaper, tool });
    }

    snapshot(call) {
      return this.#ask("snapshot", { call }).result;
    }

    shapeSnapshot(key, content, call) {
      return shaped(this.#ask("shapeSnapshot", { key, content: 1, call }, content), content);
    }

    open(purpose, ticket, call) {
      return this.#ask("open", { purpose, ticket, call }).result;
    }

    ticket(key, known, call) {
      return this.#ask("ticket", { key, known, call }).result;
    }

    readKeys(call) {
      return this.#ask("readKeys", { call }).result;
    }

    readResult(key, content, call) {
      return shaped(this.#ask("readResult", { key, ...stored(content), call }, ...texts(content)), content, content);
    }

    readSql(tables, call) {
      const named = tables.map((table, at) => ({ ...table, content: at + 1 }));
      return shaped(this.#ask("readSql", { tables: named, call }, ...tables.map(({ content }) => content)));
    }

    toSummarize(key, content, call) {
      const { result, parts } = this.#ask("toSummarize", { key, ...stored(content), call }, ...texts(content));
      if (!("maxTokens" in result)) {
        const read = text(result.text, parts, content);
        return shaped({ result, parts }, content, read);
      }
      return { ...result, text: text(result.text, parts, content) };
    }

    refusal({ code, message, path }, call) {
      return shaped(this.#ask("refusal", { error: { code, message, path }, call }));
    }

    rateLimit(error, call, now) {
      return shaped(this.#ask("rateLimit", { error, call, now: seconds(now) }));
    }

    shapeResult(returned, call) {
      const json = JSON.stringify(returned);
      const { result: of, parts } = this.#ask("shapeResult", { returned: 1, call }, json);
      const result = of.result === null ? returned : JSON.parse(textOf(parts[of.result]));
      return {
        ...of,
        result,
        keep: kept(of.keep, parts, json),
      };
    }

    tool(tool, hasStore = false) {
      return answer("tool", { shaper: this.#shaper, tool, hasStore });
    }
  }

  const inferSchemaJson = (json) => {
    const { result, parts } = ask("inferSchema", { text: 1 }, json);
    return JSON.parse(textOf(parts[result]));
  };
  const part = ({ result, parts }) => parts[result];
  const decodeBytes = (tokens, encoding) => part(ask("decode", { tokens: 1, encoding }, new Uint8Array(tokens.buffer)));
  return {
    Shaper,
    ToolshapeError,
    countTokens: (text, encoding) => answer("countTokens", { text: 1, encoding }, text),
    fitsTokens: (text, limit, encoding) => answer("fitsTokens", { text: 1, limit, encoding }, text),
    truncateToTokens: (text, limit, encoding, side) =>
      textOf(part(ask("truncateToTokens", { text: 1, limit, encoding, side }, text))),
    expand,
    encode: (text, encoding) => new Uint32Array(part(ask("encode", { text: 1, encoding }, text)).slice().buffer),
    decodeBytes,
    decode: (tokens, encoding) => textOf(decodeBytes(tokens, encoding)),
    handleKeys: (handle) => answer("handleKeys", { handle }),
    inferSchemaJson,
    inferSchema: (value) => inferSchemaJson(JSON.stringify(value)),
  };
}

/** How a request names content that may be absent, and its part. */
const stored = (content) => (content === null ? {} : { content: 1 });
const texts = (content) => (content === null ? [] : [content]);

/** Begins conversations through the module's relay. */
export const beginWith = (host) => (options) => {
  const relay = host.call("relay", { options: JSON.parse(options) }).result;
  const steps = (method, members, ...given) => {
    const { result, parts } = host.call(method, { relay, ...members }, ...given);
    return result.map((step) => stepOf(step, (number) => decoder.decode(parts[number])));
  };
  return {
    lines: (side, bytes, now) => steps("relayLines", { lines: 1, isClient: side === "client", now }, bytes),
    heard: (number, { failure, isWritten: wasWritten, value }) =>
      typeof value === "string"
        ? steps("relayHeard", { number, value: 1 }, value)
        : steps("relayHeard", { number, failure, wasWritten }),
    ended: (reason) => steps("relayEnded", { reason }),
    get isIdle() {
      return host.call("relayIsIdle", { relay }).result;
    },
  };
};

function stepOf(step, text) {
  if (step.toClient) return { toClient: text(step.toClient) };
  if (step.toServer) return { toServer: text(step.toServer) };
  return step.write ? { write: { ...step.write, value: text(step.write.value) } } : step;
}
