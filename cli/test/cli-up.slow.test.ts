import { type ChildProcessWithoutNullStreams, execFile } from "node:child_process";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { launchNatsServer, type NatsServer } from "@membus/nats-server";
import { systemClock } from "@membus/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { freePort } from "../../bus/test/free-port.js";
import { NATS_SERVER } from "../../bus/test/nats-server.js";
import { readServerInfo } from "../../tools/nats-server/src/server-info.js";
import { printedProgram } from "./printed-program.js";
import { endChild, lineOf, runCli, spawnCli } from "./run-cli.js";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../..", import.meta.url));

let directory: string;
let children: ChildProcessWithoutNullStreams[];
let servers: NatsServer[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "membus-test-"));
  children = [];
  servers = [];
});
afterEach(async () => {
  await Promise.all(children.map((child) => endChild(child, "SIGKILL")));
  await Promise.all(servers.map((server) => server.kill()));
  rmSync(directory, { recursive: true });
});

async function launch(): Promise<NatsServer> {
  const server = await launchNatsServer({ binary: NATS_SERVER });
  servers.push(server);
  return server;
}

const data = () => join(directory, "data");

async function up(args: readonly string[], url?: string): Promise<ChildProcessWithoutNullStreams> {
  const child = spawnCli(["up", "--data", data(), ...args], { cwd: directory, ...(url && { url }) });
  children.push(child);
  await lineOf(child, /is listening on/);
  return child;
}

const upFails = (args: readonly string[], url?: string) =>
  runCli(["up", "--data", data(), ...args], { cwd: directory, ...(url && { url }) });

describe("membus up", () => {
  it("runs an embedded nats-server on loopback, and stops it on exit", async () => {
    const port = await freePort();
    const child = await up(["--port", String(port)]);
    const url = `nats://127.0.0.1:${port}`;
    expect((await runCli(["remember", "a", "1", "--nats", url], { cwd: directory })).code).toBe(0);
    expect(await endChild(child, "SIGTERM")).toBe(0);
    expect(await readServerInfo(port, 1_000, systemClock)).toBeUndefined();
  });

  it("keeps durable memories across runs", async () => {
    const { url } = await launch();
    const first = await up([], url);
    const store = ["remember", "kept", "yes", "--tier", "episodic"];
    expect((await runCli(store, { url, cwd: directory })).code).toBe(0);
    await endChild(first, "SIGKILL");
    await up([], url);
    expect((await runCli(["recall", "kept"], { url, cwd: directory })).stdout).toBe("yes\n");
  });

  it("with --audit, logs one line per request without contents at every log level", async () => {
    const { url } = await launch();
    const child = await up(["--audit"], url);
    let written = "";
    child.stderr.on("data", (chunk: Buffer) => {
      written += chunk.toString();
    });
    await runCli(["remember", "name", "a secret"], { url, cwd: directory });
    await endChild(child, "SIGTERM");
    expect(written).toMatch(/"agent":"cli","type":"memory\/store\/req".+"msg":"request"/);
    expect(written).not.toContain("secret");
  });

  it("prints examples", async () => {
    const { url } = await launch();
    const child = spawnCli(["up", "--data", data(), "--prefix", "demo"], { cwd: directory, url });
    children.push(child);
    await expect(lineOf(child, /nats req/)).resolves.toContain(
      `nats req -s ${url} demo.default.alice.memory.store.req '{"type":"memory/store/req"`,
    );
  });
});

it("prints a program in JavaScript that runs where membus is installed", async () => {
  const { url } = await launch();
  const child = spawnCli(["up", "--data", data(), "--prefix", "demo"], { cwd: directory, url });
  children.push(child);
  const program = await printedProgram(child);
  expect(program).toBe(`import { MemoryClient } from "membus";
const memory = await MemoryClient.connect({ servers: "${url}", agent: "alice", prefix: "demo" });
await memory.remember("user_name", "Alice");`);
  const code = `${program}\nconsole.log(await memory.recall("user_name"));\nawait memory.close();`;
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", code], { cwd: ROOT });
  expect(stdout).toBe("Alice\n");
});

describe("membus up with a startup error", () => {
  it("reports a port in use, with a suggestion", async () => {
    const { port } = await launch();
    const { code, stderr } = await upFails(["--port", String(port)]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/another program uses it/);
    expect(stderr).toContain(
      `choose another port with --port, or use the running server: --nats nats://127.0.0.1:${port}`,
    );
  });

  it("names the process that holds the data directory", async () => {
    const [first, second] = [await launch(), await launch()];
    const holder = await up([], first.url);
    const { code, stderr } = await upFails([], second.url);
    expect(code).toBe(1);
    expect(stderr).toMatch(new RegExp(`is locked by process ${holder.pid} on .* since .*\\(conflict\\)`));
  });

  it("names the host that serves the same tenants", async () => {
    const { url } = await launch();
    await up([], url);
    const { code, stderr } = await runCli(["up", "--data", join(directory, "other")], {
      url,
      cwd: directory,
    });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/host [0-9a-f-]{36}.*\(conflict\)/)]);
  });

  it("names the invalid setting", async () => {
    writeFileSync(join(directory, "membus.yaml"), "host: { drainTimeuotMs: 5 }\n");
    const { url } = await launch();
    const { code, stderr } = await upFails([], url);
    expect([code, stderr]).toEqual([
      2,
      "membus: membus.yaml: host: unknown option `drainTimeuotMs` (did you mean `drainTimeoutMs`?) (usage)\n",
    ]);
  });
});

