/** The ways to start the relay by name, each a command to put in front of a server's: every case runs over every way. */
import { describe } from "node:test";

export const PUMPS = JSON.parse(process.env.TOOLSHAPE_PUMPS);

/** The cases of a suite for each way; those of one way run side by side, since most of their time is waiting. */
export function overEach(about, cases) {
  for (const [name, command] of Object.entries(PUMPS)) {
    describe(`${name}: ${about}`, { concurrency: 4 }, () => cases(command, name));
  }
}
