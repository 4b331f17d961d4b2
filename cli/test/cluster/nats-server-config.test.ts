import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { NATS_SERVER } from "../../../bus/test/nats-server.js";
import { requireRecentServer } from "../../../bus/test/recent-nats-server.js";
import { runCli } from "../run-cli.js";

const cwd = mkdtempSync(join(tmpdir(), "membus-test-"));
afterAll(() => rmSync(cwd, { recursive: true }));

const config = (...args: string[]) => runCli(["cluster", "config", ...args], { cwd });
const read = (...path: string[]) => readFileSync(join(cwd, ...path), "utf8");

it("writes a configuration for each server, which nats-server accepts", async (context) => {
  requireRecentServer(context);
  const args = ["--servers", "n1,n2,n3", "--output", "nats", "--store-dir", join(cwd, "store")];
  const { code, stdout } = await config(...args);
  expect(code).toBe(0);
  expect(stdout).toContain('monitoring: ["http://n1:8222","http://n2:8222","http://n3:8222"]');
  expect(readdirSync(join(cwd, "nats"))).toEqual(["membus-mapping.conf", "n1.conf", "n2.conf", "n3.conf"]);
  expect(read("nats", "n2.conf")).toMatch(/server_name: "n2"[\s\S]*sync_interval: always/);
  expect(read("nats", "n2.conf")).toContain('routes: ["nats://n1:6222","nats://n3:6222"]');
  expect(read("nats", "membus-mapping.conf")).toBe((await config()).stdout);
  for (const name of ["n1", "n2", "n3"])
    execFileSync(NATS_SERVER, ["-t", "-c", join(cwd, "nats", `${name}.conf`)], { stdio: "pipe" });
});

it("writes configurations of three servers on this machine", async (context) => {
  requireRecentServer(context);
  const { stdout } = await config("--local", "--output", "local");
  expect(stdout).toContain("NATS_URL=nats://127.0.0.1:4222,nats://127.0.0.1:4223,nats://127.0.0.1:4224");
  expect(stdout).toContain(`nats-server --config ${join("local", "n3.conf")}`);
  expect(readdirSync(join(cwd, "local"))).toEqual(["membus-mapping.conf", "n1.conf", "n2.conf", "n3.conf"]);
  const second = read("local", "n2.conf");
  for (const line of [
    'listen: "127.0.0.1:4223"',
    'listen: "127.0.0.1:6223"',
    'http: "127.0.0.1:8223"',
    'routes: ["nats://127.0.0.1:6222","nats://127.0.0.1:6224"]',
  ])
    expect(second).toContain(line);
  expect(second).toMatch(/store_dir: "\/.*local\/n2"/);
  execFileSync(NATS_SERVER, ["-t", "-c", join(cwd, "local", "n2.conf")], { stdio: "pipe" });
});

it("includes the file of `membus auth` in place of the mapping", async () => {
  const { code } = await config("--servers", "n1", "--output", "auth", "--include", "nats-auth.conf");
  expect(code).toBe(0);
  expect(readdirSync(join(cwd, "auth"))).toEqual(["n1.conf"]);
  expect(read("auth", "n1.conf")).toMatch(/include "nats-auth.conf"\n$/);
});

it("overwrites no file, and writes nothing then", async () => {
  await config("--servers", "n2", "--output", "kept");
  const { code, stderr } = await config("--servers", "n1,n2,n3", "--output", "kept");
  expect(code).not.toBe(0);
  expect(stderr).toContain("n2.conf exists: move it away, or choose another --output");
  expect(readdirSync(join(cwd, "kept"))).toEqual(["membus-mapping.conf", "n2.conf"]);
});

it("refuses flags of files without servers", async () => {
  const { code, stderr } = await config("--output", "refused");
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining("--store-dir and --include need --servers or --local"),
  ]);
});

it.each([
  ["n1,n1", "--servers has a name twice"],
  ["n1,n2", "two servers fail if one of them does: name one, or at least three"],
  ["n1,", '--servers has "", expected host names'],
  ["n1:4222", '--servers has "n1:4222", expected host names'],
])("refuses the servers %s", async (servers, problem) => {
  const { code, stderr } = await config("--servers", servers, "--output", "refused");
  expect([code, stderr]).toEqual([2, expect.stringContaining(problem)]);
});
