// What toolshape promises, in the words of the README.

const PROMISES: readonly (readonly [what: string, how: string])[] = [
  ["It fits.", "What a model reads has at most maxTokens tokens, notes included, counted on the final bytes."],
  ["It says what is missing.", "With counts, and before the data."],
  [
    "Nothing is lost.",
    "For each omission the result names the call that returns it. These calls rebuild the original byte for byte: try it above.",
  ],
  [
    "It is faithful.",
    "Numbers keep their spelling and keys their order, and the bytes are the same in TypeScript, Python and Rust.",
  ],
  ["It stays out of the way.", "What fits passes unchanged, and a tool never fails because of it."],
];

export function Promises() {
  return (
    <section class="promises" aria-labelledby="promises-title">
      <h2 id="promises-title">What it promises</h2>
      <ul>
        {PROMISES.map(([what, how]) => (
          <li key={what}>
            <b>{what}</b> {how}
          </li>
        ))}
      </ul>
    </section>
  );
}
