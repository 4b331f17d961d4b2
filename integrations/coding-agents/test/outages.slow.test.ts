import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemoryClient } from "@membus/agent-client";
import { afterAll, beforeAll, expect, it } from "vitest";
import { RunningHost } from "../../../cli/test/running-host.js";
import { Outbox } from "../src/index.js";
import { FailingLink } from "./failing-link.js";

const OUTAGES = 200;
const SEED = 20_261_127;
/** Every outage of this number is the end of the host with SIGKILL. The others break the connection. */
const KILL_EVERY = 20;

const host = new RunningHost();
let link: FailingLink;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "membus-outages-"));
  await host.start();
  link = await FailingLink.open(host.url);
});
afterAll(async () => {
  await link.close();
  await host.stop();
  rmSync(folder, { recursive: true });
});

/** Returns pseudo-random integers of 0..below-1. */
function chance(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Drains with two processes' worth of outboxes at the same time. Returns the number that left the outbox. */
async function drainOnce(): Promise<number> {
  const options = { servers: link.url, agent: "alice", connectTimeoutMs: 500, closeTimeoutMs: 500 };
  const client = await MemoryClient.connect(options).catch(() => undefined);
  if (client === undefined) return 0;
  const drains = [new Outbox(folder), new Outbox(folder)].map((one) => one.drain(client, { timeoutMs: 300 }));
  const results = await Promise.all(drains);
  await client.close();
  return results[0]!.delivered + results[1]!.delivered;
}

it(`loses and doubles no write in ${OUTAGES} outages, seed ${SEED}`, async () => {
  const random = chance(SEED);
  const outbox = new Outbox(folder);
  let written = 0;
  let interrupted = 0;
  for (let outage = 1; outage <= OUTAGES; outage++) {
    for (let left = 1 + random(6); left > 0; left--) {
      const entry = {
        key: `write-${written}`,
        content: { text: `text ${written++}` },
        tier: "episodic",
      } as const;
      await outbox.add({ namespace: "outages", entry });
    }
    if (outage % KILL_EVERY === 0) {
      const draining = drainOnce();
      await host.kill();
      await draining;
      await host.restart();
    } else {
      link.breakAfter(random(9_000));
      await drainOnce();
      link.repair();
    }
    if ((await outbox.state()).queued > 0) interrupted++;
  }
  await expect.poll(async () => (await drainOnce()) + (await outbox.state()).queued).toBe(0);
  const memory = await MemoryClient.connect({ servers: host.url, agent: "alice", namespace: "outages" });
  const found = new Map<string, boolean>();
  for await (const { key, revision, seq } of memory.entries()) found.set(String(key.name), revision === seq);
  await memory.close();
  expect([...found.values()].filter((isFirst) => !isFirst)).toEqual([]);
  expect([...found.keys()].sort()).toEqual(Array.from({ length: written }, (_, n) => `write-${n}`).sort());
  expect(await outbox.state()).toMatchObject({ queued: 0, refused: 0, foreign: [] });
  // The outages must hit deliveries, otherwise this test shows nothing.
  expect(interrupted).toBeGreaterThan(OUTAGES / 4);
});
