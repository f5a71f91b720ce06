// The policy as a form: what the published schema has, the common options first.

import { useId, useState } from "preact/hooks";
import { groups, type Input, type Option } from "../policy/options.js";
import type { PolicyOptions } from "../protocol.js";
import type { CoreError } from "./core.js";

interface Props {
  readonly policy: PolicyOptions;
  /** What is wrong with an option; its path is a JSON Pointer. */
  readonly fault: CoreError | undefined;
  onChange(policy: PolicyOptions): void;
}

const GROUPS = groups();
const [COMMON, ...OTHERS] = GROUPS;
const NAMES = new Set(GROUPS.flatMap(({ options }) => options.map(({ name }) => name)));

/** Whether a fault is about an option of the form, which then says it. */
export function isOfForm({ code, path }: CoreError): boolean {
  return code === "INVALID_POLICY" && NAMES.has(path.split("/")[1] ?? "");
}

export function Policy({ policy, fault, onChange }: Props) {
  const set = (name: string, value: unknown): void => onChange(without(policy, name, value));
  const field = (option: Option) => (
    <Field
      key={option.name}
      option={option}
      value={policy[option.name]}
      fault={fault && fault.path.split("/")[1] === option.name ? fault.message : undefined}
      onChange={(value) => set(option.name, value)}
    />
  );
  const isSet = Object.keys(policy).length > 0;
  return (
    <form class="policy" aria-label="Policy" onSubmit={(event) => event.preventDefault()}>
      <div class="common">{COMMON?.options.map(field)}</div>
      <details>
        <summary>More options</summary>
        <div class="groups">
          {OTHERS.map(({ title, options }) => (
            <fieldset key={title}>
              <legend>{title}</legend>
              <div class="group">{options.map(field)}</div>
            </fieldset>
          ))}
        </div>
      </details>
      {isSet && (
        <button type="button" class="plain" onClick={() => onChange({})}>
          Back to the defaults
        </button>
      )}
    </form>
  );
}

/** The policy with an option set, or without it if its value is undefined. */
function without(policy: PolicyOptions, name: string, value: unknown): PolicyOptions {
  const { [name]: _, ...others } = policy;
  return value === undefined ? others : { ...policy, [name]: value };
}

interface FieldProps {
  readonly option: Option;
  readonly value: unknown;
  readonly fault: string | undefined;
  onChange(value: unknown): void;
}

function Field({ option: { name, about, input }, value, fault, onChange }: FieldProps) {
  const id = useId();
  if (input.as === "parts") {
    const parts = (value ?? {}) as PolicyOptions;
    const change = (part: string, value: unknown): void => {
      const changed = without(parts, part, value);
      onChange(Object.keys(changed).length === 0 ? undefined : changed);
    };
    return (
      <fieldset class="parts" title={about}>
        <legend>{name}</legend>
        {fault && (
          <p class="wrong" role="alert">
            {fault}
          </p>
        )}
        {input.parts.map((part) => (
          <Field
            key={part.name}
            option={part}
            value={parts[part.name]}
            fault={undefined}
            onChange={(value) => change(part.name, value)}
          />
        ))}
      </fieldset>
    );
  }
  return (
    <div class="field">
      <label for={id} title={about}>
        {name}
      </label>
      <Entry
        id={id}
        name={name}
        input={input}
        value={value}
        isWrong={fault !== undefined}
        about={fault ?? about}
        onChange={onChange}
      />
      {fault !== undefined ? (
        <p class="about wrong" id={`${id}-about`} role="alert">
          {fault}
        </p>
      ) : (
        about && (
          <p class="about" id={`${id}-about`}>
            {about}
          </p>
        )
      )}
    </div>
  );
}

interface EntryProps {
  readonly id: string;
  readonly name: string;
  readonly input: Exclude<Input, { as: "parts" }>;
  readonly value: unknown;
  readonly isWrong: boolean;
  readonly about: string;
  onChange(value: unknown): void;
}

function Entry({ id, name, input, value, isWrong, about, onChange }: EntryProps) {
  const common = { id, name, "aria-invalid": isWrong, ...(about && { "aria-describedby": `${id}-about` }) };
  switch (input.as) {
    case "number":
      return (
        <input
          {...common}
          type="number"
          inputMode={input.isWhole ? "numeric" : "decimal"}
          min={input.min}
          max={input.max}
          step={input.isWhole ? (name === "maxTokens" ? 100 : 1) : 0.05}
          value={typeof value === "number" ? value : ""}
          placeholder={name === "maxTokens" ? "2000" : "default"}
          onInput={({ currentTarget: { value } }) => onChange(value === "" ? undefined : Number(value))}
        />
      );
    case "choice":
      return (
        <select
          {...common}
          value={String(value ?? "")}
          onChange={({ currentTarget: { value } }) => onChange(value === "" ? undefined : value)}
        >
          <option value="">default</option>
          {input.of.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      );
    case "switch":
      return (
        <input
          {...common}
          type="checkbox"
          checked={value === true}
          onChange={({ currentTarget: { checked } }) => onChange(checked || undefined)}
        />
      );
    case "names":
      return <Names common={common} or={input.or} value={value} onChange={onChange} />;
    case "text":
      return (
        <input
          {...common}
          type="text"
          spellcheck={false}
          autocomplete="off"
          value={String(value ?? "")}
          onChange={({ currentTarget: { value } }) => onChange(value || undefined)}
        />
      );
  }
}

interface NamesProps {
  readonly common: Readonly<Record<string, unknown>>;
  readonly or: readonly string[];
  readonly value: unknown;
  onChange(value: unknown): void;
}

/** Names with commas between them. What a person writes stays as it is while it means the value. */
function Names({ common, or, value, onChange }: NamesProps) {
  const [written, setWritten] = useState("");
  const means = JSON.stringify(names(written, or)) === JSON.stringify(value);
  return (
    <input
      {...common}
      type="text"
      spellcheck={false}
      autocomplete="off"
      placeholder={["id, author.name", ...or].join("  or  ")}
      value={means ? written : Array.isArray(value) ? value.join(", ") : String(value ?? "")}
      onInput={({ currentTarget: { value: text } }) => {
        setWritten(text);
        onChange(names(text, or));
      }}
    />
  );
}

function names(text: string, or: readonly string[]): unknown {
  const trimmed = text.trim();
  if (or.includes(trimmed)) return trimmed;
  const list = trimmed
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);
  return list.length === 0 ? undefined : list;
}
