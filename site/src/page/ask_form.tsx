// A call of `read_result` with arguments of one's own, from the schema of that tool.

import { useEffect, useState } from "preact/hooks";
import type { OwnTool } from "toolshape";
import type { Args } from "../reading/calls.js";
import type { Core } from "./core.js";

interface Argument {
  readonly name: string;
  readonly value: string;
}

type Property = { readonly type?: string; readonly description?: string; readonly enum?: readonly string[] };

/** An argument that answers something of every result. */
const FIRST: Argument = { name: "search", value: "" };

export function AskForm({
  core,
  handle,
  onAsk,
}: {
  readonly core: Core;
  readonly handle: string | null;
  onAsk(args: Args): void;
}) {
  const [tool, setTool] = useState<OwnTool>();
  const [args, setArgs] = useState<readonly Argument[]>([FIRST]);
  useEffect(() => void core.ask("about", []).then(setTool, () => undefined), [core]);
  const properties = (tool?.inputSchema.properties ?? {}) as Readonly<Record<string, Property>>;
  const names = Object.keys(properties).filter((name) => name !== "handle");
  const set = (at: number, change: Partial<Argument>): void =>
    setArgs(args.map((one, nth) => (nth === at ? { ...one, ...change } : one)));
  const call = Object.fromEntries(args.map(({ name, value }) => [name, valueOf(value, properties[name])]));
  return (
    <form
      class="ask"
      aria-label="Ask with arguments of your own"
      onSubmit={(event) => {
        event.preventDefault();
        onAsk({ handle, ...call });
      }}
    >
      {args.map(({ name, value }, at) => (
        <div class="argument" key={at}>
          <select
            aria-label="Argument"
            value={name}
            onChange={({ currentTarget: { value } }) => set(at, { name: value })}
          >
            {(names.length > 0 ? names : [name]).map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
          <input
            type="text"
            aria-label={`The value of ${name}`}
            value={value}
            spellcheck={false}
            autocomplete="off"
            placeholder={hint(properties[name])}
            onInput={({ currentTarget: { value } }) => set(at, { value })}
          />
          {args.length > 1 && (
            <button
              type="button"
              class="plain"
              aria-label={`Remove ${name}`}
              onClick={() => setArgs(args.filter((_, nth) => nth !== at))}
            >
              ✕
            </button>
          )}
        </div>
      ))}
      <p>
        <button type="submit" disabled={handle === null}>
          Ask
        </button>
        <button
          type="button"
          class="plain"
          onClick={() =>
            setArgs([
              ...args,
              { name: names.find((one) => !args.some(({ name }) => name === one)) ?? "search", value: "" },
            ])
          }
        >
          One argument more
        </button>
      </p>
    </form>
  );
}

function hint(property: Property | undefined): string {
  if (property?.type === "boolean") return "true";
  return property?.description ?? property?.enum?.join(", ") ?? "";
}

/** What a person writes, as the type that the argument has. */
function valueOf(text: string, property: Property | undefined): unknown {
  const trimmed = text.trim();
  if (property?.type === "boolean") return trimmed !== "false";
  if (property?.type === "integer") return Number(trimmed);
  if (property?.type !== "array") return text;
  try {
    const list = JSON.parse(trimmed) as unknown;
    if (Array.isArray(list)) return list;
  } catch {
    // It is not JSON: names with commas between them.
  }
  return trimmed
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);
}
