// Values in the order in which they came, any of which may leave. A Set keeps the place of what left until it grows, and
// passes all of these to find the first: with many small results that is most of the time of a write.

interface Place<Value> {
  readonly value: Value;
  before: Place<Value> | undefined;
  after: Place<Value> | undefined;
}

/** A linked list, with a place for each value. */
export class Queue<Value> {
  readonly #places = new Map<Value, Place<Value>>();
  #first: Place<Value> | undefined;
  #last: Place<Value> | undefined;

  get size(): number {
    return this.#places.size;
  }

  /** Adds a value that is not there. */
  add(value: Value): void {
    const place: Place<Value> = { value, before: this.#last, after: undefined };
    this.#places.set(value, place);
    if (this.#last === undefined) this.#first = place;
    else this.#last.after = place;
    this.#last = place;
  }

  delete(value: Value): void {
    const place = this.#places.get(value);
    if (place === undefined) return;
    this.#places.delete(value);
    if (place.before === undefined) this.#first = place.after;
    else place.before.after = place.after;
    if (place.after === undefined) this.#last = place.before;
    else place.after.before = place.before;
  }

  /** The first first; the value that was given last may be deleted meanwhile. */
  *[Symbol.iterator](): Generator<Value, void> {
    for (let place = this.#first; place !== undefined; place = place.after) yield place.value;
  }
}
