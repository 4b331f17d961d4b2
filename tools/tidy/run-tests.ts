import { ensureNatsServer } from "@membus/nats-server";
import { FILES } from "./repository.js";
import { describeRun, isSuccess } from "./run-summary.js";
import { runVitest } from "./run-vitest.js";

/** Where the tests look first for the nats-server to run with. */
const NATS_SERVER = "MEMBUS_NATS_SERVER";

/** Given by `npm run test:all`. */
const ALL = "--all";

const args = process.argv.slice(2).filter((argument) => argument !== ALL);
const isAll = process.argv.includes(ALL);
const filesLeftOut = isAll ? [] : FILES.filter((path) => path.endsWith(".slow.test.ts"));

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

const env = { ...process.env, [NATS_SERVER]: server?.path };
// The rules of `tidy` are kept by `npm run check`.
const projects = ["unit", "system", "suites", ...(isAll ? ["slow"] : [])].map((name) => `--project=${name}`);
const run = await runVitest([...projects, ...args], env);
const summary = server === undefined ? { ...run, failed: run.failed + 1 } : run;
console.log(describeRun(summary, filesLeftOut));
process.exitCode = isSuccess(summary) ? 0 : 1;
