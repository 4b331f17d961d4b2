import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launchNatsServer, type NatsServer } from "@membus/nats-server";
import type { Message } from "@membus/protocol";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NATS_SERVER } from "../../bus/test/nats-server.js";
import { type Answers, floodScopes } from "./attacks.js";
import { endChild, lineOf, spawnCli } from "./run-cli.js";
import { ask } from "./wire/bare-request.js";

const MIB = 1024 * 1024;
const SCOPES = 40_000;

/** Returns the peak RSS of the process. */
function peakBytes({ pid }: ChildProcessWithoutNullStreams): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)![1]) * 1024;
}

/** Allowed replies. On a slow machine, the host may be overloaded or time out. */
const EXPECTED = ["memory/store/resp", "overloaded", "timeout"];

function counted(answers: Answers): { stored: number; refused: string[] } {
  const refused = [...answers.keys()].filter((name) => !EXPECTED.includes(name));
  return { stored: answers.get("memory/store/resp") ?? 0, refused };
}

describe.runIf(process.platform === "linux")(
  "a host with a memory limit (requires Linux for the peak RSS)",
  () => {
    const directory = mkdtempSync(join(tmpdir(), "membus-test-"));
    let server: NatsServer;
    let up: ChildProcessWithoutNullStreams;
    let nats: NatsConnection;

    beforeAll(async () => {
      server = await launchNatsServer({ binary: NATS_SERVER });
      const args = [
        "up",
        "--data",
        join(directory, "data"),
        "--memory-limit",
        "768MiB",
        "--log-level",
        "error",
      ];
      up = spawnCli(args, { url: server.url, cwd: directory });
      await lineOf(up, /^membus is listening on/);
      nats = await connect({ servers: server.url });
    });
    afterAll(async () => {
      await nats?.close();
      if (up !== undefined) await endChild(up, "SIGTERM");
      await server?.stop();
      rmSync(directory, { recursive: true });
    });

    const bob = (type: string, fields: Message) => ask(nats, "bob", type, { session_id: "s", ...fields });

    it.each([
      ["sessions", (at: number) => ({ session_id: `s${at}` })],
      ["namespaces", (at: number) => ({ namespace: `n/${at}` })],
    ])("stays within the limit under a flood of %s, and serves other agents", async (_, placeOf) => {
      const entries = ["working", "episodic"].map((tier) => ({ key: `of ${tier}`, content: "bob's", tier }));
      await bob("memory/store/req", { entries });
      const { stored, refused } = counted(await floodScopes(nats, SCOPES, placeOf));
      expect([stored > SCOPES / 2, refused]).toEqual([true, []]);
      const found = await bob("memory/retrieve/req", { query: "bob" });
      expect((found.entries as Message[]).map(({ tier }) => tier).sort()).toEqual(["episodic", "working"]);
      expect(peakBytes(up)).toBeLessThan(768 * MIB);
    });
  },
);
