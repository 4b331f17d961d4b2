import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launchNatsServer, type NatsServer } from "@membus/nats-server";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NATS_SERVERS } from "../../../bus/test/nats-server.js";
import { endChild, lineOf, spawnCli } from "../run-cli.js";
import { ask } from "./bare-request.js";
import { fuzzMessage } from "./fuzz-messages.js";
import { FuzzSender } from "./fuzz-sender.js";

const MESSAGES = 40_000;
const CHUNK = 2_000;
const SEED = 3;

/** Small limits, so that entries are constantly written, evicted, reloaded and purged. */
const SETTINGS = `
kit: { flushCount: 64, flushIdleMs: 20, residentBytesMax: 1048576, bodyCacheBytes: 65536 }
lru: { entriesMax: 50, scopeEntriesMax: 10 }
`;

describe("a host under 100,000 fuzzed messages", () => {
  let folder: string;
  let server: NatsServer;
  let host: ChildProcessWithoutNullStreams;
  let nats: NatsConnection;
  let sender: FuzzSender;
  let logged = "";

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "membus-fuzz-"));
    server = await launchNatsServer({ binary: NATS_SERVERS[0]! });
    await writeFile(join(folder, "membus.yaml"), SETTINGS);
    await startHost();
    nats = await connect({ servers: server.url });
    sender = new FuzzSender(nats);
  });
  afterAll(async () => {
    await nats?.close();
    await endChild(host, "SIGKILL");
    await server?.kill();
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs the host in a separate process, which an uncaught exception or an unhandled rejection would end. */
  async function startHost(): Promise<void> {
    const args = ["up", "--data", join(folder, "data"), "--durability", "process", "--log-level", "error"];
    host = spawnCli(args, { url: server.url, cwd: folder });
    host.stderr.on("data", (chunk) => {
      logged += chunk;
    });
    await lineOf(host, /^membus is listening on/);
  }

  it("answers every message that can be answered", async () => {
    for (let done = 0; done < MESSAGES; done += CHUNK) {
      await sender.send(fc.sample(fuzzMessage, { numRuns: CHUNK, seed: SEED + done }));
    }
    await sender.finish();
    expect(sender.sent).toBe(MESSAGES);
    expect(sender.problems.slice(0, 5)).toEqual([]);
  });

  it("has received requests of every kind", () => {
    const often = [...sender.counts].filter(([, count]) => count >= 100).map(([kind]) => kind);
    const replies = ["store", "retrieve", "forget", "status"].map((name) => `memory/${name}/resp`);
    const mistakes = ["parse_error", "invalid_message", "schema_violation", "version_mismatch", "too_large"];
    const others = ["conflict", "unsupported", "memory_not_found"];
    expect(often).toEqual(expect.arrayContaining([...replies, ...mistakes, ...others]));
  });

  it("still serves, and has logged no error", async () => {
    const entries = [{ key: "after", content: "the storm", tier: "episodic" }];
    expect(await ask(nats, "carol", "memory/store/req", { entries })).toMatchObject({ errors: [] });
    await expectStored();
    expect([host.exitCode, logged]).toEqual([null, ""]);
  });

  it("restarts on the remaining data, and stops gracefully", async () => {
    await endChild(host, "SIGKILL");
    await startHost();
    await expectStored();
    expect(await endChild(host, "SIGTERM")).toBe(0);
    expect(logged).toBe("stopping: completing requests in progress\n");
  });

  async function expectStored(): Promise<void> {
    const found = await ask(nats, "carol", "memory/retrieve/req", { keys: ["after"] });
    expect(found).toMatchObject({ total: 1, entries: [{ content: "the storm" }] });
  }
});
