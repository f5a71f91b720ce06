// The same program as in other environments.

export function answer({ Shaper, countTokens }) {
  const rows = Array.from({ length: 100 }, (_, id) => ({ id }));
  const shaped = new Shaper({ maxTokens: 500, paginateAfter: 50 }).shape(rows, { tool: "t" });
  return Response.json([
    shaped.value.totalItems,
    countTokens("Hello, world!"),
    countTokens("大規模言語モデル", "cl100k_base"),
  ]);
}
