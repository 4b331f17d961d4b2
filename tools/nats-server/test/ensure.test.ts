import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ensureNatsServer } from "../src/index.js";
import {
  downloadSite,
  releaseArchive,
  releaseOf,
  temporaryDir,
  unpackingTools,
  writeProgram,
} from "./fake-nats-server.js";

let directory: string;
const steps: string[] = [];
const onStep = (message: string) => void steps.push(message);
beforeEach(() => {
  directory = temporaryDir();
  steps.length = 0;
});
afterEach(() => rmSync(directory, { recursive: true }));

it("installs nothing if a server is found", async () => {
  const path = writeProgram(join(directory, "bin", "nats-server"), "nats-server: v7.1.2");
  const env = { PATH: join(directory, "bin"), MEMBUS_CACHE_DIR: join(directory, "cache") };
  expect(await ensureNatsServer({ env, onStep })).toEqual({ path, version: "7.1.2", source: "path" });
  expect(steps).toEqual([]);
});

it("installs nothing instead of an invalid explicit path", async () => {
  const explicitPath = join(directory, "absent");
  await expect(ensureNatsServer({ explicitPath, env: process.env, onStep })).rejects.toThrow(TypeError);
  expect(steps).toEqual([]);
});

/** Returns options of a machine without nats-server, regardless of this machine. */
const bare = (env: NodeJS.ProcessEnv) => ({
  env: { PATH: unpackingTools(directory), MEMBUS_CACHE_DIR: join(directory, "cache"), ...env },
  systemDirs: [],
  onStep,
});

it("installs if none is found, reports it, and finds it the next time", async () => {
  const archive = releaseArchive(directory, "nats-server: v9.9.9");
  const site = await downloadSite((_request, response) => response.end(archive));
  const options = { ...bare({ MEMBUS_NATS_DOWNLOAD_BASE: site.url }), release: releaseOf(archive) };
  const path = join(directory, "cache", "nats-server", "9.9.9", "nats-server");
  expect(await ensureNatsServer(options)).toEqual({ path, version: "9.9.9", source: "cache" });
  expect(steps[0]).toBe("No nats-server found on the PATH or in the cache of membus");
  expect(await ensureNatsServer(options)).toEqual({ path, version: "9.9.9", source: "cache" });
  expect(site.paths).toHaveLength(1);
  await site.close();
});

it("skips a cached program that does not run", async () => {
  const cached = (version: string) => join(directory, "cache", "nats-server", version, "nats-server");
  writeProgram(cached("3.0.0"), "damaged");
  writeProgram(cached("2.0.0"), "nats-server: v2.0.0");
  expect(await ensureNatsServer(bare({}))).toEqual({
    path: cached("2.0.0"),
    version: "2.0.0",
    source: "cache",
  });
});

it("reports all reasons if it cannot be installed", async () => {
  const env = { PATH: join(directory, "empty"), MEMBUS_NATS_DOWNLOAD_BASE: "http://127.0.0.1:1" };
  await expect(ensureNatsServer(bare(env))).rejects.toMatchObject({
    code: "unavailable",
    detail: { go: "go was not found", debian: "apt-get was not found", release: expect.any(String) },
  });
});
