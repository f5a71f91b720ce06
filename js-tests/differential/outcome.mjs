// One call through a face in JavaScript: what every face returns of it.

/** What a call gives, in the form that all faces share. */
export function outcomeOf({ Shaper, expand }, { kind, input, policy, call }) {
  try {
    const shaper = new Shaper(policy);
    if (kind === "result") {
      const { result, unchanged, isError, receipt } = shaper.shapeResult(JSON.parse(input), call);
      return { result, unchanged, isError, steps: receipt?.steps ?? null };
    }
    const shaped = kind === "json" ? shaper.shapeJson(input, call) : shaper.shape(input, call);
    const { text, unchanged, isError, receipt, keep } = shaped;
    const { steps, budget, encoding } = receipt;
    const value = unchanged || JSON.stringify(shaped.value) === JSON.stringify(JSON.parse(held(expand(text))));
    return { text, unchanged, isError, steps, budget, encoding, kept: keep?.key ?? null, value };
  } catch (error) {
    if (error.code === undefined) throw error;
    return { error: error.code, path: error.path };
  }
}

/** JSON text in which a number that no double holds, or a whole number that is not exact, is a string, as it is in values. */
function held(json) {
  return json.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) =>
    token.startsWith('"') || (/^-?\d+$/.test(token) ? Number.isSafeInteger : Number.isFinite)(Number(token))
      ? token
      : `"${token}"`,
  );
}
