import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { launchNatsServer } from "@membus/nats-server";
import { expect, it, onTestFinished } from "vitest";
import { NATS_SERVER } from "../../bus/test/nats-server.js";
import { endChild, lineOf, spawnCli } from "./run-cli.js";

/** Modules of clusters. A host with a folder needs only the names of their subjects. */
const OF_CLUSTERS =
  /^(cluster\/dist\/(?!routing\/|shard-count)|node_modules\/(@nats-io\/(jetstream|kv)|aws4fetch)\/|plugins\/lancedb\/dist\/store\/s3-)/;

it("a host with a folder loads no module of clusters", async () => {
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
  const modules = loadedScripts(coverage).flatMap(bundledModules);
  expect(modules).toContain("cluster/dist/routing/shard-mappings.js");
  expect(modules.filter((module) => OF_CLUSTERS.test(module))).toEqual([]);
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
