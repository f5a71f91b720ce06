// The tools that MCP's conformance tests ask a server to have, by their descriptions, apart from any SDK. What `client`
// does is the SDK's: `notify` it, `ask` it something, read its `progressToken`, close its stream (`hangUp`).

import { setTimeout as wait } from "node:timers/promises";
import * as z from "zod";

export const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAD//w==";

const text = (text) => ({ type: "text", text });
const image = { type: "image", data: PNG, mimeType: "image/png" };
const resource = (uri, mimeType, text) => ({ type: "resource", resource: { uri, mimeType, text } });
const nothing = z.object({});

/** JSON Schema's newer words, which have to be listed as they are. */
export const NEWER_SCHEMA = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
};

function form(properties, required = []) {
  return { mode: "form", requestedSchema: { type: "object", properties, required } };
}

const options = (...values) => values.map((value) => ({ const: value, title: `The option ${value}` }));
const reported = ({ action, content }) => `action=${action}, content=${JSON.stringify(content ?? {})}`;

export const TOOLS = [
  { name: "test_simple_text", run: () => [text("This is a simple text response for testing.")] },
  { name: "test_image_content", run: () => [image] },
  { name: "test_audio_content", run: () => [{ type: "audio", data: WAV, mimeType: "audio/wav" }] },
  {
    name: "test_embedded_resource",
    run: () => [resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")],
  },
  {
    name: "test_multiple_content_types",
    run: () => [
      text("Multiple content types test:"),
      image,
      resource("test://mixed-content-resource", "application/json", JSON.stringify({ test: "data", value: 123 })),
    ],
  },
  {
    name: "test_tool_with_logging",
    run: async (_, { notify }) => {
      const log = (data) => notify("notifications/message", { level: "info", data });
      await log("Tool execution started");
      await wait(50);
      await log("Tool processing data");
      await wait(50);
      await log("Tool execution completed");
      return [text("Three messages were logged.")];
    },
  },
  {
    name: "test_error_handling",
    run: () => {
      throw new Error("This tool intentionally returns an error for testing");
    },
  },
  {
    name: "test_tool_with_progress",
    run: async (_, { notify, progressToken }) => {
      for (const progress of [0, 50, 100]) {
        if (progressToken !== undefined)
          await notify("notifications/progress", { progressToken, progress, total: 100 });
        await wait(50);
      }
      return [text("It is done.")];
    },
  },
  {
    name: "test_sampling",
    input: z.object({ prompt: z.string() }),
    run: async ({ prompt }, { ask }) => {
      const params = { messages: [{ role: "user", content: text(prompt) }], maxTokens: 100 };
      const { content } = await ask("sampling/createMessage", params);
      return [text(`LLM response: ${content.text ?? JSON.stringify(content)}`)];
    },
  },
  {
    name: "test_elicitation",
    input: z.object({ message: z.string() }),
    run: async ({ message }, { ask }) => {
      const username = { type: "string", description: "User's response" };
      const email = { type: "string", description: "User's email address" };
      return [
        text(
          `User response: ${reported(await ask("elicitation/create", { message, ...form({ username, email }, ["username", "email"]) }))}`,
        ),
      ];
    },
  },
  {
    name: "test_elicitation_sep1034_defaults",
    run: async (_, { ask }) => {
      const fields = form({
        name: { type: "string", default: "John Doe" },
        age: { type: "integer", default: 30 },
        score: { type: "number", default: 95.5 },
        status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
        verified: { type: "boolean", default: true },
      });
      return [
        text(
          `Elicitation completed: ${reported(await ask("elicitation/create", { message: "Please confirm", ...fields }))}`,
        ),
      ];
    },
  },
  {
    name: "test_elicitation_sep1330_enums",
    run: async (_, { ask }) => {
      const fields = form({
        untitledSingle: { type: "string", enum: ["option1", "option2", "option3"] },
        titledSingle: { type: "string", oneOf: options("value1", "value2", "value3") },
        legacyEnum: {
          type: "string",
          enum: ["opt1", "opt2", "opt3"],
          enumNames: ["Option One", "Option Two", "Option Three"],
        },
        untitledMulti: { type: "array", items: { type: "string", enum: ["option1", "option2", "option3"] } },
        titledMulti: { type: "array", items: { anyOf: options("value1", "value2", "value3") } },
      });
      return [
        text(
          `Elicitation completed: ${reported(await ask("elicitation/create", { message: "Please choose", ...fields }))}`,
        ),
      ];
    },
  },
  {
    name: "test_reconnection",
    run: async (_, { hangUp }) => {
      hangUp();
      await wait(100);
      return [text("The stream was closed, and this came after.")];
    },
  },
].map((tool) => ({ input: nothing, ...tool }));

const message = (content) => ({ role: "user", content });

export const PROMPTS = [
  { name: "test_simple_prompt", get: () => [message(text("This is a simple prompt for testing."))] },
  {
    name: "test_prompt_with_arguments",
    args: ["arg1", "arg2"],
    get: ({ arg1, arg2 }) => [message(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
  },
  {
    name: "test_prompt_with_embedded_resource",
    args: ["resourceUri"],
    get: ({ resourceUri }) => [
      message(resource(resourceUri, "text/plain", "Embedded resource content for testing.")),
      message(text("Please process the embedded resource above.")),
    ],
  },
  { name: "test_prompt_with_image", get: () => [message(image), message(text("Please analyze the image above."))] },
];

export const RESOURCES = [
  { uri: "test://static-text", mimeType: "text/plain", text: "This is the content of the static text resource." },
  { uri: "test://static-binary", mimeType: "image/png", blob: PNG },
  { uri: "test://watched-resource", mimeType: "text/plain", text: "It is watched." },
];

export const TEMPLATE = {
  uri: "test://template/{id}/data",
  mimeType: "application/json",
  read: (id) => JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
};
