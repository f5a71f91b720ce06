// What server-everything is asked.

/** Calls of every tool, in the order in which they can be made. */
export const CALLS = [
  ["echo", { message: "héllo 👩‍👩‍👧‍👦" }],
  ["echo", { message: "x", page: undefined }],
  ["get-annotated-message", { messageType: "error", includeImage: true }],
  ["get-annotated-message", { messageType: "debug" }],
  ["get-env", {}],
  ["get-resource-links", { count: 10 }],
  ["get-resource-reference", { resourceType: "Text", resourceId: 2 }],
  ["get-resource-reference", { resourceType: "Blob", resourceId: 3 }],
  ["get-structured-content", { location: "Chicago" }],
  ["get-sum", { a: 2, b: 40 }],
  ["get-tiny-image", {}],
  ["gzip-file-as-resource", { name: "a.gz", data: "data:text/plain,hello", outputType: "resource" }],
  ["gzip-file-as-resource", { name: "b.gz", data: "data:text/plain,hello", outputType: "resourceLink" }],
  ["toggle-simulated-logging", {}],
  ["toggle-simulated-logging", {}],
  ["toggle-subscriber-updates", {}],
  ["toggle-subscriber-updates", {}],
  ["trigger-long-running-operation", { duration: 0.2, steps: 4 }],
  ["get-roots-list", {}],
  ["trigger-elicitation-request", {}],
  ["trigger-url-elicitation", { url: "https://example.com/", elicitationId: "one" }],
  ["trigger-url-elicitation", { url: "https://example.com/", elicitationId: "two", errorPath: true }],
  ["trigger-url-elicitation", { url: "https://example.com/", elicitationId: "two", errorPath: true }],
  ["trigger-sampling-request", { prompt: "what?", maxTokens: 20 }],
  ["trigger-sampling-request-async", { prompt: "what?", maxTokens: 20 }],
  ["trigger-elicitation-request-async", {}],
  ["simulate-research-query", { topic: "python" }],
  ["get-sum", { a: "two" }],
  ["get-structured-content", { location: "Paris" }],
  ["get-resource-reference", { resourceType: "Text", resourceId: -1 }],
  ["gzip-file-as-resource", { data: "no address" }],
  ["no-such-tool", {}],
];
/** Those that answer by a task. */
export const TASKS = ["simulate-research-query"];
