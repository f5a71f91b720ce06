// The file that says that a folder is a store's: nothing is deleted in a folder of somebody else.

import { closeSync, constants, fstatSync, openSync, opendirSync, readFileSync, writeSync } from "node:fs";
import { isOwnFile, NO_LINKS } from "./own_file.js";
import { storeFailed } from "./store.js";

/** Its name, and its content, in every language. */
export const MARKER = ".toolshape-store";
export const MARKER_TEXT = `toolshape: a store of results, layout 1

Files here are deleted when they expire, or when they are too large together. Keep nothing else in this folder.
`;

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL } = constants;

/**
 * Whether the folder is a store's; an empty one becomes a store's if it `mayBecome` one, and is none otherwise. `at` is
 * where a name of the folder is.
 *
 * @throws {ToolshapeError} `STORE_FAILED` for a folder that has other files.
 */
export function isMarked(at: (name: string) => string, mayBecome: boolean): boolean {
  let text = readMarker(at(MARKER));
  if (text === null) {
    if (!isEmpty(at("."))) {
      // Another process may have made it a store's since.
      text = readMarker(at(MARKER));
      if (text === null) throw notOurs(`it is not empty and has no ${MARKER}`);
    } else if (!mayBecome) {
      return false;
    }
  }
  if (text === MARKER_TEXT) return true;
  // Another process is writing it, or was killed while it did: the rest of it is the same.
  if (text !== null && !MARKER_TEXT.startsWith(text)) throw notOurs(`its ${MARKER} says something else`);
  if (mayBecome) writeMarker(at(MARKER), text === null);
  return true;
}

function notOurs(why: string): Error {
  return storeFailed(`the folder is not a store's: ${why}; name a new or empty folder, or empty this one`);
}

function readMarker(path: string): string | null {
  let fd: number;
  try {
    fd = openSync(path, O_RDONLY | NO_LINKS);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return null;
    if (code === "ELOOP" || code === "EMLINK") throw notOurs(`its ${MARKER} is a link`);
    throw error;
  }
  try {
    const stats = fstatSync(fd);
    if (!isOwnFile(stats)) throw notOurs(`its ${MARKER} is not a file of this user`);
    // Longer than ours is not ours.
    return stats.size > MARKER_TEXT.length ? "…" : readFileSync(fd, "utf8");
  } finally {
    closeSync(fd);
  }
}

function writeMarker(path: string, isNew: boolean): void {
  let fd: number;
  try {
    fd = openSync(path, O_WRONLY | NO_LINKS | (isNew ? O_CREAT | O_EXCL : 0), 0o600);
  } catch (error) {
    // Another process was faster, and writes the same.
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return;
    throw error;
  }
  try {
    writeSync(fd, MARKER_TEXT, 0);
  } finally {
    closeSync(fd);
  }
}

function isEmpty(path: string): boolean {
  const folder = opendirSync(path);
  try {
    return folder.readSync() === null;
  } finally {
    folder.closeSync();
  }
}
