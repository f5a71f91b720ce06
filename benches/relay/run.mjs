/**
 * Measures the relay's pumps, the pipe alone and other proxies, and writes the results as JSON.
 *
 * Usage: run.mjs <file to write> [--quick]
 */
import { recorder } from "../shape/children.mjs";
import { latency } from "./latency.mjs";
import { memory } from "./memory.mjs";
import { throughput } from "./throughput.mjs";

const [file, quick] = process.argv.slice(2);
const found = { size: quick ? 10e6 : 100e6 };
const step = recorder("relay", found, file);

await step("latency", async () => (found.latency = await latency(...(quick ? [20, 5] : [1000, 100]))));
await step("throughput", async () => (found.throughput = await throughput(...(quick ? [6400, 1] : [64_000, 5]))));
await step("memory", async () => (found.memory = await memory(found.size)));
process.exit();
