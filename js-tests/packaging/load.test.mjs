// The package loads by import and by require, from each of its entries, and does nothing until it is used.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { constants, deflateRawSync } from "node:zlib";
import { folder, run } from "./package.mjs";

const NAMES = [
  "Archive",
  "MemoryStore",
  "Shaper",
  "ToolshapeError",
  "assertFits",
  "countTokens",
  "decode",
  "decodeBytes",
  "encode",
  "encodeWithSpecial",
  "expand",
  "explain",
  "fitsTokens",
  "loadEncoding",
  "readResultTool",
  "summarizeTool",
  "truncateToTokens",
];
const SHAPES = `
  const rows = Array.from({ length: 100 }, (_, id) => ({ id }));
  const shaped = new toolshape.Shaper({ maxTokens: 500, paginateAfter: 50 }).shape(rows, { tool: "t" });
  let code;
  try { new toolshape.Shaper({ maxTokens: 1 }); } catch (error) {
    code = error instanceof toolshape.ToolshapeError && error.code;
  }
  console.log(JSON.stringify({
    names: Object.keys(toolshape).sort(), total: shaped.value.totalItems, tokens: toolshape.countTokens("Hello, world!"), code,
  }));
`;
const WANTED = { total: 100, tokens: 4, code: "INVALID_POLICY" };

test("import", () => {
  const { names, ...rest } = run("module", `import * as toolshape from "toolshape"; ${SHAPES}`);
  assert.deepEqual(names, NAMES);
  assert.deepEqual(rest, WANTED);
});

test("require", () => {
  const { names, ...rest } = run("commonjs", `const toolshape = require("toolshape"); ${SHAPES}`);
  assert.deepEqual(names, NAMES);
  assert.deepEqual(rest, WANTED);
});

test("import and require in one program", () => {
  const program = `
    import { createRequire } from "node:module";
    import * as one from "toolshape";
    const other = createRequire(process.cwd() + "/x.js")("toolshape");
    console.log(JSON.stringify([one, other].map(({ Shaper }) => new Shaper().shape([1]).text)));
  `;
  assert.deepEqual(run("module", program), ["[1]", "[1]"]);
});

test("an error of the imported copy is one of the required copy, and the other way round", () => {
  const program = `
    import { createRequire } from "node:module";
    import * as one from "toolshape";
    const other = createRequire(process.cwd() + "/x.js")("toolshape");
    const thrown = ({ Shaper }) => { try { new Shaper({ maxTokens: 1 }); } catch (error) { return error; } };
    const errors = [thrown(one), thrown(other)];
    class Mine extends one.ToolshapeError {}
    console.log(JSON.stringify({
      are: errors.flatMap((error) => [one, other].map(({ ToolshapeError }) => error instanceof ToolshapeError)),
      others: [new Error("no"), null, { name: "ToolshapeError", code: "INTERNAL", path: "" }].map((error) => error instanceof one.ToolshapeError),
      mine: [errors[0] instanceof Mine, new Mine("INTERNAL", "mine") instanceof Mine, new Mine("INTERNAL", "mine") instanceof other.ToolshapeError],
    }));
  `;
  const wanted = { are: [true, true, true, true], others: [false, false, false], mine: [false, true, true] };
  assert.deepEqual(run("module", program), wanted);
});

test("nothing is compiled or decoded before the first use", () => {
  const program = `
    let compiled = 0;
    WebAssembly.Module = class extends WebAssembly.Module { constructor(bytes) { super(bytes); compiled++; } };
    // Whoever else decodes by the same functions has less.
    const large = 100_000, decoded = [];
    for (const [object, name] of [[Buffer, "from"], [Uint8Array, "fromBase64"]]) {
      const native = object[name];
      if (native) object[name] = (text, form) => { if (text.length > large) decoded.push(text.length); return native.call(object, text, form); };
    }
    const { countTokens } = await import("toolshape");
    const before = [compiled, decoded.length];
    countTokens("a");
    countTokens("b");
    console.log(JSON.stringify({ before, after: [compiled, decoded.length] }));
  `;
  assert.deepEqual(run("module", program), { before: [0, 0], after: [1, 2] });
});

test("cl100k_base comes by its own import, also after the first use", () => {
  const program = `
    import { countTokens } from "toolshape";
    const before = countTokens("大規模言語モデル");
    await import("toolshape/cl100k_base");
    console.log(JSON.stringify([before, countTokens("大規模言語モデル", "cl100k_base")]));
  `;
  const [o200k, cl100k] = run("module", program);
  assert.ok(o200k > 0 && cl100k > 0 && o200k !== cl100k);
});

test("without its vocabulary an encoding is refused, not guessed", () => {
  const program = `
    import { Shaper, countTokens, fitsTokens } from "toolshape";
    const codes = [() => new Shaper({ encoding: "cl100k_base" }), () => countTokens("a b", "cl100k_base"), () => fitsTokens("a b", 9, "cl100k_base")]
      .map((work) => { try { return work(); } catch (error) { return error.code; } });
    console.log(JSON.stringify(codes));
  `;
  assert.deepEqual(run("module", program), ["INVALID_POLICY", "INVALID_CALL", "INVALID_CALL"]);
});

for (const given of [
  "bytes",
  "new WebAssembly.Module(bytes)",
  "bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)",
]) {
  test(`slim takes the module from the caller: ${given.split("(")[0]}`, () => {
    const program = `
      const { readFileSync } = require("node:fs");
      const { Shaper, useModule } = require("toolshape/slim");
      let code;
      try { new Shaper(); } catch (error) { code = error.code; }
      require("toolshape/o200k_base");
      const bytes = readFileSync(require.resolve("toolshape-wasm/toolshape.wasm"));
      useModule(${given});
      console.log(JSON.stringify([code, new Shaper().shape([1]).text]));
    `;
    assert.deepEqual(run("commonjs", program), ["INVALID_CALL", "[1]"]);
  });
}

test("slim needs no vocabulary for the estimate", () => {
  const program = `
    import { readFileSync } from "node:fs";
    import { fileURLToPath } from "node:url";
    import { Shaper, useModule } from "toolshape/slim";
    useModule(readFileSync(fileURLToPath(import.meta.resolve("toolshape-wasm/toolshape.wasm"))));
    let code;
    try { new Shaper(); } catch (error) { code = error.code; }
    console.log(JSON.stringify([code, new Shaper({ encoding: "estimate" }).shape([1]).text]));
  `;
  assert.deepEqual(run("module", program), ["INVALID_POLICY", "[1]"]);
});

test("the module is inflated where the host does not help, from streams of every kind", async () => {
  const { inflateSync } = await import(pathToFileURL(`${folder}/dist/esm/fflate.js`).href);
  const code = readFileSync(process.execPath).subarray(0, 200_000);
  for (const content of [code, code.subarray(0, 1), Buffer.alloc(0), Buffer.alloc(300_000, "ab")]) {
    for (const strategy of [constants.Z_DEFAULT_STRATEGY, constants.Z_FIXED, constants.Z_HUFFMAN_ONLY]) {
      for (const level of [0, 1, 9]) {
        const inflated = inflateSync(deflateRawSync(content, { level, strategy }));
        assert.equal(
          Buffer.compare(inflated, content),
          0,
          `${content.length} bytes, strategy ${strategy}, level ${level}`,
        );
      }
    }
  }
  const program = `
    process.getBuiltinModule = undefined;
    const { countTokens } = await import("toolshape");
    console.log(countTokens("Hello, world!"));
  `;
  assert.equal(run("module", program), 4);
});
