// Words that a mistyped one may mean, as the native program finds them: by the similarity of Jaro (1989).

/** How similar two words are at least. */
const LEAST = 0.7;

/** The word that is the most similar, if one is similar. */
export function similar(word: string, words: readonly string[]): string | undefined {
  let best: string | undefined;
  let most = LEAST;
  for (const other of words) {
    const likeness = jaro(word, other);
    if (likeness > LEAST && likeness >= most) [best, most] = [other, likeness];
  }
  return best;
}

/** From 0 for words without a common letter to 1 for equal ones. */
function jaro(left: string, right: string): number {
  const [a, b] = [[...left], [...right]];
  if (a.length === 0 || b.length === 0) return a.length === b.length ? 1 : 0;
  const reach = Math.max(Math.floor(Math.max(a.length, b.length) / 2) - 1, 0);
  const taken = new Array<boolean>(b.length).fill(false);
  const matched = a.filter((letter, at) => {
    for (let other = Math.max(at - reach, 0); other < Math.min(at + reach + 1, b.length); other++) {
      if (taken[other] || b[other] !== letter) continue;
      taken[other] = true;
      return true;
    }
    return false;
  });
  if (matched.length === 0) return 0;
  const inOrder = b.filter((_, at) => taken[at]);
  const moved = matched.filter((letter, at) => letter !== inOrder[at]).length / 2;
  const matches = matched.length;
  return (matches / a.length + matches / b.length + (matches - moved) / matches) / 3;
}
