// How each kind of shared case runs through a face: what comes out is compared, byte for byte, with what Rust expects.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mock } from "node:test";
import { inputOf } from "./vectors.mjs";

/**
 * What a file of vectors may name as its `runner`: each takes a case and compares what comes out of `face`, which has what the
 * npm package exports, and in `runners` those that it brings itself. `isSame` says whether a block that passed is the tool's own.
 */
export function runnersOf(face, { runners, isSame }) {
  const {
    Archive,
    Shaper,
    ToolshapeError,
    countTokens,
    decode,
    decodeBytes,
    encode,
    expand,
    fitsTokens,
    handleKeys,
    inferSchema,
    inferSchemaJson,
    truncateToTokens,
  } = face;

  return {
    ...runners,
    count_tokens: countsTokens,
    infer_schema: infersSchema,
    keyset_page: pagesByKeys,
    links,
    output_schema: describes,
    rate_limit: rateLimits,
    read_result: readsBack,
    read_result_sql: readsSql,
    shape: shapes,
    shape_result: shapesResults,
    shape_snapshot: snapshots,
    shape_together: together,
    summarize: answersSummarize,
    summarize_text: summarizes,
    tool: listsTools,
  };

  function countsTokens({ text, encoding, expect }) {
    const input = inputOf(text);
    const { count } = expect;
    assert.equal(countTokens(input, encoding), count);
    assert.equal(fitsTokens(input, count, encoding), count);
    if (count > 0) assert.equal(fitsTokens(input, count - 1, encoding), null);
    if (encoding !== "estimate") {
      const tokens = encode(input, encoding);
      assert.deepEqual([...tokens], expect.tokens ?? [...tokens]);
      assert.equal(decode(tokens, encoding), input);
      assert.equal(Buffer.from(decodeBytes(tokens, encoding)).toString(), input);
    }
    for (const side of ["head", "tail"]) {
      const kept = truncateToTokens(input, Math.floor(count / 2), encoding, side);
      if (side in expect) assert.equal(kept, expect[side]);
      else assert.equal(Buffer.byteLength(kept), expect[`${side}Bytes`]);
    }
  }

  /** A face whose SQLite is a module of its own answers when that has been loaded. */
  async function readsSql({ json, text, policy, arguments: asked, expect }) {
    const shaper = new Shaper(policy);
    const content = inputOf(json ?? text);
    const id = createHash("sha256").update(content).digest("hex");
    const handle = handleOf(id);
    const call = { tool: "read_result", arguments: { ...asked, handle } };
    const key = `${id}.${json === undefined ? "txt" : "json"}`;
    const stored = new Map([[key, content]]).set(`${handle}.handle`, shaper.ticket(key, null, {}));
    const store = { get: (key) => stored.get(key), set() {}, delete() {} };
    const shaped = Archive
      ? await new Archive(shaper, store).readResult(call.arguments)
      : shaper.readSql([{ handle, key, content, call }], call);
    isCounted(shaped.receipt, shaped.text);
    const { text: answer, unchanged, isError, receipt } = shaped;
    assert.deepEqual({ text: answer, unchanged, isError, steps: receipt.steps }, expect);
  }

  function readsBack(one) {
    const isJson = one.json !== undefined;
    const content = inputOf(isJson ? one.json : one.text);
    const id = createHash("sha256").update(content).digest("hex");
    const file = `${id}.${isJson ? "json" : "txt"}`;
    const names = {
      id,
      file,
      handle: handleOf(id),
      address: `toolshape://result/${handleOf(id)}`,
      "address of the id": `toolshape://result/${id}`,
    };
    const handle = "handle" in one ? one.handle : names[one.named ?? "id"];
    const call = { tool: "read_result", arguments: { ...one.arguments, handle }, ...one.call };
    const shaper = new Shaper(one.policy);
    const key = keyOf(shaper, call, isJson);
    if (key?.endsWith(".handle") && !one.absent) {
      assert.equal(key, `${handleOf(id)}.handle`);
      assert.deepEqual(shaper.open("read", shaper.ticket(file, null, {}), call), { key: file, tools: [""] });
    }
    const stored = key !== null && !one.absent ? ["handle" in one ? key : file, content] : [null, null];
    const { text, unchanged, isError, receipt, value, image } = shaper.readResult(...stored, call);
    if (!image) isCounted(receipt, text);
    assert.deepEqual({ text, unchanged, isError, steps: receipt.steps, ...(image && { image }) }, one.expect);
    assert.deepEqual(value, unchanged ? content : valueOf(expand(text)));
  }

  /** The name under which a store holds what a call asks for; null, after a look at the refusal, for one that names nothing. */
  function keyOf(shaper, call, isJson) {
    try {
      const keys = shaper.readKeys(call);
      return keys.length === 1 ? keys[0] : keys[isJson ? 0 : 1];
    } catch (error) {
      assert.ok(["INVALID_HANDLE", "INVALID_CURSOR"].includes(error.code));
      assert.equal(shaper.refusal(error, call).text, shaper.readResult(null, null, call).text);
      return null;
    }
  }

  /** The handle of the content with an id: 16 letters for the id's first 128 bits. */
  function handleOf(id) {
    let number = BigInt(`0x${id.slice(0, 32)}`);
    let letters = "";
    for (; letters.length < 16; number /= 26n) letters = String.fromCharCode(97 + Number(number % 26n)) + letters;
    return letters;
  }

  function infersSchema({ json, expect, spelling }) {
    const input = inputOf(json);
    if (expect.error !== undefined) {
      assert.throws(
        () => inferSchemaJson(input),
        ({ code, path }) => code === expect.error && path === expect.path,
      );
      return;
    }
    assert.deepEqual(inferSchemaJson(input), JSON.parse(expect));
    if (!spelling) assert.deepEqual(inferSchema(JSON.parse(input)), JSON.parse(expect));
  }

  function describes({ policy, tool, expect }) {
    assert.deepEqual(new Shaper(policy).outputSchema(tool), expect);
  }

  function rateLimits({ error, call, now, policy, expect }) {
    mock.timers.enable({ apis: ["Date"], now: (now ?? 0) * 1000 });
    try {
      const shaped = new Shaper(policy).rateLimit(error, call);
      assert.equal(shaped?.text, expect?.text);
      if (shaped) assert.ok(shaped.isError);
    } finally {
      mock.timers.reset();
    }
  }

  function pagesByKeys({ json, keyset, policy, call, expect, spelling }) {
    if (spelling) return;
    const rows = JSON.parse(inputOf(json));
    const { after, ...wanted } = expect;
    const shaper = checkRows(wanted, rows, policy, (shaper) => shaper.keysetPage(rows, keyset, call));
    if (!shaper) return;
    const { nextCursor } = shaper.keysetPage(rows, keyset, call).value ?? {};
    assert.deepEqual(shaper.decodeKeyset(nextCursor, call), after?.map((value) => JSON.parse(value)) ?? null);
  }

  function links({ json, links, policy, call, expect, spelling }) {
    if (spelling) return;
    const rows = JSON.parse(inputOf(json));
    checkRows(expect, rows, policy, (shaper) => shaper.links(rows, links, call));
  }

  function summarizes({ text, summary, policy, call, expect }) {
    const input = inputOf(text);
    check({ policy, expect }, input, (shaper) => shaper.summarizeText(input, summary, call));
  }

  /** The answer to a call of `summarize`, and what a host's own summarizer receives on the way. */
  function answersSummarize({ json, text, arguments: given, absent, policy, call, own, expect }) {
    const args = { ...given };
    if (typeof args.text === "object") args.text = inputOf(args.text);
    const content = json ?? text;
    let stored = [null, null];
    if (content !== undefined) {
      const hash = createHash("sha256").update(inputOf(content)).digest("hex");
      args.handle = `toolshape://result/${hash}`;
      if (!absent) stored = [`${hash}.${json === undefined ? "txt" : "json"}`, inputOf(content)];
    }
    const shaper = new Shaper(policy);
    const asked = { ...call, tool: "summarize", arguments: args };
    const task = shaper.toSummarize(...stored, asked);
    if ("maxTokens" in task) {
      const { text, summary, maxTokens } = task;
      const shaped = shaper.summarizeText(text, { ...summary, ...own }, asked);
      assert.deepEqual({ ...factsOf(shaped, policy), summary, maxTokens }, expect);
    } else {
      const { text, ...facts } = factsOf(task, policy);
      assert.deepEqual(expect.unchanged ? facts : { text, ...facts }, expect);
      assert.equal(text, expect.text ?? (stored[1] || args.text));
      assert.deepEqual(task.value, task.unchanged ? text : JSON.parse(expand(text)));
    }
  }

  /** Checks what comes of rows in JavaScript's own form; gives the shaper if that is a result. */
  function checkRows(expect, rows, policy, run) {
    if (expect.error !== undefined) {
      assert.throws(
        () => run(new Shaper(policy)),
        ({ code, path }) => code === expect.error && path === (expect.path ?? ""),
      );
      return undefined;
    }
    const shaper = new Shaper(policy);
    const { text, value, unchanged, isError, receipt } = run(shaper);
    isCounted(receipt, text);
    const { tokensBefore: _, ...wanted } = { text: JSON.stringify(rows), ...expect };
    assert.deepEqual({ text, unchanged, isError, steps: receipt.steps }, wanted);
    if (unchanged) assert.equal(value, rows);
    else assert.deepEqual(value, JSON.parse(expand(text)));
    return shaper;
  }

  function together({ results, policy, combinedTokens, expect }) {
    const given = results.map(({ text, json, call }) =>
      text === undefined ? { json: inputOf(json), call } : { value: inputOf(text), call },
    );
    const shape = () => new Shaper(policy).shapeTogether(given, combinedTokens);
    if (expect.error !== undefined) {
      assert.throws(shape, ({ code, path }) => code === expect.error && path === expect.path);
      return;
    }
    const wanted = expect.results.map((one, at) =>
      one.unchanged ? { ...one, text: given[at].json ?? given[at].value } : one,
    );
    assert.deepEqual(
      shape().map((shaped, at) => factsOf(shaped, results[at].policy)),
      wanted,
    );
  }

  /** What follows a result's cursor, from what was stored with it. */
  function snapshots({ json, text, policy, call, expect }) {
    const shaper = new Shaper(policy);
    const first = text === undefined ? shaper.shapeJson(inputOf(json), call) : shaper.shape(inputOf(text), call);
    const next = { ...call, cursor: /ursor":"([^"]+)"/.exec(first.text)[1] };
    if (expect.snapshot === null) {
      assert.equal(shaper.snapshot(next), null);
      return;
    }
    const { id, key, content } = first.keep;
    assert.equal(shaper.snapshot(next), handleOf(id));
    assert.equal(shaper.open("snapshot", shaper.ticket(key, null, call), next).key, key);
    const refused = shaper.shapeSnapshot(key, "", { ...next, forbidden: true });
    assert.deepEqual([refused.isError, refused.value.error], [true, "FORBIDDEN"]);
    assert.equal(shaper.shapeSnapshot(key, `${content} `, next), null);
    const shaped = shaper.shapeSnapshot(key, content, next);
    // The cursor alone leads `read_result` to the same.
    const { store, arguments: _, ownArguments, tool = "", ...asked } = next;
    const { text: read } = shaper.readResult(key, content, { ...asked, tool: "read_result", returnedBy: [tool] });
    assert.deepEqual({ ...factsOf(shaped, policy), read: read === shaped.text ? "the same" : read }, expect);
  }

  function shapesResults({ returned, policy, call, expect }) {
    const text = inputOf(returned);
    const value = JSON.parse(text);
    const { result, unchanged, isError, receipt } = new Shaper(policy).shapeResult(value, call);
    assert.deepEqual(value, JSON.parse(text), "what the tool returned was changed");
    assert.deepEqual(result._meta?.["toolshape/receipt"], receipt ?? undefined);
    if (receipt) isWeighed(receipt, result);
    const { durationMs, tokensAfter, bytes, ...measured } = receipt ?? {};
    const seen = receipt ? { ...result, _meta: { ...result._meta, "toolshape/receipt": measured } } : result;
    assert.deepEqual({ unchanged, isError, result: seen }, expect);
    // What passes is not copied; what is added leads to what is stored.
    const blocks = Array.isArray(value?.content) ? value.content : [];
    const isOurs = ({ type, uri }) => type === "text" || type === "resource" || uri?.startsWith("toolshape://result/");
    for (const block of result.content ?? []) assert.ok(isOurs(block) || blocks.some((own) => isSame(own, block)));
  }

  /**
   * The heavier of content and structured content counts, each with the links of ours. The tool's own links, and blocks that
   * MCP does not have, are counted as a list of them is written.
   */
  function isWeighed({ tokensAfter, bytes, encoding }, { content = [], structuredContent }) {
    const isOurs = ({ uri }) => uri?.startsWith("toolshape://result/");
    const links = content.filter(isOurs).map((link) => JSON.stringify(link));
    const textOf = ({ type, text, resource }) => ({ text, resource: resource?.text })[type];
    const isMedia = ({ data, resource }) => data !== undefined || resource?.blob !== undefined;
    const data = content.filter((block) => !isOurs(block) && !isMedia(block) && textOf(block) === undefined);
    const texts = [
      ...content.map((block) => textOf(block) ?? ""),
      data.map((block) => JSON.stringify(block)).join(","),
    ];
    const structured = structuredContent === undefined ? [] : [JSON.stringify(structuredContent), ...links];
    const heaviest = (weigh) =>
      Math.max(
        ...[[...texts, ...links], structured].map((channel) => channel.reduce((sum, text) => sum + weigh(text), 0)),
      );
    const tokens = heaviest((text) => countTokens(text, encoding));
    // Images have tokens too, of which this knows nothing.
    if (content.some(({ type }) => type === "image")) return assert.ok(tokensAfter >= tokens);
    assert.deepEqual(
      { tokensAfter, bytes },
      { tokensAfter: tokens, bytes: heaviest((text) => Buffer.byteLength(text)) },
    );
  }

  function listsTools({ tool, store, policy, expect }) {
    assert.deepEqual(new Shaper(policy).tool(tool, store), expect);
  }

  function shapes(one) {
    const isText = one.text !== undefined;
    const input = inputOf(isText ? one.text : one.json);
    check(one, input, (shaper) => (isText ? shaper.shape(input, one.call) : shaper.shapeJson(input, one.call)));
    if (!isText && !one.spelling && one.expect.error === undefined) sameFromValue(one, input);
  }

  function check({ policy, expect }, input, run) {
    if (expect.error !== undefined) {
      assert.throws(
        () => run(new Shaper(policy)),
        (error) => {
          assert.ok(error instanceof ToolshapeError);
          assert.deepEqual({ code: error.code, path: error.path }, { code: expect.error, path: expect.path ?? "" });
          return true;
        },
      );
      return;
    }
    const wanted = expect.text === undefined && expect.unchanged ? { ...expect, text: input } : expect;
    assert.deepEqual(factsOf(run(new Shaper(policy)), policy), wanted);
  }

  /** The facts of a result that every face has to show. */
  function factsOf({ text, unchanged, isError, receipt, keep }, policy) {
    isCounted(receipt, text);
    const { steps, tokensBefore } = receipt;
    return { text, unchanged, isError, steps, tokensBefore, ...keptOf(keep, policy) };
  }

  /** The tokens and bytes of a result follow from its text, so no case says them. */
  function isCounted({ tokensAfter, bytes, encoding }, text) {
    assert.deepEqual(
      { tokensAfter, bytes },
      { tokensAfter: countTokens(text, encoding), bytes: Buffer.byteLength(text) },
    );
  }

  /** What is to be stored, under the name that its content has. */
  function keptOf(keep, policy) {
    if (keep === null) return {};
    if (!policy?.cursorKey) assert.equal(keep.id, createHash("sha256").update(keep.content).digest("hex"));
    assert.ok(handleKeys(keep.id).includes(keep.key));
    assert.equal(keep.ticket, `${handleOf(keep.id)}.handle`);
    assert.deepEqual(handleKeys(handleOf(keep.id)), [keep.ticket]);
    return { keep: keep.key };
  }

  /** The same value in JavaScript's own form gives the same result. */
  function sameFromValue({ policy, call, expect }, input) {
    const value = JSON.parse(input);
    if (typeof value === "string") return; // It would be shaped as text.
    const { text, unchanged, isError, receipt, keep } = new Shaper(policy).shape(value, call);
    assert.equal(keep?.key, expect.keep);
    if (keep) assert.equal(keep.content, JSON.stringify(value));
    // Values have no white space that could be left out, nor is it what they cost.
    const steps = expect.steps.filter((step) => step !== "minify");
    assert.deepEqual({ isError, steps: receipt.steps }, { isError: expect.isError, steps });
    const passed = expect.unchanged || steps.length === 0;
    assert.equal(unchanged, passed);
    assert.equal(text, passed ? JSON.stringify(value) : expect.text);
    isCounted(receipt, text);
  }
}

/** The value of a text; a number beyond all doubles is text. */
function valueOf(text) {
  const isHeld = (part) => part.startsWith('"') || Number.isFinite(Number(part));
  const parts = /"(?:[^"\\]|\\.)*"|-?\d[\d.]*(?:[eE][+-]?\d+)?/g;
  return JSON.parse(text.replaceAll(parts, (part) => (isHeld(part) ? part : `"${part}"`)));
}
