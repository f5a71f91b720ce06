// docs/behaviours.json as Markdown: the SDKs that are tested, and each behaviour with the SDKs to which it does not apply.

export function behavioursTable({ columns, transports, rows, agents }) {
  const tested = columns.map(({ title, eras }) => `- ${title}: protocol ${eras.join(" and ")}`);
  const frameworks = agents.columns.map((column) => ({ ...column, sdk: column.framework }));
  return [
    `Tested over ${transports.join(" and ")}:`,
    "",
    ...tested,
    "",
    ...table(rows, columns),
    "",
    `Of agents: ${frameworks.map(({ title }) => title).join(", ")}.`,
    "",
    ...table(agents.rows, frameworks),
  ].join("\n");
}

function table(rows, columns) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [
    line(["behaviour", "does not apply to"]),
    line(["---", "---"]),
    ...rows.map((row) => line([`**${row.name}**: ${row.promise}`, exceptions(row, columns)])),
  ];
}

/** Where a row does not apply, with the reasons. */
function exceptions({ except = [] }, columns) {
  return except.map(({ where, reason }) => `${placesOf(where, columns)}: ${reason}`).join("; ");
}

function placesOf({ framework, sdk = framework, language, era, transport }, columns) {
  const isMeant = (column) => [sdk].flat().includes(column.sdk) || (language && column.language === language);
  const titles = columns.filter(isMeant).map(({ title }) => title);
  return [titles.join(", ") || "all SDKs", era && `protocol ${era}`, transport && `over ${transport}`]
    .filter(Boolean)
    .join(", ");
}
