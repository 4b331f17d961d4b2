import { execFile, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { launchNatsServer, type NatsServer } from "@membus/nats-server";
import { afterAll, beforeAll, expect, it } from "vitest";
import { freePort } from "../../bus/test/free-port.js";
import { NATS_SERVER } from "../../bus/test/nats-server.js";
import { endChild, lineOf } from "../../cli/test/run-cli.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const PORT = "9464";
const run = promisify(execFile);
const directory = mkdtempSync(join(tmpdir(), "membus-deploy-"));
/** Folders of the clone and of the data on this machine. */
const [clone, data] = [join(directory, "opt"), join(directory, "data")];
let nats: NatsServer;
let port: string;

beforeAll(async () => {
  nats = await launchNatsServer({ binary: NATS_SERVER });
  port = String(await freePort());
  mkdirSync(clone);
  const parts = readdirSync(ROOT).filter((name) => !name.startsWith(".git"));
  // `cpSync` takes minutes for this many files.
  await run("cp", ["-a", ...parts, clone], { cwd: ROOT });
});
afterAll(async () => {
  await nats.kill();
  rmSync(directory, { recursive: true });
});

/** Adapts a line of a file in `deploy` to the folders and the port of this test. */
function adapted(line: string): string {
  return line.replaceAll("/opt/membus", clone).replaceAll("/var/lib/membus", data).replaceAll(PORT, port);
}

function linesOf(file: string): string[] {
  return readFileSync(join(ROOT, "deploy", file), "utf8")
    .replaceAll("\\\n", "")
    .split("\n");
}

/** Returns the rest of the lines that begin with a keyword, in file order. */
function after(keyword: string, lines: readonly string[]): string[] {
  return lines.filter((line) => line.startsWith(keyword)).map((line) => adapted(line.slice(keyword.length)));
}

/** Parses lines such as `A=1 B=2`. */
function variables(lines: readonly string[]): Record<string, string> {
  const pairs = lines.flatMap((line) => line.split(" ")).map((pair) => pair.split(/=(.*)/s));
  return Object.fromEntries(pairs.map(([name, value]) => [name!, value!]));
}

/** Starts a host, waits until `check` reports it as healthy, and stops it with SIGTERM. */
async function serves(command: readonly string[], env: Record<string, string>, check: string): Promise<void> {
  const [program, ...args] = command;
  const child = spawn(program!, args, {
    cwd: directory,
    env: { ...process.env, ...env, NATS_URL: nats.url },
  });
  try {
    await lineOf(child, /^membus is listening on/);
    await run("sh", ["-c", check]);
    expect(await endChild(child, "SIGTERM")).toBe(0);
    await expect(run("sh", ["-c", check])).rejects.toMatchObject({ code: 1 });
  } finally {
    await endChild(child, "SIGKILL");
  }
}

const dockerfile = linesOf("Dockerfile");
const healthCheck = () => after("HEALTHCHECK ", dockerfile)[0]!.split(" CMD ")[1]!;

it("runs what the Dockerfile builds, without development dependencies", async () => {
  const steps = after("RUN ", dockerfile);
  // This repository is installed and built already, so only the last of these steps is repeated.
  expect(steps.slice(0, 3)).toEqual(["npm ci", "npm run build", "npm prune --omit=dev"]);
  await run("npm", ["prune", "--omit=dev", "--prefer-offline"], { cwd: clone });
  await expect(run(process.execPath, ["-e", "import('vitest')"], { cwd: clone })).rejects.toThrow(/vitest/);
  // The last step names a user that may not exist on this machine.
  await run("sh", ["-c", steps[3]!.replace(/ -[og] node/g, "")]);
  const [entrypoint, command] = ["ENTRYPOINT ", "CMD "].map((keyword) => {
    return JSON.parse(after(keyword, dockerfile)[0]!) as string[];
  });
  await serves([...entrypoint!, ...command!], variables(after("ENV ", dockerfile)), healthCheck());
});

it("starts the command of the systemd unit with its settings", async () => {
  const unit = linesOf("membus.service");
  const configFile = join(directory, "membus.yaml");
  writeFileSync(configFile, "audit: true\n");
  const start = after("ExecStart=", unit)[0]!.replace("/etc/membus/membus.yaml", configFile);
  expect(start).toContain(join(clone, "cli/bin/membus.js"));
  await serves(start.split(" "), variables(after("Environment=", unit)), healthCheck());
  expect(dirname(variables(after("Environment=", unit)).MEMBUS_DATA!)).toBe(data);
});
