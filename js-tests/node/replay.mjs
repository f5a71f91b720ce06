// What Rust was asked for every shared case, asked again by the functions that users call: the answers are the same, byte for
// byte, and so are those to values of JavaScript. Node and browsers import it.

/**
 * What asks all lines of a case. `toolshape` is the package with cl100k_base, `callShaper` its own function for methods, and `equal`
 * compares two values.
 */
export function replayer({ toolshape, callShaper, equal }) {
  const { Archive, Shaper, ToolshapeError, countTokens, decode, encode, expand, fitsTokens } = toolshape;
  const { truncateToTokens } = toolshape;
  /** The methods of a shaper; what the others have in common is their name and the order of their members. */
  const OF_SHAPER = {
    decodeKeyset: ["cursor", "call"],
    keep: session,
    keysetPage: ["rows", "keyset", "call"],
    links: ["rows", "links", "call"],
    outputSchema: ["tool"],
    rateLimit: (shaper, { error, call, now }) => shaper.rateLimit(error, call, now ?? 0),
    read: session,
    readSql: readsSql,
    refusal: (shaper, { error: { code, message, path }, call }) =>
      shaper.refusal(new ToolshapeError(code, message, path), call),
    shapeJson: ["text", "call"],
    shapeResult: ["returned", "call"],
    shapeText: (shaper, { text, call }) => shaper.shape(text, call),
    shapeTogether: ["results", "combinedTokens"],
    summarizeText: ["text", "summary", "call"],
    ticket: ofStored("key", "known", "call"),
    toSummarize: ["key", "content", "call"],
    tool: ["tool", "hasStore"],
  };

  const ALONE = {
    countTokens: [countTokens, "text", "encoding"],
    decode: [decode, "tokens", "encoding"],
    encode: [encode, "text", "encoding"],
    fitsTokens: [fitsTokens, "text", "limit", "encoding"],
    truncateToTokens: [truncateToTokens, "text", "limit", "encoding", "side"],
  };

  /** Members that JSON names by the number of a text, and what they are here. */
  const TEXTS = {
    content: String,
    returned: JSON.parse,
    rows: JSON.parse,
    text: String,
    tokens: (tokens) => Uint32Array.from(tokens),
  };

  /** What JSON has as a text of its own. */
  const PARSED = {
    decodeKeyset: (keys) => keys?.map((key) => JSON.parse(key)) ?? null,
  };

  function asked(request, texts) {
    const textOf = (number) => texts[number - 1];
    const members = { key: null, content: null, ...request };
    for (const [name, read] of Object.entries(TEXTS)) {
      if (typeof request[name] === "number") members[name] = read(textOf(request[name]));
    }
    const returned = ({ json, text, call }) => ({
      ...(json ? { json: textOf(json) } : { value: textOf(text) }),
      ...(call && { call }),
    });
    if (request.results) members.results = request.results.map(returned);
    if (request.texts) members.texts = request.texts.map(textOf);
    return members;
  }

  /** SQLite is in a module of its own, which an archive loads. */
  function readsSql(shaper, { policy, tables: [{ handle, key }], call }, [content]) {
    const stored = new Map([[key, content]]);
    const name = handle.replace("toolshape://result/", "");
    if (/^[a-z]{16}$/.test(name))
      stored.set(
        `${name}.handle`,
        ofStored("key", "call")(shaper, { policy, method: "ticket", key, call: {}, content: null }),
      );
    const store = { get: (name) => stored.get(name), set() {}, delete() {} };
    return new Archive(shaper, store).readResult(call.arguments);
  }

  /** What only sessions call: the package's own function. */
  function ofStored(...names) {
    return (_, { policy, method, content, ...members }) => {
      const given = Object.fromEntries(names.map((name) => [name, members[name] ?? undefined]));
      return callShaper(JSON.stringify(policy), method, given, content === null ? undefined : { content });
    };
  }

  function session(_, { method, shaper: __, texts, key: ___, content: ____, policy, ...members }) {
    return callShaper(JSON.stringify(policy), method, members, texts && { texts });
  }

  /** An answer in the form of the transcript. */
  function said(answer) {
    if (Array.isArray(answer) || answer instanceof Uint32Array) return Array.from(answer, said);
    if (answer === null || typeof answer !== "object") return answer;
    if (answer.done) return { ...answer, done: said(answer.done) };
    const { text, result, unchanged, isError, receipt, keep, image } = answer;
    if (unchanged === undefined) return answer;
    const shown = { unchanged, isError, receipt: measured(receipt), keep: owned(keep) };
    return result === undefined ? { text, ...shown, ...(image && { image }) } : { result: timeless(result), ...shown };
  }

  function owned(keep) {
    return keep && { owner: null, ...keep, ...(keep.images && { images: owned(keep.images) }) };
  }

  function measured(receipt) {
    if (!receipt) return receipt;
    const { durationMs, ...rest } = typeof receipt === "string" ? JSON.parse(receipt) : receipt;
    return rest;
  }

  function timeless(result) {
    const receipt = result._meta?.["toolshape/receipt"];
    return receipt ? { ...result, _meta: { ...result._meta, "toolshape/receipt": measured(receipt) } } : result;
  }

  /** Of values of JavaScript: they have no white space that could be left out, nor is it what they cost. */
  function ofValue({ text, isError, receipt, keep }) {
    const steps = receipt.steps.filter((step) => step !== "minify");
    return { text: steps.length === 0 ? "" : text, isError, steps, keep: keep?.key };
  }

  /** What passes is not copied; what is added is a text, or leads to what is stored. */
  function isHanded(returned, { content = [] }) {
    const own = Array.isArray(returned?.content) ? returned.content : [];
    const isOurs = ({ type, uri }) => type === "text" || type === "resource" || uri?.startsWith("toolshape://result/");
    for (const block of content) equal(isOurs(block) || own.includes(block), true);
  }

  async function replay(lines) {
    const shapers = new Map();
    for (const { request, texts, spelling, result, error } of lines) {
      const { method } = request;
      const isOfRows = "rows" in request;
      // Rows are values here.
      if (spelling && (isOfRows || method === "decodeKeyset")) continue;
      const members = asked(request, texts);
      const { policy, shaper } = shapers.get(request.shaper) ?? {};
      const run = OF_SHAPER[method];
      let answer;
      try {
        if (method === "shaper") answer = new Shaper(request.policy);
        else if (method in ALONE) {
          const [run, ...names] = ALONE[method];
          answer = run(...names.map((name) => members[name]));
        } else if (typeof run === "function") answer = await run(shaper, { ...members, policy }, texts);
        else answer = shaper[method](...run.map((name) => members[name]));
      } catch (thrown) {
        if (!(thrown instanceof ToolshapeError)) throw thrown;
        equal([thrown.code, thrown.path], [error?.code, error?.path], method);
        continue;
      }
      equal(error, undefined, method);
      if (method === "shaper") {
        shapers.set(result, { policy: request.policy, shaper: answer });
        continue;
      }
      const wanted = PARSED[method]?.(result) ?? result;
      if (isOfRows) equal(ofValue(answer), ofValue(wanted), method);
      else if (method === "shapeResult") {
        const { result: shown, ...rest } = said(answer);
        const { result: written, ...others } = wanted;
        equal([shown, rest], [written === null ? members.returned : JSON.parse(written), others], method);
        isHanded(members.returned, answer.result);
        equal(members.returned, JSON.parse(texts[0]), "what the tool returned was changed");
      } else equal(said(answer), wanted, method);
      if (spelling) continue;
      if (method === "shapeJson" && typeof JSON.parse(members.text) !== "string") {
        const value = JSON.parse(members.text);
        const shaped = shaper.shape(value, members.call);
        equal(ofValue(shaped), ofValue(wanted), "a value");
        if (shaped.unchanged) equal(shaped.value === value, true);
        else equal(shaped.value, JSON.parse(expand(shaped.text)));
        if (shaped.unchanged) equal(shaped.text, JSON.stringify(value));
      }
    }
  }
  return replay;
}

/** Lines of the transcript by case, or by what is made of the name of one. */
export function groupedBy(lines, keyOf = (name) => name) {
  const groups = new Map();
  for (const line of lines) {
    const key = keyOf(line.case);
    groups.set(key, [...(groups.get(key) ?? []), line]);
  }
  return groups;
}

/** The lines of the transcript. */
export function linesOf(text) {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}
