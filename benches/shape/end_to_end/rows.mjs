/** What the tool of every server returns: rows of about 185 bytes, the same in Python (`rows.py`). */

/** How many rows make up each size of their JSON. */
export const SIZES = { "2 KB": 10, "350 KB": 2_000, "3.7 MB": 20_000 };
const WORDS = "order invoice customer shipment refund payment account ledger contract report".split(" ");

export function rowsOf(count) {
  let seed = 1;
  const below = (bound) => (seed = (seed * 48271) % 2147483647) % bound;
  const word = () => WORDS[below(WORDS.length)];
  const two = (bound, from = 0) => String(below(bound) + from).padStart(2, "0");
  return Array.from({ length: count }, (_, at) => ({
    id: at + 1,
    name: `${word()} ${word()} ${below(10_000)}`,
    status: ["open", "paid", "late"][below(3)],
    owner: `user${below(500)}@example.com`,
    amount: below(1_000_000) / 100,
    updated: `2026-${two(12, 1)}-${two(28, 1)}T${two(24)}:${two(60)}:00Z`,
    note: `${word()} ${word()} ${word()} ${word()} ${word()}`,
  }));
}

/** The same rows, except for a name: so no two calls return the same text, and no store has it already. */
export function versionOf(rows, version) {
  return rows.with(0, { ...rows[0], name: `version ${version}` });
}
