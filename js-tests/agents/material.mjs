// What the tools of agents return in the tests of each framework.

export const rows = Array.from({ length: 400 }, (_, id) => ({ id, name: `the row of number ${id}` }));
export const LOG = Array.from({ length: 3000 }, (_, at) => `GET /articles/${at} 200\n`).join("");
export const POLICY = { maxTokens: 600, combinedTokens: 1500 };
export const PIXELS = Buffer.alloc(36_000, "pixels").toString("base64");

/** What an HTTP client throws on a 429. */
export class TooMany extends Error {
  status = 429;
  headers = { "retry-after": "30" };
}
