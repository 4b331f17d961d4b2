import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemoryClient } from "@membus/agent-client";
import { launchNatsServer, type NatsServer } from "@membus/nats-server";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NATS_SERVER } from "../../bus/test/nats-server.js";
import { type Answers, floodBytes, floodRetrieves } from "./attacks.js";
import { MemoryContainer } from "./memory-container.js";
import { endChild, lineOf, spawnCli } from "./run-cli.js";

const GIB = 1024 ** 3;
const container = MemoryContainer.make(GIB);

afterAll(() => container?.remove());

describe.runIf(container !== undefined)(
  "a host with default settings in a container of 1 GiB (a cgroup, requires root)",
  () => {
    const directory = mkdtempSync(join(tmpdir(), "membus-test-"));
    let server: NatsServer;
    let up: ChildProcessWithoutNullStreams;
    let nats: NatsConnection;
    let bob: MemoryClient;

    beforeAll(async () => {
      server = await launchNatsServer({ binary: NATS_SERVER });
      const wrap = (command: readonly string[]) => container!.wrap(command);
      up = spawnCli(["up", "--data", join(directory, "data")], { url: server.url, cwd: directory, wrap });
      await lineOf(up, /^membus is listening on/);
      nats = await connect({ servers: server.url });
      bob = await MemoryClient.connect({ servers: server.url, agent: "bob", retryTimeoutMs: 120_000 });
      for (const tier of ["working", "episodic", "semantic"] as const) {
        await bob.remember(`of ${tier}`, `bob's ${tier}`, { tier });
      }
    });
    afterAll(async () => {
      await bob?.close();
      await nats?.close();
      if (up !== undefined) await endChild(up, "SIGKILL");
      await server?.stop();
      rmSync(directory, { recursive: true });
    });

    /** Bob stores and reads sequentially during the attack. Retries hide transient failures. */
    async function withBob(attack: Promise<Answers>): Promise<Answers> {
      let isOver = false;
      const over = attack.finally(() => {
        isOver = true;
      });
      // Awaited below, after Bob has finished.
      over.catch(() => undefined);
      for (let n = 0; !isOver; n++) {
        await bob.remember("count", n, { tier: "episodic" });
        expect(await bob.recall("count")).toBe(n);
      }
      return over;
    }

    /**
     * Allowed replies. At least one of them is required. On a slow machine, all such retrieves may time out.
     */
    const STORED = ["memory/store/resp", "overloaded", "memory_full", "timeout"];
    const RETRIEVED = ["memory/retrieve/resp", "overloaded", "timeout"];
    // memory-flood.slow.test.ts attacks with sessions and namespaces.
    const ATTACKS: [string, () => Promise<Answers>, string[]][] = [
      ["stores of 1 MiB without throttling", () => floodBytes(nats, 600, 60_000), STORED],
      ["retrieves with every feature", () => floodRetrieves(nats, 20_000, 64), RETRIEVED],
    ];

    it.each(ATTACKS)(
      "survives a flood of %s, and serves other agents during and after it",
      async (_, attack, expected) => {
        const answers = await withBob(attack());
        expect(answers.size).toBeGreaterThan(0);
        expect([...answers].filter(([name]) => !expected.includes(name))).toEqual([]);
        expect(container!.kills).toBe(0);
        expect([up.exitCode, up.signalCode]).toEqual([null, null]);
        const kept = ["working", "episodic", "semantic"].map((tier) => bob.recall(`of ${tier}`));
        expect(await Promise.all(kept)).toEqual(["bob's working", "bob's episodic", "bob's semantic"]);
      },
    );
  },
);

describe.runIf(container !== undefined)("a container (a cgroup, requires root)", () => {
  it("counts processes killed because of memory", async () => {
    const small = MemoryContainer.make(GIB / 8)!;
    const greedy = "const taken = []; for (;;) taken.push(Buffer.alloc(1e7, 1));";
    const [program, ...args] = small.wrap([process.execPath, "-e", greedy]);
    const [code, signal] = await once(spawn(program!, args), "close");
    expect([code, signal, small.kills]).toEqual([null, "SIGKILL", 1]);
    small.remove();
  });
});
