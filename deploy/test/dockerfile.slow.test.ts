import { execFile, spawn } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { launchNatsServer, type NatsServer } from "@membus/nats-server";
import { afterAll, beforeAll, expect, it } from "vitest";
import { freePort } from "../../bus/test/free-port.js";
import { NATS_SERVER } from "../../bus/test/nats-server.js";
import { endChild, lineOf } from "../../cli/test/run-cli.js";
import { readCompose } from "./compose-file.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const run = promisify(execFile);
const directory = mkdtempSync(join(tmpdir(), "membus-deploy-"));
/** Folders of the clone and of the data on this machine. */
const [clone, data, etc, cache] = ["opt", "data", "etc", "nats"].map((name) => join(directory, name)) as [
  string,
  string,
  string,
  string,
];
/** Replacements of the folders, names and ports in the files of `deploy`. */
const places = new Map([
  ["/opt/membus", clone],
  ["/opt/nats", cache],
  ["/var/lib/membus", data],
  ["/etc/membus", etc],
  ["nats://nats:", "nats://127.0.0.1:"],
]);
let nats: NatsServer;

beforeAll(async () => {
  nats = await launchNatsServer({ binary: NATS_SERVER });
  for (const port of ["9464", "8765", "8222", "4222"]) places.set(port, String(await freePort()));
  mkdirSync(clone);
  const parts = readdirSync(ROOT).filter((name) => !name.startsWith(".git"));
  // `cpSync` takes minutes for this many files.
  await run("cp", ["-a", ...parts, clone], { cwd: ROOT });
});
afterAll(async () => {
  await nats.kill();
  rmSync(directory, { recursive: true });
});

/** Adapts text of a file in `deploy` to the folders and the ports of this test. */
function adapted(text: string): string {
  return [...places].reduce((result, [place, own]) => result.replaceAll(place, own), text);
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

/** Returns the lines of a stage of the Dockerfile. */
function stage(name: string): string[] {
  const start = dockerfile.findIndex((line) => line.startsWith("FROM ") && line.endsWith(` AS ${name}`));
  const length = dockerfile.slice(start + 1).findIndex((line) => line.startsWith("FROM "));
  return dockerfile.slice(start, length < 0 ? undefined : start + 1 + length);
}

/** Parses lines such as `A=1 B=2`. */
function variables(lines: readonly string[]): Record<string, string> {
  const pairs = lines.flatMap((line) => line.split(" ")).map((pair) => pair.split(/=(.*)/s));
  return Object.fromEntries(pairs.map(([name, value]) => [name!, value!]));
}

/** Returns the program and the arguments of a stage. */
function commandOf(lines: readonly string[]): string[] {
  return ["ENTRYPOINT ", "CMD "].flatMap((keyword) => JSON.parse(after(keyword, lines)[0]!) as string[]);
}

/** Starts a host, waits until its health check succeeds, and stops the host with SIGTERM. */
async function serves(
  [program, ...args]: readonly string[],
  env: Record<string, string | undefined>,
  whileServing: () => Promise<void> = async () => {},
): Promise<void> {
  const child = spawn(program!, args, {
    cwd: directory,
    env: { ...process.env, NATS_URL: nats.url, ...env },
  });
  const check = after("HEALTHCHECK ", dockerfile)[0]!.split(" CMD ")[1]!;
  try {
    await lineOf(child, /^membus is listening on/);
    await run("sh", ["-c", check]);
    await whileServing();
    expect(await endChild(child, "SIGTERM")).toBe(0);
    await expect(run("sh", ["-c", check])).rejects.toMatchObject({ code: 1 });
  } finally {
    await endChild(child, "SIGKILL");
  }
}

const dockerfile = linesOf("Dockerfile");

it("runs what the Dockerfile builds, without development dependencies", async () => {
  // This repository is installed and built already, so only the last of these steps is repeated.
  expect(after("RUN ", stage("build"))).toEqual(["npm ci", "npm run build", "npm prune --omit=dev"]);
  await run("npm", ["prune", "--omit=dev", "--prefer-offline"], { cwd: clone });
  await expect(run(process.execPath, ["-e", "import('vitest')"], { cwd: clone })).rejects.toThrow(/vitest/);
  const host = stage("host");
  // The step names a user that may not exist on this machine.
  await run("sh", ["-c", after("RUN ", host)[0]!.replace(/ -[og] node/g, "")]);
  await serves(commandOf(host), variables(after("ENV ", host)));
});

it("starts the trial with its nats-server, and serves only callers with the token", async () => {
  // The step downloads a nats-server. Here the server of the tests takes its place.
  expect(after("RUN ", stage("nats"))).toEqual([
    `MEMBUS_CACHE_DIR=${cache} ${clone}/cli/bin/membus.js nats install --method release`,
  ]);
  mkdirSync(join(cache, "nats-server/2.15.0"), { recursive: true });
  symlinkSync(NATS_SERVER, join(cache, "nats-server/2.15.0/nats-server"));
  writeFileSync(join(clone, "deploy/trial.sh"), linesOf("trial.sh").map(adapted).join("\n"));
  const trial = stage("trial");
  const page = adapted("http://127.0.0.1:8765");
  const signIn = (token: string) => {
    const headers = { "content-type": "application/json", origin: page };
    return fetch(`${page}/inspector/session`, { method: "POST", headers, body: JSON.stringify({ token }) });
  };
  const env = { ...variables(after("ENV ", trial)), NATS_URL: undefined, MEMBUS_NATS_SERVER: undefined };
  await serves(commandOf(trial), env, async () => {
    expect((await fetch(page)).status).toBe(200);
    expect((await signIn("guess")).status).toBe(401);
    expect((await signIn(readFileSync(join(data, "token"), "utf8"))).status).toBe(200);
  });
  expect(["token", "membus.yaml"].map((file) => statSync(join(data, file)).mode & 0o777)).toEqual([
    0o600, 0o600,
  ]);
  expect(readdirSync(join(data, "data"))).toContain("episodic");
});

it("starts the commands of compose.yaml with keys that its command for keys creates", async () => {
  const { auth, nats: server, host } = readCompose((text) => adapted(text)).services;
  mkdirSync(etc, { recursive: true });
  const [program, ...args] = auth!.entrypoint!;
  await run(program!, [...args, "init"], { cwd: auth!.working_dir! });
  writeFileSync(join(etc, "nats-server.conf"), linesOf("nats-server.conf").map(adapted).join("\n"));
  const child = spawn(NATS_SERVER, server!.command!);
  try {
    await lineOf(child, /Server is ready/);
    expect((await fetch(server!.healthcheck!.test.at(-1)!)).status).toBe(200);
    const environment = { MEMBUS_DATA: join(data, "compose"), ...host!.environment };
    await serves(commandOf(stage("host")), environment);
  } finally {
    await endChild(child, "SIGKILL");
  }
});

it("starts the command of the systemd unit with its settings", async () => {
  const unit = linesOf("membus.service");
  const configFile = join(directory, "membus.yaml");
  writeFileSync(configFile, "audit: true\n");
  const start = after("ExecStart=", unit)[0]!.replace(join(etc, "membus.yaml"), configFile);
  expect(start).toContain(join(clone, "cli/bin/membus.js"));
  await serves(start.split(" "), variables(after("Environment=", unit)));
  expect(dirname(variables(after("Environment=", unit)).MEMBUS_DATA!)).toBe(data);
});