describe("membus up on a corrupt log", () => {
  it("reports the file and offset of the damage, and continues with --repair", async () => {
    const { url } = await launch();
    // Disables flushing, so that the log is the only copy of the data.
    const settings = "kit: { flushIdleMs: 60000 }\nhost: { maintainIntervalMs: 3600000 }\n";
    writeFileSync(join(directory, "membus.yaml"), settings);
    const first = await up([], url);
    for (const name of ["a", "b", "c"]) {
      await runCli(["remember", name, "1", "--tier", "episodic"], { url, cwd: directory });
    }
    await endChild(first, "SIGKILL");
    const log = damageLog(join(data(), "episodic", "log"), '"name":"b"');

    const { code, stderr } = await upFails([], url);
    expect(code).toBe(1);
    expect(stderr).toMatch(new RegExp(`the log is corrupt: ${log}, byte \\d+, record \\d+: `));
    expect(stderr).toContain("run `membus up --repair` to keep every readable record");

    const inspect = await runCli(["log", "inspect", data()], { url, cwd: directory });
    expect(inspect.stdout).toMatch(/unreadable: bytes \d+ to \d+, records (\d+) to \1$/m);

    await up(["--repair"], url);
    for (const name of ["a", "c"]) {
      expect((await runCli(["recall", name], { url, cwd: directory })).stdout).toBe("1\n");
    }
    expect(existsSync(`${log}.corrupt-1`)).toBe(true);
    const extract = await runCli(["log", "extract", `${log}.corrupt-1`, "--json"], { url, cwd: directory });
    const entries = extract.stdout.split("\n").flatMap((text) => (text === "" ? [] : JSON.parse(text)));
    expect(entries.at(-1)).toMatchObject({
      ...{ tier: "episodic", tenant: "default", agent: "cli", namespace: "default" },
      ...{ key: { name: "c" }, content: 1 },
    });
  });
});

describe("membus up with a removed data folder", () => {
  it("reports the failure, and serves again once the folder is back", async () => {
    const { url } = await launch();
    // Disables flushing, because a write of LanceDB would create the folder again.
    writeFileSync(join(directory, "membus.yaml"), "kit: { flushIdleMs: 3600000 }\n");
    await up([], url);
    const remember = (name: string) =>
      runCli(["remember", name, "1", "--tier", "episodic"], { url, cwd: directory });
    const doctor = async () => (await runCli(["doctor"], { url, cwd: directory })).stdout;
    await remember("a");
    renameSync(join(data(), "episodic"), join(data(), "away"));
    await expect.poll(doctor).toContain("FAIL  tier episodic: stores are refused");
    const refusal = async () => {
      const { code, stderr } = await remember("b");
      return `exit code ${code}, ${stderr}`;
    };
    // The first answer is a timeout if the machine is busy.
    await expect.poll(refusal).toContain("exit code 1, membus: the log has failed: ENOENT");
    // A write that was in progress may have created the folder again.
    rmSync(join(data(), "episodic"), { recursive: true, force: true });
    renameSync(join(data(), "away"), join(data(), "episodic"));
    await expect.poll(doctor).toContain("ok    tier episodic");
    expect((await remember("c")).code).toBe(0);
    expect((await runCli(["recall", "a"], { url, cwd: directory })).stdout).toBe("1\n");
  });
});

describe("membus up on a folder without its log", () => {
  it("names the missing files, and starts without them with --accept-loss", async () => {
    const { url } = await launch();
    const first = await up([], url);
    await runCli(["remember", "a", "1", "--tier", "episodic"], { url, cwd: directory });
    await endChild(first, "SIGKILL");
    rmSync(join(data(), "episodic", "log"), { recursive: true });

    const { code, stderr } = await upFails(["--repair"], url);
    expect(code).toBe(1);
    expect(stderr).toContain("the log has lost the segments 00000000000000000001.log");
    expect(stderr).toContain("start with `membus up --accept-loss` to continue without them");

    await up(["--accept-loss"], url);
    expect((await runCli(["remember", "b", "1", "--tier", "episodic"], { url, cwd: directory })).code).toBe(
      0,
    );
  });
});

/** Changes one byte of the record that contains `text`. Returns the path of its file. */
function damageLog(folder: string, text: string): string {
  const paths = readdirSync(folder).map((name) => join(folder, name));
  const path = paths.find((candidate) => readFileSync(candidate).includes(text))!;
  const bytes = readFileSync(path);
  bytes[bytes.indexOf(text)]! ^= 1;
  writeFileSync(path, bytes);
  return path;
}
