// When a value expires, stored in a second entry if a backend has no time to live: under `<key>.expires`, in milliseconds since
// 1970, as text. Python's `FsspecStore` uses the same form. It is written before the value and deleted after it, so that
// no value of ours is without it.

import { KEY } from "./store.js";

const ENDING = ".expires";
/** How long something has expired before a sweep deletes it: a writer elsewhere may just extend its time. */
const GRACE_MILLISECONDS = 60 * 60 * 1000;

/** Where the expiry of a key is kept. */
export function besideKey(key: string): string {
  return key + ENDING;
}

/** The key whose expiry is kept here; undefined for any other name. */
export function keyBeside(name: string): string | undefined {
  const key = name.slice(0, -ENDING.length);
  return name.endsWith(ENDING) && KEY.test(key) ? key : undefined;
}

/** What is kept for a value that lives so long. */
export function expiryText(ttlSeconds: number): string {
  return String(Math.ceil(Date.now() + ttlSeconds * 1000));
}

/** Whether a value has expired. What nothing is kept of was written by others, who see to its end. */
export function isOver(text: string | null): boolean {
  return text !== null && !(Number(text) > Date.now());
}

/** Whether a value has expired for so long that it can be deleted. */
export function isLongOver(text: string | null): boolean {
  return text !== null && !(Number(text) > Date.now() - GRACE_MILLISECONDS);
}
