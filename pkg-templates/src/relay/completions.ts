// `toolshape completions`: a script with which a shell completes the command line, as the native program makes it.

import scripts = require("./completions.json");

/** The script of a shell. */
export function completions(shell: string): string {
  return (scripts as Readonly<Record<string, string>>)[shell] ?? "";
}
