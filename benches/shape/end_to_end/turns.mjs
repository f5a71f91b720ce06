/**
 * The orders in which four or more take turns, one for each round: nobody comes twice in a row, and each comes after each
 * other one equally often within the rounds. Who comes twice in a row finds its code and its data in the processor's caches.
 *
 * They are balanced Latin squares (E. J. Williams, "Experimental designs balanced for the estimation of residual effects of
 * treatments", 1949).
 */
export function orders(count) {
  const first = Array.from({ length: count }, (_, at) => (at % 2 === 1 ? (at + 1) / 2 : (count - at / 2) % count));
  const square = first.map((_, shift) => first.map((at) => (at + shift) % count));
  return count % 2 === 0 ? square : [...square, ...square.map((order) => order.toReversed())];
}
