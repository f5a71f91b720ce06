// A model that plays a script. A script is a list of turns, a turn a list of calls that the model makes at once:
// `{ as, tool, args, ifOffered }`. `args` may be a function of what the model has read of earlier calls, by their `as`. A turn of
// calls with `ifOffered` is left out where the host does not offer their tools.

/** Turns that are played again because a host asks twice. */
const MOST_REPEATED = 3;

const idOf = (turn, at) => `call_${turn}x${at}`;
const placeOf = (id) =>
  /call_(\d+)x(\d+)/
    .exec(id ?? "")
    ?.slice(1)
    .map(Number);

/** A text without the escapes of hosts that write results as JSON. */
export const plain = (text) => text.replace(/\\+"/g, '"');

export class ScriptedModel {
  /** What the model read, by the id of the call. */
  reads = new Map();
  /** Tools that the script names and the host did not offer. */
  missing = new Set();
  /** The names that the host gives to tools. */
  offered = new Set();

  constructor(script) {
    this.script = script;
    this.made = [];
    this.repeated = 0;
    this.ids = new Map(script.flatMap((turn, number) => turn.map(({ as }, at) => [as, idOf(number, at)])));
  }

  /** What it says to a request with these tools, results and ids of earlier calls. */
  answer({ tools, results, ids }) {
    if (tools.length === 0) return { text: "A title" };
    tools.forEach(({ name }) => this.offered.add(name));
    this.#remember(results);
    let turn = this.#turnAfter(ids);
    for (; this.#isOmitted(turn, tools); turn++) this.made[turn] = [];
    const calls = (this.script[turn] ?? []).flatMap((call, at) => this.#call(call, idOf(turn, at), tools));
    // A host that compacts its history forgets what the model did: it is not done again and again.
    if (calls.length === 0 || this.#isRepeated(turn)) return { text: "done" };
    this.made[turn] = calls;
    return { calls };
  }

  /** What it read of a call: `{ text, images }`. */
  read(as) {
    return this.reads.get(this.ids.get(as)) ?? { text: "", images: 0 };
  }

  /** Whether a turn is only for hosts that offer a tool, and this one does not. */
  #isOmitted(turn, tools) {
    return this.script[turn]?.every(({ ifOffered, tool }) => ifOffered && !tools.some(({ name }) => name === tool));
  }

  #isRepeated(turn) {
    if (this.made[turn]) this.repeated += 1;
    return this.repeated > MOST_REPEATED;
  }

  #remember(results) {
    const byPlace = this.made.flat();
    results.forEach(({ id, text, images }, at) => {
      const place = placeOf(id);
      const key = place ? idOf(...place) : byPlace[at]?.id;
      // Hosts shorten old results: the first reading counts.
      if (key && !this.reads.has(key)) this.reads.set(key, { text, images });
    });
  }

  #turnAfter(ids) {
    const places = ids.map(placeOf);
    if (places.every(Boolean)) return places.reduce((last, [turn]) => Math.max(last, turn), -1) + 1;
    let [left, turn] = [ids.length, 0];
    while (left > 0 && this.made[turn]) left -= this.made[turn++].length;
    return turn;
  }

  #call({ tool, args = {}, code, through }, id, tools) {
    const offered = through ?? tool;
    // A host puts the server's name before a tool's.
    const found =
      tools.find(({ name }) => name === offered) ??
      tools.find(({ name }) => new RegExp(`[^a-z]${offered}$`, "i").test(name));
    if (!found) {
      this.missing.add(offered);
      return [];
    }
    const filled = typeof args === "function" ? args((as) => plain(this.read(as).text)) : args;
    return [{ id, name: found.name, namespace: found.namespace, args: filled, code, tool }];
  }
}
