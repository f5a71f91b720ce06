// OpenAI's chat completions.

import { readable } from "./text.mjs";

export const takes = (path) => path.endsWith("/chat/completions");

export const tools = (body) => (body.tools ?? []).map(({ function: { name } }) => ({ name }));

export function results(body) {
  const found = [];
  for (const message of body.messages ?? []) {
    if (message.role === "tool") found.push({ id: message.tool_call_id, ...readable(message.content) });
    // Some hosts send the pictures of a result after it, as a message of the user.
    else if (message.role === "user" && found.length > 0) found.at(-1).images += readable(message.content).images;
  }
  return found;
}

export const ids = (body) => (body.messages ?? []).flatMap((message) => (message.tool_calls ?? []).map(({ id }) => id));

export function write(body, { text, calls }, send) {
  const base = { id: `chatcmpl-${send.number}`, created: 1, model: body.model };
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  const toolCalls = calls?.map(({ id, name, args }, index) => ({
    index,
    id,
    type: "function",
    function: { name, arguments: JSON.stringify(args) },
  }));
  const message = { role: "assistant", content: text ?? null, ...(toolCalls && { tool_calls: toolCalls }) };
  const finish_reason = calls ? "tool_calls" : "stop";
  if (!body.stream) {
    send.json({ ...base, object: "chat.completion", choices: [{ index: 0, message, finish_reason }], usage });
    return;
  }
  const chunk = (choices, more) => send.event(null, { ...base, object: "chat.completion.chunk", choices, ...more });
  chunk([{ index: 0, delta: { role: "assistant", content: message.content }, finish_reason: null }]);
  // Some hosts read one call of a chunk.
  for (const call of toolCalls ?? []) chunk([{ index: 0, delta: { tool_calls: [call] }, finish_reason: null }]);
  chunk([{ index: 0, delta: {}, finish_reason }]);
  chunk([], { usage });
  send.end("data: [DONE]\n\n");
}
