import { readFileSync } from "node:fs";
import { join } from "node:path";
import { connectNatsBus } from "@membus/bus";
import { launchNatsServer, type NatsServer } from "@membus/nats-server";
import { silentLogger, systemClock } from "@membus/protocol";
import type { Bus } from "@membus/protocol/plugin";
import { afterAll, beforeAll, expect, it } from "vitest";
import { NATS_SERVERS } from "../../bus/test/nats-server.js";
import { awaitHost } from "../src/cli/host-answers.js";
import { runForHost } from "../src/cli/run-for-host.js";
import { folderWith } from "./plugin-files.js";

const TRANSPORT = import.meta.resolve("@nats-io/transport-node");

/** A minimal host that answers pings with its process id. */
const HOST = `
import { connect } from ${JSON.stringify(TRANSPORT)};
const connection = await connect({ servers: process.argv[2] });
for await (const message of connection.subscribe("a2e.*.*.ping")) message.respond(String(process.pid));
`;

const ADDRESS = { prefix: "a2e", tenant: "default", agent: "conformance-first" };
const folder = folderWith({ "host.mjs": HOST });
const pidFile = join(folder.path, "host.pid");
let server: NatsServer;
let bus: Bus;

beforeAll(async () => {
  server = await launchNatsServer({ binary: NATS_SERVERS[0]! });
  bus = await connectNatsBus({ servers: server.url }, { logger: silentLogger, clock: systemClock });
});
afterAll(async () => {
  await bus.close();
  process.kill(runningPid(), "SIGKILL");
  await server.stop();
  folder.remove();
});

const restartHost = (command: string, answers: (patienceMs: number) => Promise<boolean>) =>
  runForHost({ flag: "--restart-command", command }, answers);
const answers = (patienceMs: number) => awaitHost(bus, ADDRESS, patienceMs);
const runningPid = () => Number(readFileSync(pidFile, "utf8"));
const start = () => {
  const script = join(folder.path, "host.mjs");
  return `'${process.execPath}' '${script}' ${server.url} >/dev/null 2>&1 & echo $! >'${pidFile}'`;
};

async function answeringPid(): Promise<number> {
  const { payload } = await bus.request("a2e.default.x.ping", new Uint8Array(), { timeoutMs: 60_000 });
  return Number(Buffer.from(payload).toString());
}

it("finds no host if none is running", async () => {
  expect(await answers(300)).toBe(false);
});

it("kills the host by the command, starts it again, and waits until it answers", async () => {
  await restartHost(start(), answers);
  const first = await answeringPid();
  await restartHost(`kill -9 $(cat '${pidFile}'); ${start()}`, answers);
  const second = await answeringPid();
  expect(first).not.toBe(second);
  expect(second).toBe(runningPid());
});

it("makes checks that need a restart untestable if the command fails", async () => {
  await expect(restartHost("exit 3", answers)).rejects.toThrow(
    "the command of --restart-command ended with exit code 3",
  );
  await expect(restartHost("kill -9 $$", answers)).rejects.toThrow("ended with SIGKILL");
});

it("fails the check if the host does not start again", async () => {
  await expect(restartHost("true", async () => false)).rejects.toMatchObject({
    name: "ExpectationError",
    discrepancy: { got: "none" },
  });
});
