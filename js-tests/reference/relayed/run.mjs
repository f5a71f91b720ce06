// A server's script, run by one way.

import { join } from "node:path";
import { makeRepository, scratchFolder } from "./scratch.mjs";
import { ALL } from "./servers.mjs";
import { Session } from "./session.mjs";

/** What each step of the server's script brings by this way, in a `Kind` of session, which stays open for more. */
export async function run(name, way, page, Kind = Session) {
  const server = ALL[name];
  const { folder, remove } = scratchFolder();
  if (name === "git") makeRepository(join(folder, "repository"));
  const steps = server.steps(folder, page).filter(Kind.canTake);
  const session = await Kind.open(way, {
    command: server.command(folder),
    listening: (port) => server.listening?.(folder, port),
    env: server.env?.(folder),
    roots: server.roots?.(folder),
  });
  const came = [];
  for (const step of steps) came.push(await (step.isList ? session.list(step.method) : session.take(step)));
  const end = async () => {
    await session.close();
    remove();
  };
  return { steps, came, session, folder, end };
}
