/**
 * A client in a process of its own, so that it can be killed: starts a relay, makes a call, and prints the relay's pid.
 *
 * Usage: client.mjs <the relay's command line>
 */
import { spawn } from "node:child_process";

const [program, ...args] = process.argv.slice(2);
const relay = spawn(program, args, { stdio: ["pipe", "pipe", "ignore"] });
relay.stdin.write('{"jsonrpc":"2.0","id":1,"method":"x/wait"}\n');
console.log(relay.pid);
