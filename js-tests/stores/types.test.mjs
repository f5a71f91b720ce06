// The adapters take the stores of others as their own types say they are.

import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import ts from "typescript";

const PROGRAM = `
import KeyvRedis, { createKeyv } from "@keyv/redis";
import { Keyv } from "keyv";
import { MemoryStore, type Store, type StoreLimits } from "toolshape";
import { FileStore } from "toolshape/file-store";
import { KeyvStore } from "toolshape/keyv";
import { UnstorageStore } from "toolshape/unstorage";
import { createStorage, prefixStorage } from "unstorage";
import redisDriver from "unstorage/drivers/redis";

const storage = createStorage({ driver: redisDriver({ base: "toolshape" }) });
const limits: StoreLimits = { maxBytes: 1_000_000, maxValueBytes: 100_000, maxShare: 0.1 };
const stores: Store[] = [
  new KeyvStore(new Keyv()),
  new KeyvStore(new Keyv({ store: new KeyvRedis("redis://127.0.0.1"), throwOnErrors: true })),
  new KeyvStore(createKeyv("redis://127.0.0.1", { namespace: "toolshape" })),
  new UnstorageStore(createStorage()),
  new UnstorageStore(storage),
  new UnstorageStore(prefixStorage(storage, "results")),
  new UnstorageStore(createStorage<string>()),
  new UnstorageStore(createStorage(), limits),
  new KeyvStore(new Keyv(), limits),
  new MemoryStore(limits),
  new FileStore("results", limits),
  { get: () => null, set: (key: string, value: string, ttlSeconds: number) => {}, delete: () => {} },
  { get: () => null, set: async (key: string, value: string, ttlSeconds: number, owner?: string) => {}, delete: () => {} },
];
void stores;
// @ts-expect-error a share is a number
new MemoryStore({ maxShare: "a tenth" });
// @ts-expect-error a Map is not a Keyv
new KeyvStore(new Map());
// @ts-expect-error and a Keyv no Storage
new UnstorageStore(new Keyv());
`;

test("strict types, with keyv and unstorage as they are", () => {
  const path = fileURLToPath(new URL("adapters.mts", import.meta.url));
  writeFileSync(path, PROGRAM);
  const program = ts.createProgram([path], {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    noEmit: true,
    types: ["node"],
  });
  const host = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => ".", getNewLine: () => "\n" };
  assert.equal(ts.formatDiagnostics(ts.getPreEmitDiagnostics(program), host), "");
  rmSync(path);
});
