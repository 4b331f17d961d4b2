import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { nkeys } from "@nats-io/transport-node";
import { afterEach, describe, expect, it } from "vitest";
import { issueCertificates, tlsConfig } from "../../bus/test/certificates.js";
import { NatsFixture } from "../../bus/test/nats-fixture.js";
import { NATS_SERVER } from "../../bus/test/nats-server.js";
import { operatorMode } from "../../bus/test/operator-mode.js";
import { endChild, lineOf, runCli, spawnCli } from "./run-cli.js";

const fixture = new NatsFixture();
afterEach(() => fixture.close());

type Env = Readonly<Record<string, string>>;

/** Starts a host that connects with `env`. Returns its output and folder. */
async function up(env: Env, args: readonly string[] = []) {
  const cwd = await fixture.folder();
  const child = spawnCli(["up", "--data", join(cwd, "data"), ...args], { cwd, env });
  fixture.onClose(() => endChild(child, "SIGKILL"));
  const written = collect(child);
  await lineOf(child, /membus is listening on|"host_id"/);
  return { child, cwd, written };
}

function collect(child: ChildProcessWithoutNullStreams): () => string {
  let written = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      written += chunk.toString();
    });
  }
  return () => written;
}

const launch = async (config: string) => (await fixture.launchConfigured(NATS_SERVER, config)).port;

describe("a host and commands connect", () => {
  it("with a credentials file", async () => {
    const { config, creds } = operatorMode();
    const NATS_URL = `nats://127.0.0.1:${await launch(config)}`;
    const MEMBUS_NATS_CREDENTIALS = await fixture.file("host.creds", creds);
    const { cwd } = await up({ NATS_URL, MEMBUS_NATS_CREDENTIALS });
    expect(await runCli(["remember", "a", "1"], { cwd, env: { NATS_URL } })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("(unauthorized)"),
    });
    const stored = await runCli(["remember", "a", "1", "--creds", MEMBUS_NATS_CREDENTIALS], {
      cwd,
      env: { NATS_URL },
    });
    expect(stored.code).toBe(0);
  });

  it("with the seed of an nkey in a file", async () => {
    const user = nkeys.createUser();
    const NATS_URL = `nats://127.0.0.1:${await launch(
      `authorization { users: [{ nkey: ${user.getPublicKey()} }] }`,
    )}`;
    const seed = `${new TextDecoder().decode(user.getSeed())}\n`;
    const env = { NATS_URL, MEMBUS_NATS_NKEY: await fixture.file("host.nk", seed) };
    const { cwd } = await up(env);
    expect((await runCli(["remember", "a", "1"], { cwd, env })).code).toBe(0);
    expect((await runCli(["remember", "a", "1"], { cwd, env: { NATS_URL } })).stderr).toMatch(/unauthorized/);
  });

  it("with certificates, named by membus.yaml or the environment", async () => {
    const certificates = await issueCertificates(fixture);
    const { caFile, client } = certificates;
    const NATS_URL = `tls://localhost:${await launch(tlsConfig(certificates, true))}`;
    const { cwd } = await up({
      NATS_URL,
      MEMBUS_NATS_TLS_CA: caFile,
      MEMBUS_NATS_TLS_CERT: client.certFile,
      MEMBUS_NATS_TLS_KEY: client.keyFile,
    });
    const nats = { url: NATS_URL, tls_ca: caFile, tls_cert: client.certFile, tls_key: client.keyFile };
    writeFileSync(join(cwd, "membus.yaml"), JSON.stringify({ nats }));
    expect(await runCli(["remember", "a", "1"], { cwd })).toMatchObject({ code: 0, stderr: "" });
  });

  it("and report an unreadable credentials file and a setting that disables the checks", async () => {
    const cwd = await fixture.folder();
    const env = { NATS_URL: "nats://127.0.0.1:1" };
    const failing = async (more: Env) =>
      (await runCli(["recall", "a"], { cwd, env: { ...env, ...more } })).stderr;
    expect(await failing({ MEMBUS_NATS_NKEY: "absent" })).toMatch(
      /cannot read the file absent of MEMBUS_NATS_NKEY: .*\(usage\)/,
    );
    expect(await failing({ MEMBUS_NATS_CREDENTIALS: "absent" })).toMatch(
      /cannot read the file absent of MEMBUS_NATS_CREDENTIALS: .*\(usage\)/,
    );
    expect(await failing({ MEMBUS_NATS_TLS_CA: "absent" })).toMatch(/cannot read tls\.caFile: .*\(usage\)/);
    writeFileSync(join(cwd, "membus.yaml"), "nats: { nkey: absent }");
    expect(await failing({})).toMatch(/cannot read the file \S+ of nats\.nkey: .*\(usage\)/);
    writeFileSync(join(cwd, "membus.yaml"), "nats: { tls_insecure: true }");
    expect(await failing({})).toMatch(/nats: unknown option `tls_insecure`.*\(usage\)/);
  });
});

describe("a password", () => {
  const SECRET = "hunter2-of-the-host";

  it("in a URL is never printed, in any format or log level", async () => {
    const port = await launch(`authorization { user: host, password: "${SECRET}" }`);
    const NATS_URL = `nats://host:${SECRET}@127.0.0.1:${port}`;
    for (const args of [["--log-level", "debug", "--audit"], ["--json"]]) {
      const { child, cwd, written } = await up({ NATS_URL }, args);
      const outputs: string[] = [];
      for (const command of [
        ["remember", "a", "1"],
        ["doctor"],
        ["doctor", "--json"],
        ["eval", "--embedder", "none"],
        ["up", "--data", join(cwd, "other")],
        ["recall", "a", "--nats", `nats://host:${SECRET}@127.0.0.1:1`],
        ["recall", "a", "--nats", `nats://host:${SECRET}@:x`],
        ["recall", "a", "--nats", `nats://someone:${SECRET}@127.0.0.1:${port}`, "--json"],
      ]) {
        const { stdout, stderr } = await runCli(command, { cwd, env: { NATS_URL } });
        outputs.push(stdout, stderr);
      }
      await endChild(child, "SIGTERM");
      const all = [written(), ...outputs].join("\n");
      expect(all).toContain(`nats://127.0.0.1:${port}`);
      expect(all).toContain("refused the credentials");
      expect(all).not.toContain(SECRET);
    }
  });

  it("is not logged by a host after its server restarts with another password", async () => {
    const config = (password: string) => `authorization { user: host, password: "${password}" }`;
    const configFile = await fixture.file("nats.conf", config(SECRET));
    const { port, pid } = await fixture.launch({ binary: NATS_SERVER, configFile });
    const NATS_URL = `nats://host:${SECRET}@127.0.0.1:${port}`;
    const { child, written } = await up({ NATS_URL }, ["--log-level", "debug"]);
    writeFileSync(configFile, config("another"));
    process.kill(pid, "SIGHUP");
    await lineOf(child, /NATS connection closed/);
    expect(written()).not.toContain(SECRET);
  });

  it("in membus.yaml is not quoted in an error about the file", async () => {
    const cwd = await fixture.folder();
    for (const yaml of [`nats: { password: ${SECRET}, url: [ }`, `nats: { password: [${SECRET}] }`]) {
      writeFileSync(join(cwd, "membus.yaml"), yaml);
      const { code, stderr } = await runCli(["recall", "a"], { cwd });
      expect(code).toBe(2);
      expect(stderr).toContain("membus.yaml");
      expect(stderr).not.toContain(SECRET);
    }
  });
});
