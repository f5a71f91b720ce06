// A reader who does what the results say, each of whose calls lands on the next replica.

import { expand } from "toolshape";
import { events } from "./material.mjs";

const TOPIC = "a reader's topic";

/** What the reader meets: figures, and the first refusal in its words. */
export async function readsOn(client) {
  const met = {
    calls: 0,
    "answers of read_result": 0,
    "refusals of read_result": 0,
    rows: 0,
    isWhole: false,
    refusal: undefined,
  };
  const call = async (name, args) => {
    met.calls++;
    const { content, isError } = await client.call(name, args);
    const value = JSON.parse(expand(content[0].text));
    if (name === readTool) met[isError ? "refusals of read_result" : "answers of read_result"]++;
    if (isError) met.refusal ??= value;
    return { value, isError };
  };
  const readTool = await client.readTool();
  let { value: page } = await call("list_events", { topic: TOPIC });
  const last = await call(readTool, { handle: page.uri, pointer: "/299/id" });
  const isKnown = !last.isError && last.value === 299;
  const rows = [...page.items];
  while (page.nextCursor !== null) {
    const cursor = page.nextCursor;
    let { value, isError } = await call(readTool, { cursor });
    // The refusal says: the tool again, with the same arguments and this cursor.
    if (isError) ({ value } = await call("list_events", { topic: TOPIC, cursor }));
    page = value;
    rows.push(...page.items);
  }
  met.rows = rows.length;
  met.isWhole = JSON.stringify(rows) === JSON.stringify(events(TOPIC, "any replica", 1));
  return { ...met, isKnown };
}
