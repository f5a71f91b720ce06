/**
 * A server that does what a test requests, and nothing by itself: what it reads goes to the test as it comes, and what the
 * test says is written in pieces. It ends with the test.
 *
 * Usage: server.mjs <folder with the sockets `data` and `control`> <bytes of a piece>
 */
import { spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";

const [folder, piece] = process.argv.slice(2);
const data = connect({ path: join(folder, "data"), allowHalfOpen: true });
const control = connect(join(folder, "control"));
const record = (message) => control.write(`${JSON.stringify(message)}\n`);

const orders = {
  exit: ({ code }) => process.exit(code),
  die: ({ signal }) => process.kill(process.pid, signal),
  closeOutput: () => closeSync(1),
  stopReading: () => process.stdin.unpipe(data).pause(),
  startReading: () => process.stdin.pipe(data),
  complain: ({ text }) => process.stderr.write(text),
  /** Signals no longer end this process; it reports them. */
  ignore: ({ signals }) => signals.forEach((signal) => process.on(signal, () => record({ signal }))),
  /** A process below this one, which ends by SIGKILL alone, and holds what this one writes to. */
  bear: () => {
    const stubborn =
      "for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(name, () => {}); setInterval(() => {}, 1000); process.send('up')";
    const child = spawn(process.execPath, ["-e", stubborn], { stdio: ["inherit", "inherit", "inherit", "ipc"] });
    child.once("message", () => record({ born: child.pid }));
  },
};

/** Writes all of it, and meanwhile does nothing else, as a server that writes without reading. */
function write(bytes) {
  for (let at = 0; at < bytes.length; at += Number(piece)) process.stdout.write(bytes.subarray(at, at + Number(piece)));
}

// Else what is written last is lost when this process exits.
process.stdout._handle.setBlocking(true);
process.stdin.pipe(data);
data.on("data", write).on("end", () => record({ written: true }));
data.on("error", () => {});
control.on("error", () => {}).on("close", () => process.kill(process.pid, "SIGKILL"));
createInterface(control).on("line", (line) => {
  const order = JSON.parse(line);
  orders[order.do](order);
  record({ done: order.do });
});
record({ pid: process.pid, environment: process.env.TOOLSHAPE_TEST ?? null });
