import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { launchNatsServer } from "@membus/nats-server";
import { expect, it, onTestFinished } from "vitest";
import { NATS_SERVER } from "../../bus/test/nats-server.js";
import { endChild, lineOf, spawnCli } from "./run-cli.js";

/** Modules of clusters that a host with a folder loads: they name the subjects of a cluster. */
const CLUSTER_MODULES = [
  "cluster/dist/routing/check-routing.js",
  "cluster/dist/routing/mapping-lines.js",
  "cluster/dist/routing/shard-mappings.js",
  "cluster/dist/routing/shard-of.js",
  "cluster/dist/shard-count.js",
];
/** Other modules that only hosts of clusters need. */
const FOR_CLUSTERS =
  /^(cli\/dist\/cluster\/|node_modules\/(@nats-io\/(jetstream|kv)|aws4fetch)\/|plugins\/lancedb\/dist\/store\/s3-)/;
/** The bundle of every version of Node has the same modules: 724 of them are loaded. */
const BUNDLED_MAX = 740;
/** Files of dependencies. Node 20.20 loads 225, other versions may take other files of a package. */
const DEPENDENCIES_MAX = 250;

it("a host with a folder loads no module that only clusters need, and a bounded number of others", async () => {
  const folder = mkdtempSync(join(tmpdir(), "membus-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const server = await launchNatsServer({ binary: NATS_SERVER });
  onTestFinished(() => server.stop());
  // Node writes the scripts that it has loaded to this folder when it ends.
  const coverage = join(folder, "coverage");
  const env = { NODE_V8_COVERAGE: coverage };
  const up = spawnCli(["up", "--data", join(folder, "data")], { url: server.url, cwd: folder, env });
  await lineOf(up, /^membus is listening on/);
  await endChild(up, "SIGTERM");
  const scripts = new Set(loadedScripts(coverage));
  const modules = [...new Set([...scripts].flatMap(bundledModules))];
  expect(modules.filter((module) => module.startsWith("cluster/")).sort()).toEqual(CLUSTER_MODULES);
  expect(modules.filter((module) => FOR_CLUSTERS.test(module))).toEqual([]);
  expect(modules.length).toBeLessThanOrEqual(BUNDLED_MAX);
  const dependencies = [...scripts].filter((script) => script.includes("/node_modules/"));
  expect(dependencies.length).toBeLessThanOrEqual(DEPENDENCIES_MAX);
});

function loadedScripts(coverage: string): readonly string[] {
  const reports = readdirSync(coverage).map(
    (name) => JSON.parse(readFileSync(join(coverage, name), "utf8")) as { result: { url: string }[] },
  );
  const urls = reports.flatMap(({ result }) => result.map(({ url }) => url));
  return urls.filter((url) => url.startsWith("file:")).map((url) => fileURLToPath(url));
}

/** Returns the modules of a script. The bundler writes the path of each above it. */
function bundledModules(script: string): string[] {
  return [...readFileSync(script, "utf8").matchAll(/^\/\/ (\S+\.js)$/gm)].map(([, path]) => path!);
}
