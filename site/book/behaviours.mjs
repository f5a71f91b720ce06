// docs/behaviours.json as a table: a row for each behaviour, a column for each SDK and protocol era, both transports in each cell.

/** The table in Markdown, with the reasons for its gaps below it. */
export function behavioursTable({ columns, transports, rows }) {
  const heads = columns.flatMap(({ title, sdk, eras }) => eras.map((era) => ({ title: `${title}, ${era}`, sdk, era })));
  const reasons = [...new Set(rows.flatMap(({ except = [] }) => except.map(({ reason }) => reason)))];
  const cell = (row, { sdk, era }) => {
    const marks = transports.map((transport) => {
      const reason = reasonAgainst(row, { sdk, era, transport });
      return reason === undefined ? "✓" : `(${reasons.indexOf(reason) + 1})`;
    });
    return [...new Set(marks)].sort().reverse().join(" ");
  };
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [
    line(["", ...heads.map(({ title }) => title)]),
    line(["---", ...heads.map(() => ":-:")]),
    ...rows.map((row) => line([`**${row.name}**: ${row.promise}`, ...heads.map((head) => cell(row, head))])),
    "",
    ...reasons.map((reason, at) => `- (${at + 1}) ${reason}`),
  ].join("\n");
}

/** Why a row does not apply to a column; undefined if it does. */
function reasonAgainst({ except = [] }, column) {
  const applies = ({ where }) => Object.entries(where).every(([key, values]) => [values].flat().includes(column[key]));
  return except.find(applies)?.reason;
}
