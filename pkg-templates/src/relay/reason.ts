// Why a call of the operating system failed, in the words of the native program.

import { getSystemErrorMap } from "node:util";

/** Messages that differ from those of the system. */
const OWN: Readonly<Record<string, string>> = { EISDIR: "is a directory" };

/** The reason: `No such file or directory (os error 2)`; the message of any other error. */
export function reasonOf(error: unknown): string {
  const { errno, message } = error as NodeJS.ErrnoException;
  const known = errno === undefined ? undefined : getSystemErrorMap().get(errno);
  if (errno === undefined || known === undefined) return message;
  const [code, text] = known;
  const words = OWN[code] ?? text;
  return `${words.charAt(0).toUpperCase()}${words.slice(1)} (os error ${-errno})`;
}
