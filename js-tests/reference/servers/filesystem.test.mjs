// server-filesystem, on folders and files as npm installs them: the same with the adapter where results are small, and
// within the budget, loud and reached to the end where they are large.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { countTokens } from "toolshape";
import { PACKAGES } from "../newer_node.mjs";
import { SERVERS, connect } from "./connect.mjs";
import { Reader } from "./reader.mjs";
import { BUDGET, bytes, fits, json, textOf, reported, unshaped } from "./same.mjs";

const SCRATCH = join(PACKAGES, ".scratch");
const ZOD = join(PACKAGES, "zod");
const TINY = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const noise = (length) => Buffer.from(Array.from({ length }, (_, at) => (at * 2654435761) >>> 24));

const at = (name) => join(SCRATCH, name);
const edit = { path: at("small.txt"), edits: [{ oldText: "two", newText: "2" }] };

/** Calls whose results are small or are errors, in the order in which they can be made. */
const SMALL = [
  ["read_file", { path: at("small.txt") }],
  ["read_text_file", { path: at("small.txt") }],
  ["read_text_file", { path: at("small.txt"), head: 2 }],
  ["read_text_file", { path: at("small.txt"), tail: 1 }],
  ["read_text_file", { path: at("small.json") }],
  ["read_text_file", { path: at("empty.txt") }],
  ["read_text_file", { path: join(ZOD, "v4/core/schemas.js"), head: 20 }],
  ["read_multiple_files", { paths: [at("small.txt"), at("small.json"), at("missing.txt")] }],
  ["read_media_file", { path: at("tiny.png") }],
  ["read_media_file", { path: at("sound.wav") }],
  ["read_media_file", { path: at("blob.bin") }],
  ["list_directory", { path: SCRATCH }],
  ["list_directory_with_sizes", { path: SCRATCH, sortBy: "size" }],
  ["directory_tree", { path: SCRATCH }],
  ["search_files", { path: SCRATCH, pattern: "*.json" }],
  ["search_files", { path: SCRATCH, pattern: "nothing" }],
  ["get_file_info", { path: join(ZOD, "package.json") }],
  ["list_allowed_directories", {}],
  ["create_directory", { path: at("made/within") }],
  ["write_file", { path: at("made/written.txt"), content: "written\n" }],
  ["edit_file", { ...edit, dryRun: true }],
  ["edit_file", edit],
  ["move_file", { source: at("made/written.txt"), destination: at("made/moved.txt") }],
  ["directory_tree", { path: SCRATCH, excludePatterns: ["*.json"] }],
  ["read_text_file", { path: at("missing.txt") }],
  ["read_text_file", { path: "/etc/hostname" }],
  ["read_text_file", { path: at("small.txt"), head: 1, tail: 1 }],
  ["read_text_file", { path: 7 }],
  ["read_text_file", {}],
  ["move_file", { source: at("missing.txt"), destination: at("elsewhere.txt") }],
  ["edit_file", { path: at("small.txt"), edits: [{ oldText: "not there", newText: "" }] }],
  ["no_such_tool", {}],
];

/** Calls whose results are large; `json` where it is data. */
const LARGE = [
  ["read_text_file", { path: join(ZOD, "v4/core/schemas.js") }],
  ["read_file", { path: join(ZOD, "v4/core/schemas.js") }],
  ["read_text_file", { path: join(ZOD, "v4/core/schemas.js"), tail: 1500 }],
  [
    "read_multiple_files",
    { paths: ["ja", "ru", "th", "ar", "zh-CN"].map((tongue) => join(ZOD, `v4/locales/${tongue}.js`)) },
  ],
  ["list_directory", { path: join(PACKAGES, "es-toolkit/compat") }],
  ["list_directory_with_sizes", { path: join(ZOD, "v4/locales") }],
  ["search_files", { path: ZOD, pattern: "**/*.js" }],
  [
    "edit_file",
    { path: at("long.txt"), edits: [{ oldText: "line 1\n", newText: "line one\n".repeat(900) }], dryRun: true },
  ],
  ["read_text_file", { path: at("rows.json") }, "json"],
  ["read_text_file", { path: join(PACKAGES, ".package-lock.json") }, "json"],
  ["directory_tree", { path: join(ZOD, "v4") }, "json"],
];

function lay() {
  rmSync(SCRATCH, { recursive: true, force: true });
  mkdirSync(SCRATCH);
  writeFileSync(at("small.txt"), "one\ntwo\nthree\n");
  writeFileSync(at("small.json"), '{ "id": 9007199254740993, "of": [1.0, 1E2] }\n');
  writeFileSync(at("empty.txt"), "");
  writeFileSync(at("tiny.png"), TINY);
  writeFileSync(at("sound.wav"), noise(300));
  writeFileSync(at("blob.bin"), noise(300));
  writeFileSync(at("large.png"), noise(60_000));
  writeFileSync(at("long.txt"), Array.from({ length: 50 }, (_, line) => `line ${line}\n`).join(""));
  writeFileSync(
    at("rows.json"),
    JSON.stringify(
      Array.from({ length: 700 }, (_, id) => ({ id, name: `row ${id}`, on: id % 2 === 0 })),
      null,
      2,
    ),
  );
}

