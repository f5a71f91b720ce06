// The tables of a page as figures: what the benchmark wrote there is what the plots draw.

/** Each table of a page: the headings above it, the names of its columns, and its rows as objects. */
export function tablesOf({ tokens }) {
  const tables = [];
  const above = [];
  let row;
  for (const [at, token] of tokens.entries()) {
    if (token.type === "heading_open") {
      above.length = Number(token.tag[1]) - 1;
      above.push(plain(tokens[at + 1]));
    }
    if (token.type === "table_open") tables.push({ above: above.filter(Boolean), columns: undefined, rows: [] });
    if (token.type === "tr_open") row = [];
    if (token.type === "th_open" || token.type === "td_open") row.push(plain(tokens[at + 1]));
    if (token.type === "tr_close") {
      const table = tables.at(-1);
      if (table.columns === undefined) table.columns = row;
      else table.rows.push(Object.fromEntries(row.map((cell, column) => [table.columns[column], cell])));
    }
  }
  return tables;
}

/** The first number of a cell, with the middle half of its rounds where brackets have it; nothing if there is no number. */
export function figure(cell) {
  const number = "(-?[\\d,]*\\.?\\d+)";
  const found = new RegExp(`^${number}(?: \\(${number} to ${number}\\))?`).exec(cell ?? "");
  if (!found) return undefined;
  const [middle, low = middle, high = middle] = found.slice(1).map((part) => part && Number(part.replaceAll(",", "")));
  return { middle, low, high };
}

function plain({ children }) {
  return (children ?? []).map(({ content }) => content).join("");
}
