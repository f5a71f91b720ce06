import { call, run } from "./core.js";
import { checkText, escapeLoneSurrogates } from "./options.js";
import type { JsonSchema } from "./types.js";

/**
 * The JSON Schema (draft 2020-12) of a value: types, `properties`, `required` and `items`; the items of an array are
 * merged. Its size is bounded: an object with more than 200 different keys is described by the schema of its values.
 *
 * @throws {ToolshapeError} `UNSUPPORTED_VALUE`, `TOO_DEEP`.
 */
export function inferSchema(value: unknown): JsonSchema {
  return JSON.parse(run((core) => core.exports.inferSchema(value))) as JsonSchema;
}

/**
 * The same for a JSON text.
 *
 * @throws {ToolshapeError} `INVALID_JSON` with line and column, `TOO_DEEP`.
 */
export function inferSchemaJson(text: string): JsonSchema {
  const json = escapeLoneSurrogates(checkText(text, "text"));
  return JSON.parse(call("inferSchema", {}, { text: json })) as JsonSchema;
}
