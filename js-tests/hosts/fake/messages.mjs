// Anthropic's messages.

import { readable } from "./text.mjs";

export const takes = (path) => path.endsWith("/messages");

export const tools = (body) => (body.tools ?? []).map(({ name }) => ({ name }));

const parts = (body, role, type) =>
  (body.messages ?? [])
    .filter((message) => message.role === role && Array.isArray(message.content))
    .flatMap((message) => message.content.filter((part) => part.type === type));

export const results = (body) =>
  parts(body, "user", "tool_result").map((part) => ({ id: part.tool_use_id, ...readable(part.content) }));

export const ids = (body) => parts(body, "assistant", "tool_use").map(({ id }) => id);

export function write(body, { text, calls }, send) {
  const content = calls
    ? calls.map(({ id, name, args }) => ({ type: "tool_use", id, name, input: args }))
    : [{ type: "text", text }];
  const stop = { stop_reason: calls ? "tool_use" : "end_turn", stop_sequence: null };
  const usage = { input_tokens: 10, output_tokens: 5 };
  const message = { id: `msg_${send.number}`, type: "message", role: "assistant", model: body.model, usage };
  if (!body.stream) {
    send.json({ ...message, content, ...stop });
    return;
  }
  const event = (type, members) => send.event(type, { type, ...members });
  event("message_start", { message: { ...message, content: [], stop_reason: null, stop_sequence: null } });
  content.forEach((block, index) => {
    const isText = block.type === "text";
    event("content_block_start", {
      index,
      content_block: isText ? { type: "text", text: "" } : { ...block, input: {} },
    });
    const delta = isText
      ? { type: "text_delta", text: block.text }
      : { type: "input_json_delta", partial_json: JSON.stringify(block.input) };
    event("content_block_delta", { index, delta });
    event("content_block_stop", { index });
  });
  event("message_delta", { delta: stop, usage: { output_tokens: 5 } });
  event("message_stop", {});
  send.end("");
}
