// OpenAI's responses.

import { readable } from "./text.mjs";

export const takes = (path) => path.endsWith("/responses");

const items = (body) => (Array.isArray(body.input) ? body.input : []);

/** Tools in a namespace belong to a server; Codex sends some in the input. */
export function tools(body) {
  const added = items(body).flatMap((item) => (item.type === "additional_tools" ? item.tools : []));
  return [...(body.tools ?? []), ...added].flatMap((tool) =>
    tool.type === "namespace"
      ? (tool.tools ?? []).map(({ name }) => ({ name, namespace: tool.name }))
      : [{ name: tool.name ?? tool.type, isCustom: tool.type === "custom" }],
  );
}

export const results = (body) =>
  items(body)
    .filter(({ type }) => /_call_output$/.test(type))
    .map((item) => ({ id: item.call_id, ...readable(item.output) }));

export const ids = (body) =>
  items(body)
    .filter(({ type }) => /_call$/.test(type))
    .map((item) => item.call_id);

const callItem = ({ id, name, namespace, args, code }) => ({
  ...(code === undefined
    ? { type: "function_call", id: `fc_${id}`, arguments: JSON.stringify(args) }
    : { type: "custom_tool_call", id: `ctc_${id}`, input: code }),
  call_id: id,
  name,
  ...(namespace && { namespace }),
  status: "completed",
});

const messageItem = (text, number) => ({
  type: "message",
  id: `msg_${number}`,
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text, annotations: [] }],
});

export function write(body, { text, calls }, send) {
  const output = calls ? calls.map(callItem) : [messageItem(text, send.number)];
  const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
  Object.assign(usage, { input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } });
  const base = {
    id: `resp_${send.number}`,
    object: "response",
    created_at: 1,
    model: body.model,
    error: null,
    metadata: {},
  };
  Object.assign(base, { parallel_tool_calls: true, tool_choice: "auto", tools: [], incomplete_details: null });
  Object.assign(base, { instructions: null, temperature: 1, top_p: 1 });
  const response = { ...base, status: "completed", output, usage };
  if (!body.stream) {
    send.json(response);
    return;
  }
  let sequence = 0;
  const event = (type, members) => send.event(type, { type, sequence_number: sequence++, ...members });
  event("response.created", { response: { ...base, status: "in_progress", output: [], usage: null } });
  output.forEach((item, output_index) => {
    const at = { item_id: item.id, output_index };
    const empty = { function_call: { arguments: "" }, custom_tool_call: { input: "" }, message: { content: [] } }[
      item.type
    ];
    event("response.output_item.added", { output_index, item: { ...item, status: "in_progress", ...empty } });
    if (item.type === "function_call") {
      event("response.function_call_arguments.delta", { ...at, delta: item.arguments });
      event("response.function_call_arguments.done", { ...at, arguments: item.arguments });
    } else if (item.type === "message") {
      const part = { ...at, content_index: 0 };
      event("response.content_part.added", { ...part, part: { ...item.content[0], text: "" } });
      event("response.output_text.delta", { ...part, delta: text, logprobs: [] });
      event("response.output_text.done", { ...part, text, logprobs: [] });
      event("response.content_part.done", { ...part, part: item.content[0] });
    }
    event("response.output_item.done", { output_index, item });
  });
  event("response.completed", { response });
  send.end("");
}