const call = ({ client }, name, args) =>
  client.callTool({ name, arguments: args }).then(reported, (error) => ({ error: `${error.code} ${error.message}` }));

let [naive, shaped, keeping] = [];
const all = () => [naive, shaped, keeping];

before(async () => {
  lay();
  const args = [SCRATCH, PACKAGES];
  naive = await connect(SERVERS.filesystem, { args });
  shaped = await connect(SERVERS.filesystem, { args, how: "shaped" });
  keeping = await connect(SERVERS.filesystem, { args, how: "shaped", keeps: true });
});

after(async () => {
  await Promise.all(all().map((server) => server?.close()));
  rmSync(SCRATCH, { recursive: true, force: true });
});

test("its tools are listed as before, with arguments for shaping", async () => {
  const [plain, ours, kept] = await Promise.all(all().map(async ({ client }) => (await client.listTools()).tools));
  assert.equal(plain.length, 14);
  assert.deepEqual(ours.map(unshaped), plain.map(unshaped));
  assert.equal(kept.at(-1).name.slice(0, 11), "read_result");
  assert.deepEqual(
    kept.slice(0, -1).map(({ inputSchema }) => inputSchema),
    plain.map(({ inputSchema }) => inputSchema),
  );
  for (const { name, inputSchema } of ours) {
    assert.deepEqual(Object.keys(inputSchema.properties).slice(-2), ["cursor", "fields"], name);
  }
});

test("what is small is the same, byte for byte", async (t) => {
  const names = (await naive.client.listTools()).tools.map(({ name }) => name);
  assert.deepEqual(
    names.filter((name) => !SMALL.some(([called]) => called === name)),
    [],
    "each tool is called",
  );
  const outcomes = [];
  for (const server of all()) {
    lay();
    const outcome = [];
    for (const [name, args] of SMALL) outcome.push(await call(server, name, args));
    outcomes.push(outcome);
  }
  const [plain, ...others] = outcomes;
  for (const outcome of others) {
    for (const [index, [name, args]] of SMALL.entries()) {
      await t.test(`${name} ${JSON.stringify(args).replaceAll(PACKAGES, "")}`, () => {
        assert.equal(bytes(outcome[index].own ?? outcome[index].error), bytes(plain[index].own ?? plain[index].error));
        if (plain[index].own?.isError !== true) assert.deepEqual(outcome[index].receipt?.steps, []);
      });
    }
  }
});

test("and with arguments for shaping it is too", async (t) => {
  lay();
  for (const [name, args] of SMALL.filter(([name]) => /^(read_text|list|directory|search|get)/.test(name))) {
    await t.test(`${name} ${JSON.stringify(args).replaceAll(PACKAGES, "")}`, async () => {
      const [plain, ours] = [
        await call(naive, name, args),
        await call(shaped, name, { ...args, page: 1, pageSize: 20 }),
      ];
      assert.equal(bytes(ours.own.content), bytes(plain.own.content));
    });
  }
});

test("what is large fits, is loud, and is reached to its end", async (t) => {
  lay();
  for (const [name, args, kind] of LARGE) {
    const whole = (await naive.client.callTool({ name, arguments: args })).structuredContent.content;
    const title = `${name} ${JSON.stringify(args).replaceAll(PACKAGES, "").slice(0, 60)}: ${countTokens(whole)} tokens`;
    await t.test(title, async () => {
      assert.ok(countTokens(whole) > BUDGET, "is not large");
      const reader = new Reader((asked) => shaped.client.callTool({ name, arguments: { ...args, ...asked } }));
      const rebuilt = await reader.whole();
      assert.deepEqual(rebuilt, kind === "json" ? JSON.parse(whole) : whole);
      t.diagnostic(`${title}, by ${reader.calls} calls`);
    });
    await t.test(`${title}, stored`, async () => {
      const first = await keeping.client.callTool({ name, arguments: args });
      fits(first);
      const { uri, _uri } = json(first);
      const reader = new Reader(({ fields, ...rest }) => {
        return keeping.client.callTool({
          name: "read_result_secure_filesystem",
          arguments: { handle: uri ?? _uri, ...(fields && { pointer: fields[0] }), ...rest },
        });
      });
      assert.deepEqual(await reader.whole(), kind === "json" ? JSON.parse(whole) : whole);
    });
  }
});

test("a picture is shown, and its base64 takes no room in what is read", async () => {
  const args = { path: at("large.png") };
  const [plain, ours] = [await call(naive, "read_media_file", args), await call(shaped, "read_media_file", args)];
  const [picture] = plain.own.content;
  assert.equal(picture.data, readFileSync(at("large.png")).toString("base64"));
  assert.deepEqual(
    ours.own.content.filter(({ type }) => type === "image"),
    [picture],
  );
  assert.ok(countTokens(textOf(ours.own)) < 300 && countTokens(JSON.stringify(ours.own.structuredContent)) < 300);
  assert.match(textOf(ours.own), /"pointer":"\/content\/0\/data","kind":"string","size":80000/);
});
