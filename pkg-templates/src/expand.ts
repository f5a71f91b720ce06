import { call } from "./core.js";
import { checkText, escapeLoneSurrogates } from "./options.js";

/**
 * The minified original of a JSON text in the dense form, which `_form` describes; any other JSON text is minified.
 *
 * @throws {ToolshapeError} `INVALID_JSON` for what is not JSON, or not what its `_form` describes; `TOO_DEEP`.
 */
export function expand(text: string): string {
  return call("expand", {}, { text: escapeLoneSurrogates(checkText(text, "text")) });
}

/** The JSON text that a program reads in place of what a model reads. */
export function plain(text: string): string {
  return text.includes('"_form":') ? expand(text) : text;
}
