// What MCP's conformance tests of 2026-07-28 ask of a server in addition to the tools of every revision: tools and a prompt that
// answer by a question to the client, and go on when they are called again with its answers.

import {
  acceptedContent,
  createRequestStateCodec,
  fromJsonSchema,
  inputRequired,
  inputResponse,
} from "@modelcontextprotocol/server";
import * as z from "zod";

/** Signs what goes through the client and back. */
export const STATES = createRequestStateCodec({ key: "a key for the tests alone, of 32 bytes or more" });

const done = (text) => ({ content: [{ type: "text", text }] });
const nothing = z.object({});
const form = (message, fields) => inputRequired.elicit({ message, requestedSchema: z.object(fields) });
const name = { name: z.string() };
const askName = (message = "What is your name?") => form(message, name);
const sample = (text, maxTokens) =>
  inputRequired.createMessage({ messages: [{ role: "user", content: { type: "text", text } }], maxTokens });
const ask = (inputRequests, state) => inputRequired({ inputRequests, ...(state && { requestState: state }) });

export const QUESTIONS = [
  {
    name: "test_input_required_result_elicitation",
    run: ({ inputResponses }) => {
      const given = acceptedContent(inputResponses, "user_name", z.object(name));
      return given ? done(`Hello, ${given.name}!`) : ask({ user_name: askName() });
    },
  },
  {
    name: "test_input_required_result_sampling",
    run: ({ inputResponses }) => {
      const { result } = inputResponse(inputResponses, "capital_question");
      return result
        ? done(result.content.text)
        : ask({ capital_question: sample("What is the capital of France?", 100) });
    },
  },
  {
    name: "test_input_required_result_list_roots",
    run: ({ inputResponses }) => {
      const { roots } = inputResponse(inputResponses, "client_roots");
      return roots ? done(roots.map(({ uri }) => uri).join(", ")) : ask({ client_roots: inputRequired.listRoots() });
    },
  },
  {
    name: "test_input_required_result_request_state",
    run: async ({ inputResponses, requestState }) => {
      const isAnswered =
        inputResponse(inputResponses, "confirm").kind === "elicit" && requestState()?.step === "confirm";
      return isAnswered
        ? done("state-ok")
        : ask({ confirm: form("Please confirm", { ok: z.boolean() }) }, await STATES.mint({ step: "confirm" }));
    },
  },
  {
    name: "test_input_required_result_tampered_state",
    run: async ({ inputResponses, requestState }) =>
      requestState() && inputResponses
        ? done("state-ok")
        : ask({ confirm: form("Please confirm", { ok: z.boolean() }) }, await STATES.mint({ step: "confirm" })),
  },
  {
    name: "test_input_required_result_multiple_inputs",
    run: async ({ inputResponses }) => {
      const questions = {
        user_name: askName(),
        greeting: sample("Generate a greeting", 50),
        client_roots: inputRequired.listRoots(),
      };
      const isAnswered = Object.keys(questions).every((key) => inputResponse(inputResponses, key).kind !== "missing");
      return isAnswered ? done("All three were answered.") : ask(questions, await STATES.mint({ step: "all" }));
    },
  },
  {
    name: "test_input_required_result_multi_round",
    run: async ({ inputResponses, requestState }) => {
      const known = requestState();
      const first = acceptedContent(inputResponses, "step1", z.object(name));
      if (first)
        return ask(
          { step2: form("Step 2: What is your favorite color?", { color: z.string() }) },
          await STATES.mint({ ...first }),
        );
      const second = acceptedContent(inputResponses, "step2", z.object({ color: z.string() }));
      if (second && known) return done(`${known.name} likes ${second.color}.`);
      return ask({ step1: askName("Step 1: What is your name?") }, await STATES.mint({ step: 1 }));
    },
  },
  {
    name: "test_input_required_result_capabilities",
    run: (_, capabilities) => {
      const { elicitation, sampling, roots } = capabilities;
      return ask({
        ...(elicitation && { user_name: askName() }),
        ...(sampling && { greeting: sample("Generate a greeting", 50) }),
        ...(roots && { client_roots: inputRequired.listRoots() }),
      });
    },
  },
  {
    // The SDK refuses to send a question without the capability in the client.
    name: "test_missing_capability",
    run: () => ask({ greeting: sample("Generate a greeting", 50) }),
  },
  { name: "test_streaming_elicitation", run: () => ask({ user_name: askName() }) },
  {
    name: "test_logging_tool",
    run: async ({ log }) => {
      await log("info", "It is being done.");
      return done("It is done.");
    },
  },
  {
    name: "test_trigger_tool_change",
    run: (_, __, notify) => {
      notify.toolsChanged();
      return done("The change of the tools is announced.");
    },
  },
  {
    name: "test_trigger_prompt_change",
    run: (_, __, notify) => {
      notify.promptsChanged();
      return done("The change of the prompts is announced.");
    },
  },
  {
    name: "test_headers_of_arguments",
    input: fromJsonSchema({
      type: "object",
      properties: { region: { type: "string", "x-mcp-header": "Region" } },
      required: ["region"],
    }),
    run: () => done("taken"),
  },
].map((tool) => ({ input: nothing, ...tool }));

/** The prompt that asks. */
export const ASKING_PROMPT = {
  name: "test_input_required_result_prompt",
  get: ({ inputResponses }) => {
    const given = acceptedContent(inputResponses, "user_context", z.object({ context: z.string() }));
    if (!given) return ask({ user_context: form("What context should the prompt use?", { context: z.string() }) });
    return { messages: [{ role: "user", content: { type: "text", text: `In the context of ${given.context}` } }] };
  },
};
