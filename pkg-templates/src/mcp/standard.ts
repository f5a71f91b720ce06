// Standard Schema (standardschema.dev), as far as adapters read and write it.

import type { Adapter, Arguments, Plan } from "./adapter.js";

type Issue = { readonly message: string; readonly path?: readonly unknown[] | undefined };
type Issues = { readonly issues: readonly Issue[] };
type Checked<T> = { readonly value: T; readonly issues?: undefined } | Issues;

/** A schema that validates, and can be converted to JSON Schema. */
export interface StandardSchema<T = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Checked<T> | Promise<Checked<T>>;
    readonly jsonSchema?: {
      readonly input: (options: { target: string }) => Record<string, unknown>;
      readonly output: (options: { target: string }) => Record<string, unknown>;
    };
  };
}

/** The tool's own arguments, checked, and all that were received. */
export interface ReceivedArguments {
  readonly own: unknown;
  readonly given: Arguments;
}

/**
 * A schema as JSON Schema, in the dialect that the SDK lists; undefined if there is none, or it cannot be converted.
 */
export function jsonOf(
  schema: StandardSchema | undefined,
  io: "input" | "output",
  target: "draft-2020-12" | "draft-07",
): Record<string, unknown> | undefined {
  return schema?.["~standard"].jsonSchema?.[io]({ target });
}

/** Checks what a tool returned before it is shaped, with the error messages of the SDKs. */
export async function checkOutput(schema: StandardSchema, value: unknown, tool: string): Promise<void> {
  const { issues } = await schema["~standard"].validate(value);
  if (!issues) return;
  const key = (part: unknown): unknown =>
    typeof part === "object" && part !== null && "key" in part ? part.key : part;
  const messages = issues.map(({ message, path = [] }) =>
    path.length > 0 ? `${path.map(key).join(".")}: ${message}` : message,
  );
  throw new Error(`Output validation error: Invalid structured content for tool ${tool}: ${messages.join(", ")}`);
}

/** A schema for arguments that the core checks itself. */
export function uncheckedSchema(json: object | undefined): StandardSchema<Arguments> {
  const schema = () => json as Record<string, unknown>;
  const validate = (value: unknown) => ({ value: { ...(value as Arguments) } });
  return { "~standard": { version: 1, vendor: "toolshape", jsonSchema: { input: schema, output: schema }, validate } };
}

/** A schema for arguments that also accepts the call controls, and checks the tool's own arguments without them. */
export function argumentsSchema(
  own: StandardSchema | undefined,
  adapter: Adapter,
  plan: () => Plan,
): StandardSchema<ReceivedArguments> {
  const json = () => plan().tool.inputSchema as Record<string, unknown>;
  return {
    "~standard": {
      version: 1,
      vendor: "toolshape",
      jsonSchema: { input: json, output: json },
      validate: (value) => {
        const given = { ...(value as Arguments) };
        const rest = adapter.ownArguments(plan(), given);
        const asked = (checked: Checked<unknown>): Checked<ReceivedArguments> =>
          checked.issues ? checked : { value: { own: checked.value, given } };
        const checked = own === undefined ? { value: rest } : own["~standard"].validate(rest);
        // Most schemas answer at once, and what waits for them is not made to wait longer. A promise may be of another realm.
        return "then" in checked ? Promise.resolve(checked).then(asked) : asked(checked);
      },
    },
  };
}

/** A schema for results that accepts shaped values (`isShaped`), and checks all others by the tool's own schema. */
export function widenedSchema(
  own: StandardSchema,
  plan: () => Plan,
  isShaped: (value: unknown) => boolean,
): StandardSchema {
  const json = () => plan().tool.outputSchema as Record<string, unknown>;
  return {
    "~standard": {
      version: 1,
      vendor: "toolshape",
      jsonSchema: { input: json, output: json },
      validate: (value) => (isShaped(value) ? { value } : own["~standard"].validate(value)),
    },
  };
}
