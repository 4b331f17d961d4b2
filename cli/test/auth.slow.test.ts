import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCli } from "./run-cli.js";

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "membus-test-"));
});
afterEach(() => rmSync(cwd, { recursive: true }));

const FOLDER = "membus-auth";
const auth = (...args: string[]) => runCli(["auth", ...args], { cwd });
const read = (name: string) => readFileSync(join(cwd, FOLDER, name), "utf8");
const mode = (name: string) => (statSync(join(cwd, FOLDER, name)).mode & 0o777).toString(8);

async function done(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await auth(...args);
  expect([code, stderr]).toEqual([0, ""]);
  return stdout;
}

describe("membus auth", () => {
  it("writes private seed files and prints their paths, never the seeds", async () => {
    const outputs = [
      await done("init"),
      await done("add-tenant", "acme", "--connections-max", "20"),
      await done("add-agent", "acme", "alice"),
      await done("add-agent", "acme", "zoë", "--json"),
    ];
    const keys = ["acme.=em_Dqw.nk", "acme.alice.nk", "host.nk", "operator.nk"];
    expect(readdirSync(join(cwd, FOLDER, "keys")).sort()).toEqual(keys);
    for (const key of keys) {
      expect(mode(`keys/${key}`)).toBe("600");
      const seed = read(`keys/${key}`).trim();
      expect(seed).toMatch(/^SU[A-Z2-7]{56}$/);
      for (const text of [...outputs, read("nats-auth.conf"), read("auth.json")])
        expect(text).not.toContain(seed);
    }
    expect([mode("."), mode("keys"), mode("nats-auth.conf"), mode("auth.json")]).toEqual([
      "700",
      "700",
      "600",
      "600",
    ]);
    expect(outputs[2]).toContain(`MEMBUS_NATS_NKEY=${join(cwd, FOLDER)}/keys/acme.alice.nk\n`);
    expect(JSON.parse(outputs[3]!).environment).toMatchObject({
      MEMBUS_TENANT: "acme",
      MEMBUS_AGENT: "zoë",
      MEMBUS_INBOX_PREFIX: "_INBOX_=em_Dqw",
    });
  });

  it("is idempotent, also after a seed was removed", async () => {
    const all = async () => {
      await done("init");
      await done("add-tenant", "acme");
      await done("add-agent", "acme", "alice");
    };
    await all();
    const before = [read("auth.json"), read("nats-auth.conf")];
    rmSync(join(cwd, FOLDER, "keys", "acme.alice.nk"));
    await all();
    expect([read("auth.json"), read("nats-auth.conf")]).toEqual(before);
    expect(existsSync(join(cwd, FOLDER, "keys", "acme.alice.nk"))).toBe(false);
  });

  it("keeps settings that are not given", async () => {
    await done("init", "--max-payload", "2048");
    await done("add-tenant", "acme", "--connections-max", "7");
    await done("add-agent", "acme", "alice");
    await done("add-tenant", "acme", "--subscriptions-max", "9");
    await done("init");
    expect(JSON.parse(read("auth.json"))).toMatchObject({
      max_payload: 2048,
      tenants: {
        acme: { connections_max: 7, subscriptions_max: 9, agents: { alice: { key: expect.any(String) } } },
      },
    });
  });

  it("removes agents and tenants with their seeds, and restores access to all tiers", async () => {
    await done("init");
    for (const tenant of ["acme", "globex"]) {
      await done("add-tenant", tenant);
      for (const agent of ["alice", "bob"]) await done("add-agent", tenant, agent);
    }
    const restricted = await done("add-agent", "acme", "bob", "--tiers", "semantic,working");
    expect(restricted).toContain("MEMBUS_TIER_SUBJECTS=true\n");
    expect(read("nats-auth.conf")).not.toContain("a2e.acme.bob.memory.*.req");
    await done("rotate", "acme", "bob");
    expect(read("nats-auth.conf")).toContain("a2e.acme.bob.memory.*.working.req");
    await done("add-agent", "acme", "bob", "--tiers", "working,episodic,semantic");
    expect(read("nats-auth.conf")).toContain("a2e.acme.bob.memory.*.req");
    await done("remove-agent", "acme", "alice");
    await done("remove-tenant", "globex");
    expect(Object.keys(JSON.parse(read("auth.json")).tenants)).toEqual(["acme"]);
    expect(read("nats-auth.conf")).not.toMatch(/globex|alice/);
    expect(readdirSync(join(cwd, FOLDER, "keys"))).toEqual(["acme.bob.nk", "host.nk", "operator.nk"]);
    expect((await auth("remove-agent", "acme", "alice")).stderr).toMatch(/acme has no agent `alice`/);
  });

  it("gives a gateway access to all tenants or to the listed ones", async () => {
    const gatewaySubjects = () =>
      read("nats-auth.conf").match(/a2e\.\w+\.\*\.memory\.\*\.req(?=",?\s+"a2e\.\w+\.gateway)/g);
    await done("init");
    await done("add-tenant", "acme");
    expect([read("nats-auth.conf"), existsSync(join(cwd, FOLDER, "keys/gateway.nk"))]).toEqual([
      expect.not.stringContaining("gateway"),
      false,
    ]);
    const settings = await done("add-gateway");
    expect(settings).toContain(`MEMBUS_NATS_NKEY=${join(cwd, FOLDER)}/keys/gateway.nk\n`);
    expect(settings).toContain("MEMBUS_INBOX_PREFIX=_INBOX_gateway\n");
    const { key } = JSON.parse(read("auth.json")).gateway;
    for (const tenant of ["globex", "initech"]) await done("add-tenant", tenant);
    expect(gatewaySubjects()).toEqual([
      "a2e.acme.*.memory.*.req",
      "a2e.globex.*.memory.*.req",
      "a2e.initech.*.memory.*.req",
    ]);
    await done("add-gateway", "--tenants", "globex,acme");
    for (const args of [["init"], ["add-gateway"], ["add-tenant", "umbrella"]]) await done(...args);
    expect(JSON.parse(read("auth.json")).gateway).toEqual({ key, tenants: ["globex", "acme"] });
    await done("remove-tenant", "globex");
    expect(gatewaySubjects()).toEqual(["a2e.acme.*.memory.*.req"]);
    await done("remove-tenant", "acme");
    expect([gatewaySubjects(), JSON.parse(read("auth.json")).gateway]).toEqual([null, { key, tenants: [] }]);
    await done("add-gateway", "--tenants", "*");
    expect(JSON.parse(read("auth.json")).gateway).toEqual({ key });
    await done("rotate", "gateway");
    expect(JSON.parse(read("auth.json")).gateway.key).not.toBe(key);
    await done("remove-gateway");
    expect(read("auth.json") + read("nats-auth.conf")).not.toContain("gateway");
    expect(existsSync(join(cwd, FOLDER, "keys/gateway.nk"))).toBe(false);
  });

  it("reports errors without changing anything", async () => {
    expect(await auth("add-tenant", "acme")).toMatchObject({
      code: 2,
      stderr: /run `membus auth init` first/,
    });
    await done("init");
    const before = read("auth.json");
    for (const [args, message] of [
      [["add-agent", "acme", "alice"], /unknown tenant `acme`: add it with `membus auth add-tenant acme`/],
      [["add-agent", "constructor", "alice"], /unknown tenant `constructor`/],
      [["add-tenant", "a.*"], /a tenant name must be/],
      [["add-tenant", "acme", "--connections-max", "0"], /--connections-max must be an integer in 1\.\./],
      [["init", "--max-payload", "1"], /--max-payload must be an integer in 1024\.\.67108864/],
      [["init", "--prefix", "other"], /is `a2e` and cannot be changed to `other`/],
      [["remove-tenant", "acme"], /unknown tenant `acme`/],
      [
        ["add-agent", "a", "b", "--tiers", "workin"],
        /--tiers: unknown tier `workin` \(did you mean `working`\?\)/,
      ],
      [
        ["add-agent", "a", "b", "--tiers", "working", "--read-only-tiers", "working"],
        /tier `working` is in both --tiers and --read-only-tiers/,
      ],
      [["rotate", "acme"], /rotate `host`, `operator`, `gateway`, or a tenant and one of its agents/],
      [["rotate", "gateway"], /there is no gateway: add one with `membus auth add-gateway`/],
      [["remove-gateway"], /there is no gateway/],
      [["add-gateway", "--tenants", "acme"], /unknown tenant `acme`/],
      [["add-gateway", "--tenants", ","], /--tenants needs tenant names/],
    ] as const) {
      expect(await auth(...args)).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
    }
    expect(read("auth.json")).toBe(before);
    writeFileSync(join(cwd, FOLDER, "auth.json"), "{}");
    expect((await auth("init")).stderr).toMatch(/auth\.json was not written by `membus auth`/);
  });

  it("refuses to run during another change", async () => {
    await done("init");
    copyFileSync(join(cwd, FOLDER, "auth.json"), join(cwd, FOLDER, "auth.json.new"));
    const { code, stderr } = await auth("add-tenant", "acme");
    expect([code, stderr]).toEqual([2, expect.stringMatching(/another `membus auth` command is running/)]);
  });
});
