/** The one tool of every server: it returns rows as JSON in a text, as most tools do. */
import { careful, pageOf } from "../handlers.mjs";
import { EXACT, TOKENIZERS } from "../tokenizers.mjs";
import { rowsOf, versionOf } from "./rows.mjs";

export const NAME = "list_orders";

/** The servers that take turns: as written, with one line, with it but without a store, and one that fits its result by hand. */
export const HOW = ["naive", "shaped", "shaped, no store", "careful handler"];

/** The options of the line in addition to the policy. */
export const OPTIONS = { shaped: {}, "shaped, no store": { store: null } };

/** The function of the tool in such a server: from a number of rows and a version to a result. */
export async function toolOf(how) {
  const lists = new Map();
  const listOf = (count) => lists.get(count) ?? lists.set(count, rowsOf(count)).get(count);
  const textOf = how === "careful handler" ? await handled() : JSON.stringify;
  return ({ count, version }) => ({ content: [{ type: "text", text: textOf(versionOf(listOf(count), version)) }] });
}

/** The careful handler of `handlers.mjs`, which gives a page that is JSON within the budget, and keeps nothing. */
async function handled() {
  const handle = careful(await TOKENIZERS[EXACT](), { json: false });
  return (value) => handle({ value, rows: pageOf, page: 1 });
}
