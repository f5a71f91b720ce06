// What counts as a file that this user's stores wrote.

import { constants, type Stats } from "node:fs";

/**
 * Flags that open no link and do not wait for a writer of a planted pipe. On platforms without them, the checks after
 * opening must be enough.
 */
export const NO_LINKS = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Whether a file or folder belongs to this user. */
export function isOwn(stats: Stats): boolean {
  const user = process.geteuid?.();
  return user === undefined || stats.uid === user;
}

/** Whether it is a regular file of this user with one name. */
export function isOwnFile(stats: Stats): boolean {
  return isOwn(stats) && stats.isFile() && stats.nlink === 1;
}
