// Inferred schemas are valid, strictly, and accept what they were inferred from: documents of others, under ajv.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { test } from "node:test";
import Ajv2020 from "ajv/dist/2020.js";
import { inferSchema, inferSchemaJson } from "toolshape";

const require = createRequire(import.meta.url);
const examples = join(dirname(require.resolve("simdjson/package.json")), "jsonexamples");
const FILES = {
  "twitter.json": join(examples, "twitter.json"),
  "citm_catalog.json": join(examples, "citm_catalog.json"),
  "canada.json": join(examples, "canada.json"),
  "browser-compat-data": require.resolve("@mdn/browser-compat-data"),
};

for (const [name, path] of Object.entries(FILES)) {
  test(name, () => {
    const text = readFileSync(path, "utf8");
    const value = JSON.parse(text);
    const startedAt = performance.now();
    const schema = inferSchemaJson(text);
    const milliseconds = Math.round(performance.now() - startedAt);
    assert.deepEqual(inferSchema(value), schema);
    const validate = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false }).compile(schema);
    assert.ok(validate(value), JSON.stringify(validate.errors));
    console.log(
      `${name}: ${text.length} characters, a schema of ${JSON.stringify(schema).length} in ${milliseconds} ms`,
    );
  });
}
