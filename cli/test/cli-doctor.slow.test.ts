import { mkdirSync, writeFileSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { launchNatsServer } from "@membus/nats-server";
import { afterAll, beforeAll, expect, it } from "vitest";
import { NATS_SERVER } from "../../bus/test/nats-server.js";
import { checkNode } from "../src/doctor/check-node.js";
import { endChild, lineOf, runCli, spawnCli } from "./run-cli.js";
import { RunningHost } from "./running-host.js";

interface Found {
  readonly check: string;
  readonly state: string;
  readonly found: string;
}

const host = new RunningHost();
const data = ["--config", "doctor.yaml"];
beforeAll(async () => {
  await host.start();
  writeFileSync(join(host.directory, "doctor.yaml"), "data: ./data\n");
});
afterAll(() => host.stop());

it("reports no problems for a running host", async () => {
  const findings = await host.json<Found[]>(["doctor", ...data]);
  expect(findings.map(({ check, state }) => `${check} ${state}`)).toEqual([
    "node ok",
    "nats-server ok",
    "host ok",
    "tier working ok",
    "tier episodic ok",
    "tier semantic ok",
    "data ok",
    "embedder ok",
  ]);
  expect(findings[2]?.found).toMatch(/^[0-9a-f-]{36} serves working, episodic, semantic$/);
  expect(findings.find(({ check }) => check === "data")?.found).toMatch(
    /data, \d+\.\d GiB free, used by process \d+$/,
  );
});

it("reports that no process uses another folder", async () => {
  const { stdout } = await host.cli(["doctor"]);
  expect(stdout).toMatch(/^ok {4}data: .*GiB free, not used by any process$/m);
});

it("reports files that other users can read", async () => {
  const key = join(host.directory, "open.nk");
  const folder = join(host.directory, "open");
  writeFileSync(key, "x", { mode: 0o644 });
  mkdirSync(folder, { mode: 0o755 });
  writeFileSync(join(host.directory, "open.yaml"), `data: ${folder}\nnats: { tls_key: ${key} }\n`);
  const { code, stdout } = await host.cli(["doctor", "--config", "open.yaml"]);
  expect(code).toBe(1);
  expect(stdout).toContain(
    `FAIL  files: ${key} is a secret that other users of this machine can read (mode 644)`,
  );
  expect(stdout).toContain(`warn  files: ${folder} is accessible to other users of this machine (mode 755)`);
});

it("reports a tier with failing maintenance", async () => {
  const folder = join(host.directory, "failing");
  mkdirSync(folder);
  const plugin = fileURLToPath(new URL("failing-maintenance.js", import.meta.url));
  const nats = await launchNatsServer({ binary: NATS_SERVER });
  const args = ["up", "--data", folder, "--plugin", `working=${plugin}`, "--log-level", "silent"];
  const up = spawnCli(args, { url: nats.url, cwd: host.directory });
  try {
    await lineOf(up, /^membus is listening on/);
    const looked = () => runCli(["doctor"], { url: nats.url, cwd: host.directory });
    await expect
      .poll(async () => (await looked()).stdout)
      .toMatch(/^FAIL {2}tier working: maintenance has failed \d+ times in a row/m);
  } finally {
    await endChild(up, "SIGTERM");
    await nats.stop();
  }
});

it("reports a tier with a table that lacks rows", async () => {
  const entry = JSON.stringify({ key: "a", content: "a", tier: "semantic" });
  await host.json(["store", entry]);
  const table = join(host.data, "semantic/table/t_default.lance");
  const synced = () => readFile(join(table, "_synced.json"), "utf8").catch(() => "");
  await expect.poll(synced).toContain('"rowCount":1');
  await host.kill();
  const manifests = (await readdir(join(table, "_versions"))).filter((name) => name.endsWith(".manifest"));
  await rm(join(table, "_versions", manifests.sort()[0]!));
  await host.restart();
  const { code, stderr } = await host.cli(["retrieve", "--tier", "semantic"]);
  expect([code, stderr]).toEqual([1, expect.stringContaining("operator must repair it")]);
  const { stdout } = await host.cli(["doctor", ...data]);
  expect(stdout).toMatch(/^FAIL {2}tier semantic: 1 of 1 tables are damaged or lack rows/m);
  await host.restart(["--accept-loss"]);
  await host.json(["retrieve", "--tier", "semantic"]);
  expect((await host.cli(["doctor", ...data])).stdout).toMatch(/^ok {4}tier semantic/m);
});

it("suggests fixes for missing parts, and exits with 1", async () => {
  const { code, stdout } = await host.cli(["doctor", "--nats", "nats://127.0.0.1:1"]);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^FAIL {2}host: cannot connect to NATS at nats:\/\/127.0.0.1:1/m);
  expect(stdout).toMatch(/^ {6}start a host with `membus up`/m);
});

it("requires Node 20.19", () => {
  expect(["20.18.3", "20.19.0", "22.1.0"].map((version) => checkNode(version).state)).toEqual([
    "problem",
    "ok",
    "ok",
  ]);
});
