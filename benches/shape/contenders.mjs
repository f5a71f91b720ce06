/** Who is measured: toolshape, the handler that cuts with each of four tokenizers, and the careful one with the exact one. */
import { BUDGET, PAGE_SIZE, careful, cutting } from "./handlers.mjs";
import { EXACT, TOKENIZERS } from "./tokenizers.mjs";

/** Those that do a work: toolshape first, then the handlers; `only` one of them if that is all one wants. */
export async function contendersOf(work, only) {
  const makers = { toolshape: () => shaped(work) };
  if (!work.isStored) {
    for (const [name, tokenizer] of Object.entries(TOKENIZERS))
      makers[name] = async () => cutting(await tokenizer(), work);
    makers[`${EXACT}, careful`] = async () => careful(await TOKENIZERS[EXACT](), work);
  }
  const names = Object.keys(makers).filter((name) => only === undefined || name === only);
  return Promise.all(names.map(async (name) => ({ name, run: await makers[name]() })));
}

/**
 * Lets a contender meet results of the same kind made of other text, so that its caches hold what is common and
 * its code is compiled. Otherwise hosts would compile it while others wait, in threads whose time is counted as its own.
 */
export async function warmUp({ run }, work, others) {
  const practice = work.practice?.();
  for (let burst = 0; burst < 4; burst++) {
    for (const row of others.slice(burst * 20, burst * 20 + 20)) run({ value: work.json ? JSON.stringify(row) : row });
    for (let call = 0; practice && call < practice.calls; call++) run(inputOf(practice, burst * practice.calls + call));
    // The host compiles in the background.
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}

/** What a contender is given to do. */
export function inputOf(work, version) {
  return { value: work.inputs(version), rows: work.rows, page: work.page?.(version) };
}

async function shaped(work) {
  const { Shaper } = await import("toolshape");
  const shaper = new Shaper({ maxTokens: BUDGET, pageSize: PAGE_SIZE, overflow: work.isStored ? "offload" : "shape" });
  const call = (page) => (page === undefined ? { tool: "bench", store: work.isStored } : { tool: "bench", page });
  if (work.json) return ({ value, page }) => shaper.shapeJson(value, call(page)).text;
  return ({ value, page }) => shaper.shape(value, call(page)).text;
}
