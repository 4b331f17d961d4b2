import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { mappingLines } from "@membus/cluster/routing";
import { endOnSignal } from "../../../tools/bench/src/harness/end-on-signal.js";
import { isSuccess } from "../../../tools/tidy/run-summary.js";
import { runVitest } from "../../../tools/tidy/run-vitest.js";
import { runSoakCommand } from "../crash/soak-command.js";
import { ClusterStage } from "./cluster-stage.js";

const SHARDS = 4;
const HOSTS = ["a", "b", "c"];
const PROJECTS = ["fast/agentic", "fast/gateway", "fast/integrations"];
const SUITES = ["agentic/test/", "gateway/test/", "integrations/mcp/test/"];

const HELP = `npm run test:cluster -- [FILE...]

Starts three nats-servers, an object store in this process, and three hosts of a cluster. Runs the fast tests of agent memory, of the
gateway and of membus-mcp as its clients, or those in files with FILE in their path. A test that stops its host, or needs another clock or
plugin, starts a host itself.

For a cluster that runs already, without an embedder: MEMBUS_TEST_SERVERS=nats://a,nats://b npx vitest run --no-file-parallelism FILE...
The tests erase its tenant \`default\`, and leave entries in tenants with names such as \`test-ID\`.
`;

async function runSuites(files: readonly string[]): Promise<void> {
  const stage = await ClusterStage.open({ config: mappingLines("a2e", SHARDS) });
  const removeHandlers = endOnSignal(() => stage.close());
  try {
    // The hosts that tests start have no embedder, unless a test needs one.
    await writeFile(join(stage.folder, "membus.yaml"), "embedder: { provider: none }\n");
    const init = ["--store", "s3://bucket/memory", "--shards", String(SHARDS)];
    await stage.ok("cluster", "init", ...init);
    await Promise.all(HOSTS.map((host) => stage.start(host)));
    const env = { ...process.env, MEMBUS_TEST_SERVERS: stage.urls.join(",") };
    const flags = [...PROJECTS.map((name) => `--project=${name}`), "--no-file-parallelism"];
    const summary = await runVitest([...flags, ...(files.length > 0 ? files : SUITES)], env);
    process.exitCode = isSuccess(summary) ? 0 : 1;
  } finally {
    removeHandlers();
    await stage.close();
  }
}

await runSoakCommand(process.argv.slice(2), {
  help: HELP,
  readFlags: (args) => (args.includes("--help") || args.includes("-h") ? undefined : args),
  run: runSuites,
});
