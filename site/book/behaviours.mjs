// docs/behaviours.json as Markdown: the SDKs that are tested, and each behaviour with the SDKs to which it does not apply.

export function behavioursTable({ columns, transports, rows }) {
  const tested = columns.map(({ title, eras }) => `- ${title}: protocol ${eras.join(" and ")}`);
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [
    `Tested over ${transports.join(" and ")}:`,
    "",
    ...tested,
    "",
    line(["behaviour", "does not apply to"]),
    line(["---", "---"]),
    ...rows.map((row) => line([`**${row.name}**: ${row.promise}`, exceptions(row, columns)])),
  ].join("\n");
}

/** Where a row does not apply, with the reasons. */
function exceptions({ except = [] }, columns) {
  return except.map(({ where, reason }) => `${placesOf(where, columns)}: ${reason}`).join("; ");
}

function placesOf({ sdk, era, transport }, columns) {
  const titles = columns.filter((column) => [sdk].flat().includes(column.sdk)).map(({ title }) => title);
  return [titles.join(", ") || "all SDKs", era && `protocol ${era}`, transport && `over ${transport}`]
    .filter(Boolean)
    .join(", ");
}
