// Measures how much of what a reader needs a first result shows, compared with the start alone and both ends of the same number of characters.
//   node benches/first_result/run.mjs PROGRAM JS PY [FOLDER]
// PROGRAM is `toolshape`; JS and PY are the folders with the programs of npm and pip that `recordings.mjs` and `builds.mjs` call.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { CONTROLS, record } from "./recordings.mjs";

const [program, js, py, given] = process.argv.slice(2);
const folder = given ?? mkdtempSync(join(tmpdir(), "first-result-"));
mkdirSync(folder, { recursive: true });
const kept = join(folder, "recordings.json");
const recordings = existsSync(kept) ? JSON.parse(readFileSync(kept, "utf8")) : record(folder, { js, py });
writeFileSync(kept, JSON.stringify(recordings));
const plain = stripVTControlCharacters;
const shape = (input, tokens) => {
  const run = spawnSync(program, ["shape", "--max-tokens", String(tokens)], {
    input,
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  if (run.status !== 0) throw new Error(run.stderr);
  return run.stdout.trimEnd();
};
// What a model reads of JSON: its strings, not their escapes.
const read = (shown) => {
  const texts = [];
  const walk = (value) =>
    typeof value === "object" && value
      ? Object.entries(value).forEach(([key, inside]) => (texts.push(key), walk(inside)))
      : texts.push(String(value));
  try {
    walk(JSON.parse(shown));
  } catch {
    texts.push(shown);
  }
  return plain(texts.join("\n"));
};
const FORMS = {
  text: ({ text }) => text,
  field: ({ text, exitCode }) => JSON.stringify({ exitCode, stdout: text, stderr: "" }),
  lines: ({ text }) => JSON.stringify(text.trimEnd().split("\n")),
};
for (const tokens of [500, 2000]) {
  for (const [form, make] of Object.entries(FORMS)) {
    const sums = { ours: [0, 0], head: [0, 0], both: [0, 0] };
    const missed = [];
    let [all, verdicts] = [0, 0];
    for (const recording of recordings) {
      const shown = shape(make(recording), tokens);
      const [length, text] = [shown.length, plain(recording.text)];
      const views = {
        ours: read(shown),
        head: text.slice(0, length),
        both: `${text.slice(0, length / 2)}\n${text.slice(-length / 2)}`,
      };
      for (const [kind, wanted] of Object.entries(recording.needs))
        for (const need of wanted) {
          if (!text.includes(need)) {
            if (tokens === 500 && form === "text") console.log(`not in the recording: ${recording.name}: ${need}`);
            continue;
          }
          all += 1;
          verdicts += kind === "verdict";
          for (const [view, seen] of Object.entries(views))
            if (seen.includes(need)) sums[view] = [sums[view][0] + 1, sums[view][1] + (kind === "verdict")];
          if (!views.ours.includes(need))
            missed.push(
              `${views.both.includes(need) ? "both ends show" : "missed"}: ${recording.name}: ${kind}: ${need}`,
            );
        }
    }
    const share = ([found, ofVerdicts]) =>
      `${Math.round((100 * found) / all)} % (verdicts ${Math.round((100 * ofVerdicts) / verdicts)} %)`;
    console.log(
      `${tokens} tokens, ${form}: ours ${share(sums.ours)}, start ${share(sums.head)}, both ends ${share(sums.both)}`,
    );
    if (process.env.MISSED) console.log(missed.map((line) => `    ${line}`).join("\n"));
  }
}
const runs = CONTROLS.filter((path) => shape(readFileSync(path, "utf8"), 500).includes('"text":"run"'));
console.log(`controls taken for runs: ${runs.join(", ") || "none"} of ${CONTROLS.length}`);
