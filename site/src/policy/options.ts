// The options of the form, from the published schema of `toolshape.json`: what each takes, and its group.

import schema from "toolshape/toolshape.schema.json";

interface Schema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly description?: string;
}

/** How an option is entered. */
export type Input =
  | {
      readonly as: "number";
      readonly min: number | undefined;
      readonly max: number | undefined;
      readonly isWhole: boolean;
    }
  | { readonly as: "choice"; readonly of: readonly string[] }
  | { readonly as: "switch" }
  | { readonly as: "names"; readonly or: readonly string[] }
  | { readonly as: "text" }
  | { readonly as: "parts"; readonly parts: readonly Option[] };

export interface Option {
  readonly name: string;
  readonly about: string;
  readonly input: Input;
}

export interface Group {
  readonly title: string;
  readonly options: readonly Option[];
}

/** The common options first. The last group has all options of the schema that no other group names. */
const GROUPS: readonly (readonly [title: string, names: readonly string[]])[] = [
  ["", ["maxTokens", "fields", "format", "overflow", "text"]],
  ["Lists", ["pageSize", "paginateAfter", "maxPageSize"]],
  ["Texts", ["preview"]],
  ["Series and grids", ["series", "grid", "output"]],
  ["Storing", ["offloadOver"]],
  ["Counting", ["margin", "encoding"]],
];

/** Options that say nothing about one result: they are about a whole server, its secrets, its store. */
const OF_SERVERS = new Set(
  "$schema tools store resultArguments redactFields redactTexts scope cursorKey cursorTtl combinedTokens snapshot schema controls".split(
    " ",
  ),
);

export function groups(): Group[] {
  const named = new Set(GROUPS.flatMap(([, names]) => names));
  const properties = schema.properties as unknown as Readonly<Record<string, Schema>>;
  const rest = Object.keys(properties).filter((name) => !named.has(name) && !OF_SERVERS.has(name));
  return [...GROUPS, ["Others", rest] as const]
    .map(([title, names]) => ({
      title,
      options: names.filter((name) => name in properties).map((name) => option(name, properties[name] as Schema)),
    }))
    .filter(({ options }) => options.length > 0);
}

function option(name: string, schema: Schema): Option {
  return { name, about: schema.description ?? "", input: inputOf(name, schema) };
}

function inputOf(name: string, schema: Schema): Input {
  // A vocabulary that is not on this page cannot be counted with.
  if (name === "encoding") return { as: "choice", of: ["o200k_base", "estimate"] };
  if (schema.enum) return { as: "choice", of: schema.enum };
  switch (schema.type) {
    case "integer":
    case "number":
      return { as: "number", min: schema.minimum, max: schema.maximum, isWhole: schema.type === "integer" };
    case "boolean":
      return { as: "switch" };
    case "array":
      return { as: "names", or: [] };
    case "object":
      return { as: "parts", parts: Object.entries(schema.properties ?? {}).map(([name, part]) => option(name, part)) };
  }
  const choices = schema.anyOf ?? [];
  const whole = choices.find(({ type }) => type === "array" || type === "object");
  if (whole === undefined) return { as: "text" };
  const input = inputOf(name, whole);
  const others = choices.map((choice) => choice.const).filter((other) => typeof other === "string");
  return input.as === "names" ? { as: "names", or: others } : input;
}
