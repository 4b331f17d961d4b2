import { join } from "node:path";
import { connectNatsBus } from "@membus/bus";
import { launchNatsServer, type NatsServer } from "@membus/nats-server";
import { silentLogger, systemClock } from "@membus/protocol";
import type { Bus } from "@membus/protocol/plugin";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NATS_SERVERS } from "../../bus/test/nats-server.js";
import { RunningHost } from "../../cli/test/running-host.js";
import { folderWith } from "./plugin-files.js";
import { runSuiteCli } from "./run-suite-cli.js";

const PASSWORD = "conformance-pass-1";
const CONFIG = `authorization { users: [{ user: suite, password: "${PASSWORD}" }] }\n`;

const folder = folderWith({ "users.conf": CONFIG });
afterAll(() => folder.remove());
const suite = (...args: string[]) => runSuiteCli(["host", ...args], folder.path);

describe("a running host", () => {
  const host = new RunningHost();
  beforeAll(() => host.start(), 400_000);
  afterAll(() => host.stop());

  it("is tested tier by tier, by the features that it declares for each", async () => {
    const { code, stdout, stderr } = await suite(
      "--nats",
      host.url,
      "--only",
      "discovery/pong-names-host-and-tiers,store/created-then-updated",
      "--json",
      "-",
      "--seed",
      "6",
    );
    expect(stderr).toContain(
      [
        `implementation host at ${host.url}`,
        "route          host",
        "tier           working: lru 0.1.0",
        "tier           episodic: lancedb 0.1.0\n",
      ].join("\n"),
    );
    const { route, tiers, checks } = JSON.parse(stdout);
    expect(route).toBe("host");
    expect(tiers.map(({ tier }: { tier: string }) => tier)).toEqual(["working", "episodic", "semantic"]);
    const stored = checks.find(({ id }: { id: string }) => id === "store/created-then-updated");
    expect(stored.cases).toHaveLength(3);
    expect(stored.outcome).toBe("pass");
    expect(stored.rerun).toBe(
      `npx membus-conformance host --nats ${host.url} --only store/created-then-updated --seed 6`,
    );
    expect(code).toBe(0);
  });

  it("reports the isolation of tenants as untestable without a second tenant", async () => {
    const only = ["--only", "keys/equal-keys-of-two-tenants-are-two-entries"];
    const alone = await suite("--nats", host.url, ...only);
    expect(alone.stdout).toContain("because   needs a second tenant that the host serves: --tenants a,b");
    expect(alone.code).toBe(1);
    const both = await suite("--nats", host.url, ...only, "--tenants", "default,other");
    expect(both.stdout).toContain("1 selected checks: none is red.");
    expect(both.code).toBe(0);
  });

  it("is not found below another prefix: exit code 2", async () => {
    const { code, stderr } = await suite("--nats", host.url, "--prefix", "elsewhere", "--only", "store");
    expect(stderr).toMatch(/no host answers .*elsewhere\.default\.conformance-first/);
    expect(code).toBe(2);
  });
});

describe("a server without a host", () => {
  let server: NatsServer;
  beforeAll(async () => {
    server = await launchNatsServer({
      binary: NATS_SERVERS[0]!,
      configFile: join(folder.path, "users.conf"),
    });
  });
  afterAll(() => server.stop());

  it("is distinguished from no server and from a refusal, without showing the password", async () => {
    const url = server.url.replace("//", `//suite:${PASSWORD}@`);
    const [silent, refused, absent] = await Promise.all([
      suite("--nats", url),
      suite("--nats", server.url, "--user", "suite", "--password", "wrong"),
      suite("--nats", "nats://127.0.0.1:1"),
    ]);
    expect(silent.stderr).toMatch(/no host answers at nats:\/\/\*\*\*@127\.0\.0\.1:\d+: .* Start the host/);
    expect(refused.stderr).toMatch(/refuse|credentials|Authorization/i);
    expect(absent.stderr).toMatch(/cannot connect to NATS at nats:\/\/127\.0\.0\.1:1/);
    expect([silent.code, refused.code, absent.code]).toEqual([2, 2, 2]);
    expect([silent, refused, absent].map(({ stderr }) => stderr).join("")).not.toContain(PASSWORD);
  });
});

describe("a host without discovery", () => {
  let server: NatsServer;
  let bus: Bus;
  beforeAll(async () => {
    server = await launchNatsServer({ binary: NATS_SERVERS[0]! });
    bus = await connectNatsBus({ servers: server.url }, { logger: silentLogger, clock: systemClock });
    bus.subscribe("a2e.default.*.ping", ({ reply }) => {
      if (reply !== undefined) bus.publish(reply, Buffer.from('{"type":"pong"}'));
    });
    await bus.flush();
  });
  afterAll(async () => {
    await bus.close();
    await server.stop();
  });

  it("is not tested, with the reason: exit code 1", async () => {
    const { code, stdout, stderr } = await suite("--nats", server.url);
    expect(stderr).toMatch(/nothing else could be tested: .*\$SRV\.INFO\.membus: expected .*, got none/);
    expect(stdout).toBe("");
    expect(code).toBe(1);
  });
});

describe("arguments of a host", () => {
  it.each([
    ["three tenants", ["--tenants", "a,b,c"], /one or two different names/],
    ["the same tenant twice", ["--tenants", "a,a"], /one or two different names/],
    ["one agent", ["--agents", "a"], /two different names/],
    ["an empty name", ["--tenants", "a,"], /names, separated by commas/],
    ["a server that is none", ["--nats", "http://127.0.0.1"], /nats:\/\/host:port/],
    ["credentials that are not there", ["--creds", "none.creds"], /cannot read the credentials/],
    ["two kinds of credentials", ["--user", "a", "--token", "b"], /exclude each other/],
    ["half a certificate", ["--tls-cert", "cert.pem"], /must be set together/],
    ["a check of plugins", ["--only", "lifecycle"], /does not apply to a host|unknown check, area/],
  ])("are refused: %s", async (_, args, message) => {
    const { code, stderr } = await suite(...args);
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
  });

  it("are listed as checks of a host", async () => {
    const { stdout } = await suite("--list", "--only", "discovery,retrieve");
    expect(stdout).toMatch(/^discovery\//m);
    expect(stdout).toMatch(/^retrieve\/limit-is-upper-bound/m);
  });
});
