/** What is sent through the contenders. */

/** A notification of 100 bytes with its end. */
const [before, after] = [
  '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"',
  '"}}\n',
];
export const MESSAGE = before + "x".repeat(100 - before.length - after.length) + after;

/** Rows of one result: 36 KB as JSON, of which a page fits. */
const ROWS = 300;

/** The texts that tools return: a short one, rows that no other version has, and one of a given number of bytes. */
const TEXTS = {
  small: (version) => `the answer to ${version}`,
  rows: (version) => JSON.stringify(rows(version)),
  line: (size) => "some words of a text ".repeat(size / 21),
};

/** The result of a tool. */
export const callResult = (name, version) => ({ content: [{ type: "text", text: TEXTS[name](version) }] });

function rows(version) {
  return Array.from({ length: ROWS }, (_, row) => ({
    id: version * ROWS + row,
    title: `Order ${row} of version ${version}`,
    status: ["open", "paid", "sent"][row % 3],
    total: (row * 37) % 1000,
    note: `shipped to customer ${row * 17} by carrier ${row % 5}`,
  }));
}
