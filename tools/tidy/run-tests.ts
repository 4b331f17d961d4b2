import { parseArgs } from "node:util";
import { ensureNatsServer } from "@membus/nats-server";
import { FILES } from "./repository.js";
import { describeRun, isSuccess } from "./run-summary.js";
import { runVitest } from "./run-vitest.js";

/** Environment variable with the path of the nats-server that the tests start. */
const NATS_SERVER = "MEMBUS_NATS_SERVER";

/** Projects of vitest.config.ts that `npm test` runs. `npm run check` runs the project "tidy". */
const FAST_PROJECTS = ["fast/*"];

/** Projects that `npm run test:slow` runs. */
const SLOW_PROJECTS = ["slow", "browser"];

/** `npm run test:slow` passes --slow, `npm run test:all` passes --all. */
const { values, positionals } = parseArgs({
  options: { slow: { type: "boolean" }, all: { type: "boolean" } },
  allowPositionals: true,
});
const runsFast = values.slow !== true || values.all === true;
const runsSlow = values.slow === true || values.all === true;
const slowFiles = runsSlow ? [] : FILES.filter((path) => path.endsWith(".slow.test.ts"));

// Tests that need no server still run if the server is missing. The missing server counts as a failure.
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
const projects = [...(runsFast ? FAST_PROJECTS : []), ...(runsSlow ? SLOW_PROJECTS : [])];
const run = await runVitest([...projects.map((name) => `--project=${name}`), ...positionals], env);
const missing = server === undefined ? [{ title: "nats-server", reason: "it is missing" }] : [];
const summary = { ...run, failed: [...run.failed, ...missing] };
console.log(describeRun(summary, slowFiles));
process.exitCode = isSuccess(summary) ? 0 : 1;
