// Gemini's generateContent. Its hosts do not always send the ids of calls back: a result belongs to the call at its place.

import { readable } from "./text.mjs";

export const takes = (path) => /:(stream)?generateContent$/i.test(path);

const isStream = (path) => /:stream/i.test(path);

export const tools = (body) =>
  (body.tools ?? []).flatMap((tool) => (tool.functionDeclarations ?? []).map(({ name }) => ({ name })));

export function results(body) {
  const found = [];
  for (const { role, parts } of body.contents ?? []) {
    for (const { functionResponse, inlineData } of parts ?? []) {
      if (functionResponse) {
        const { id, response, parts: media } = functionResponse;
        const read = readable(response?.output ?? response);
        found.push({ id, ...read, images: read.images + readable(media).images });
      } else if (inlineData && role !== "model" && found.length > 0) found.at(-1).images += 1;
    }
  }
  return found;
}

/** One for each call of the model, `null` where the host sends none. */
export const ids = (body) =>
  (body.contents ?? [])
    .filter(({ role }) => role === "model")
    .flatMap(({ parts }) =>
      (parts ?? []).filter((part) => part.functionCall).map((part) => part.functionCall.id ?? null),
    );

export function write(body, { text, calls }, send, path) {
  const { responseMimeType, responseSchema, responseJsonSchema } = body.generationConfig ?? {};
  // Gemini CLI asks itself which model to use, and who speaks next.
  const isForm = responseMimeType === "application/json" || responseSchema || responseJsonSchema;
  const form = {
    reasoning: "x",
    model_choice: "pro",
    complexity_reasoning: "x",
    complexity_score: 50,
    next_speaker: "user",
  };
  const parts = calls
    ? calls.map(({ id, name, args }) => ({ functionCall: { id, name, args } }))
    : [{ text: isForm ? JSON.stringify(form) : text }];
  const answer = {
    candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    modelVersion: "gemini-2.5-pro",
    responseId: `response-${send.number}`,
  };
  if (!isStream(path)) {
    send.json(answer);
    return;
  }
  send.event(null, answer);
  send.end("");
}
