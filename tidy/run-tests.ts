import { ensureNatsServer } from "@membus/nats-server";
import { describeRun, isSuccess } from "./run-summary.js";
import { runVitest } from "./run-vitest.js";

/** Where the tests look first for the nats-server to run with. */
const NATS_SERVER = "MEMBUS_NATS_SERVER";

// Without a server the tests run all the same, and the missing server counts as a failure.
const server = await ensureNatsServer({
  explicitPath: process.env[NATS_SERVER] || undefined,
  env: process.env,
  onStep: console.log,
}).catch((error: Error) => {
  console.error(error.message);
  return undefined;
});
if (server !== undefined) console.log(`Testing with nats-server ${server.version}: ${server.path}`);

const run = await runVitest(process.argv.slice(2), { ...process.env, [NATS_SERVER]: server?.path });
const summary = server === undefined ? { ...run, failed: run.failed + 1 } : run;
console.log(describeRun(summary));
process.exitCode = isSuccess(summary) ? 0 : 1;
