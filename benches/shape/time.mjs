/**
 * Times one work in this process, contender after contender, round after round, and prints what it found as JSON.
 *
 * What is measured is the processor time of the process, which others on the machine do not add to.
 *
 * Usage: node --expose-gc time.mjs <work> <folder of the data> <rounds>
 */
import { contendersOf, inputOf, warmUp } from "./contenders.mjs";
import { TOKENIZERS } from "./tokenizers.mjs";
import { WORKS, loadData } from "./works.mjs";

const [name, folder, rounds] = process.argv.slice(2);
const data = loadData(folder);
const work = WORKS[name](data);
const contenders = await contendersOf(work);
if (work.growsFrom) {
  contenders.push({ ...contenders[0], name: "toolshape, 1,000 rows", work: work.growsFrom });
}
if (work.baseline) {
  const run = ({ value }) => work.baseline.run(value);
  contenders.push({ name: work.baseline.name, run, calls: work.baselineCalls, isBaseline: true });
}
for (const contender of contenders) if (!contender.isBaseline) await warmUp(contender, work, data.others);

const milliseconds = Object.fromEntries(contenders.map(({ name }) => [name, []]));
const texts = {};
// The first round is not looked at: it meets the kind of value for the first time.
for (let round = 0; round <= rounds; round++) {
  for (const contender of contenders) {
    const { run, calls = work.calls } = contender;
    // In every round other versions, the same ones for everyone.
    const inputs = Array.from({ length: calls }, (_, at) => inputOf(contender.work ?? work, round * work.calls + at));
    gc();
    // The host sweeps and compiles in threads of its own, whose time is none of this contender's.
    await new Promise((resolve) => setTimeout(resolve, 50));
    let text;
    const start = process.cpuUsage();
    for (const input of inputs) text = run(input);
    const { user, system } = process.cpuUsage(start);
    if (round > 0) milliseconds[contender.name].push((user + system) / 1000 / calls);
    if (!contender.isBaseline) texts[contender.name] = text;
  }
}
console.log(JSON.stringify({ work: name, milliseconds, ...(await judge(texts)) }));

/** How many tokens the texts really have, by a tokenizer that is exact and shares no code with toolshape, and which are JSON. */
async function judge(texts) {
  const { count } = await TOKENIZERS.tiktoken();
  const each = (look) => Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, look(text)]));
  return { tokens: each(count), isJson: each(parses) };
}

function parses(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
