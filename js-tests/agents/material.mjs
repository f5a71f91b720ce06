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

/** A function that fails once, and returns the rows when it is called again. */
export function failsOnce() {
  const errors = [new Error("try again")];
  return async () => {
    if (errors.length > 0) throw errors.pop();
    return rows;
  };
}
