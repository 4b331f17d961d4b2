import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launchNatsServer, type NatsServer } from "@membus/nats-server";
import { afterAll, beforeAll, expect, it } from "vitest";
import { NATS_SERVER } from "../../bus/test/nats-server.js";
import { endChild, lineOf, runCli, spawnCli } from "./run-cli.js";

const cwd = mkdtempSync(join(tmpdir(), "membus-test-"));
const data = join(cwd, "data");
let nats: NatsServer;
beforeAll(async () => {
  nats = await launchNatsServer({ binary: NATS_SERVER });
});
afterAll(async () => {
  await nats.kill();
  rmSync(cwd, { recursive: true });
});

it("shows who deleted an entry, also after a restart, without logging keys", async () => {
  const cli = (...args: string[]) => runCli(args, { cwd, url: nats.url });
  let written = "";
  for (const command of [
    ["remember", "diary of alice", "1", "--tier", "semantic", "--tag", "t", "--agent", "alice"],
    ["forget", "--tag", "t", "--tier", "semantic", "--agent", "mallory"],
  ]) {
    const up = spawnCli(["up", "--data", data, "--audit"], { cwd, url: nats.url });
    up.stderr.on("data", (chunk: Buffer) => {
      written += chunk.toString();
    });
    await lineOf(up, /^membus is listening on/);
    expect((await cli(...command)).code).toBe(0);
    await endChild(up, "SIGTERM");
  }
  const { stdout } = await cli("audit", "hash", "diary of alice", "--data", data);
  const lines = written.split("\n").filter((line) => line.includes(stdout.trim()));
  const records = lines.map((line) => JSON.parse(line));
  expect(records).toMatchObject([
    { msg: "request", type: "memory/store/req", agent: "alice" },
    { msg: "removed", action: "forgotten", agent: "mallory", tier: "semantic", namespace: "default" },
  ]);
  expect(written).not.toContain("diary");
  expect(statSync(join(data, "audit.key")).mode & 0o777).toBe(0o600);
});

it("reports a missing audit secret", async () => {
  const { code, stderr } = await runCli(["audit", "hash", "a", "--data", join(cwd, "none")], { cwd });
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(
      /cannot read the audit secret .*audit\.key \(created by `membus up --audit`, for a cluster by `openssl rand -hex 32`\)/,
    ),
  ]);
});
