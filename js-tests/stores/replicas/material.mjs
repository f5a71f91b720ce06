// What the tools of every replica return, by topic, replica and run. The replica in Python has the same.

/** 300 events, some 12,000 tokens. */
export function events(topic, madeBy, run) {
  const about = `${topic} as ${madeBy} saw it`;
  return Array.from({ length: 300 }, (_, id) => ({
    id,
    madeBy,
    run,
    text: `event ${id} of ${about}, in its run ${run}`,
  }));
}

/** The same as a log. */
export function lines(topic, madeBy, run) {
  return events(topic, madeBy, run)
    .map(({ text }) => `${text}\n`)
    .join("");
}
