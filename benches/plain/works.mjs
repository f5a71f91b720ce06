/** What is shaped: the file that has it, whether there is a store, and how many calls make one sample. */
export const WORKS = {
  "2 KB that pass": { file: "small.json", store: false, calls: 200 },
  "20 MB, a page": { file: "large.json", store: false, calls: 1 },
  "20 MB, a page and a stored whole": { file: "large.json", store: true, calls: 1 },
};
export const POLICY = { maxTokens: 2000 };
export const CALL = { tool: "list_rows" };

/** Rows as JSON text, each of a hundred bytes. */
export function rowsOf(bytes) {
  const row = (id) =>
    JSON.stringify({ id, name: `row ${id}`, note: "a line of words that says nothing new", score: (id * 7919) % 1000 });
  const rows = [];
  for (let size = 0; size < bytes; size += rows.at(-1).length + 1) rows.push(row(rows.length));
  return `[${rows.join(",")}]`;
}
