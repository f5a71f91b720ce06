// Errors for options and objects in the wrong place, which name the right one. An option belongs where it is accepted, so
// there is no list of names here; all this runs only after something was refused.

import { call as callCore, callShaper, run } from "./core.js";
import { isToolshapeError, ToolshapeError } from "./error.js";
import { described, optionsText } from "./options.js";

/** A place of options. */
export type Place = "policy" | "options" | "harness" | "archive";

const NAMES: Record<Place, string> = {
  policy: "the policy",
  options: "the adapter",
  harness: "the harness",
  archive: "an archive",
};

/** Runs what checks options; an unknown option that another place accepts is refused with the name of that place. */
export function placing<T>(place: Place, options: object, check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw explained(error, place, options);
  }
}

function explained(error: unknown, place: Place, options: object): unknown {
  if (!isToolshapeError(error)) return error;
  const name = error.path.slice(1);
  if (!Object.hasOwn(options, name) || !error.message.startsWith(`unknown option ${name}`)) return error;
  const where = belongs(place, name, (options as Record<string, unknown>)[name]);
  if (where === undefined) return error;
  return new ToolshapeError(error.code, `${name} is not an option of ${NAMES[place]}: ${where}`, error.path, {
    cause: error,
  });
}

/** Where an option belongs; undefined if nowhere. */
function belongs(place: Place, name: string, value: unknown): string | undefined {
  const one = { [name]: value };
  if (name === "policy") return "pass the policy by itself, before the options";
  if (name === "preset" && accepts(() => callCore("preset", { name: value })))
    return `preset is a function that returns a policy, preset(${JSON.stringify(value)})`;
  if (place !== "policy" && accepts(() => run((core) => core.shaper(optionsText(one, "INVALID_POLICY")))))
    return `it is an option of the policy, { ${name} }`;
  const isPlace = place === "policy" || place === "archive";
  if (isPlace && accepts(() => callCore("checkAdapterOptions", { options: described(one) }))) {
    const archive = name === "store" ? "; for an archive, new Archive(shaper, store)" : "";
    return `it is an option of the adapter, in the object after the policy, { ${name} }${archive}`;
  }
  if (accepts(() => callShaper("{}", "checkCall", { call: one })))
    return `it is an option of a call, shaper.shape(value, { ${name} })`;
  const ofTools = { tools: { [name]: value } };
  if (place === "policy" && accepts(() => run((core) => core.shaper(optionsText(ofTools, "INVALID_POLICY")))))
    return `the options of one tool are in tools, { tools: { ${JSON.stringify(name)}: … } }`;
  return undefined;
}

function accepts(attempt: () => unknown): boolean {
  try {
    attempt();
    return true;
  } catch {
    return false;
  }
}

/** @throws {ToolshapeError} `INVALID_POLICY` for something else of this package or of an SDK in place of a policy. */
export function checkPolicy(policy: unknown): void {
  const refuse = (is: string, remedy: string): never => {
    throw new ToolshapeError("INVALID_POLICY", `the policy is ${is}: ${remedy}`);
  };
  const takes = "pass an object of options, such as { maxTokens: 2000 }";
  if (typeof policy === "number") refuse(String(policy), `pass { maxTokens: ${policy} }`);
  if (typeof policy === "string") {
    const isPreset = accepts(() => callCore("preset", { name: policy }));
    refuse(JSON.stringify(policy), isPreset ? `pass preset(${JSON.stringify(policy)})` : takes);
  }
  switch (kindOf(policy)) {
    case "null":
      return refuse("null", takes);
    case "a store":
      return refuse("a store", "pass it in the object after the policy, { store }");
    case "a Shaper":
      return refuse("a Shaper", "pass the options that it was made with");
    case "an Archive":
      return refuse("an Archive", "pass the policy, and its store in the object after it, { store }");
    case "a server":
      return refuse("a server", "pass the server first, shapeServer(server, policy, options)");
    case "a promise":
      return refuse("a promise", "await it first");
  }
}

/** @throws {ToolshapeError} `INVALID_CALL` for something else in place of the options of an adapter. */
export function checkOptions(options: unknown): void {
  const is = kindOf(options);
  if (is === "a store")
    throw new ToolshapeError("INVALID_CALL", "the options are a store: pass { store }, an object that names it");
  if (is === "null")
    throw new ToolshapeError("INVALID_CALL", "the options are null: leave them out, or pass an object");
}

/** @throws {ToolshapeError} `INVALID_CALL` for something else in place of a shaper or of its store. */
export function checkArchive(shaper: unknown, store: unknown): void {
  const is = kindOf(shaper);
  if (is === "a Shaper") {
    const isOptions = kindOf(store) === "an object" && kindOf((store as { store?: unknown }).store) === "a store";
    if (!isOptions) return;
    const message = "the store is an object of options: pass the store itself, new Archive(shaper, store)";
    throw new ToolshapeError("INVALID_CALL", message, "/store");
  }
  const remedy = is === "a store" ? "pass the shaper first" : "pass new Shaper(policy)";
  throw new ToolshapeError("INVALID_CALL", `the shaper is ${is}: ${remedy}, new Archive(shaper, store)`, "/shaper");
}

/**
 * @throws {ToolshapeError} `INVALID_CALL` for a server that `takes` does not name. `elsewhere` says what else to
 * import for other servers.
 */
export function checkServer(server: unknown, isOne: boolean, takes: string, elsewhere: string): void {
  if (isOne) return;
  const is = kindOf(server);
  const remedy =
    is === "a promise" ? "await it first" : is.startsWith("the class") ? "pass new and its result" : `for ${elsewhere}`;
  const message =
    is === "a server"
      ? `unsupported server: expected ${takes}; ${remedy}`
      : `the server is ${is}; expected ${takes}; ${remedy}`;
  throw new ToolshapeError("INVALID_CALL", message, "/server");
}

/** @throws {ToolshapeError} `INVALID_CALL` for something else than an argument takes. */
export function checkGiven(isOne: boolean, value: unknown, name: string, takes: string): void {
  if (!isOne) throw new ToolshapeError("INVALID_CALL", `the ${name} is ${kindOf(value)}: pass ${takes}`, `/${name}`);
}

/** The options of a call as the text that the core reads. */
export function callText(call: unknown): string {
  if (typeof call === "string") {
    const tool = JSON.stringify(call);
    throw new ToolshapeError("INVALID_CALL", `the call is ${tool}: to name the tool, pass { tool: ${tool} }`);
  }
  return optionsText(call, "INVALID_CALL");
}

/** @throws {ToolshapeError} `INVALID_CALL` for one result in place of a list of several. */
export function checkResults(results: unknown): void {
  if (Array.isArray(results)) return;
  const message = `the results are ${kindOf(results)}: pass a list, [{ value, call }, { json, call }]`;
  throw new ToolshapeError("INVALID_CALL", message, "/results");
}

/** What a value is, as far as this package and the SDKs have a name for it. */
function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "function")
    return /^class\b/.test(Function.prototype.toString.call(value)) ? `the class ${value.name}` : "a function";
  if (typeof value !== "object") return value === undefined ? "undefined" : `a ${typeof value}`;
  const has = (...names: string[]): boolean =>
    names.every((name) => typeof (value as Record<string, unknown>)[name] === "function");
  if (has("shapeResult")) return has("snapshotResult") ? "an Archive" : "a Shaper";
  if (has("registerTool") || has("setRequestHandler") || has("addTool")) return "a server";
  if (has("then")) return "a promise";
  if (has("get", "set", "delete") && !(value instanceof Map)) return "a store";
  return Array.isArray(value) ? "a list" : "an object";
}
