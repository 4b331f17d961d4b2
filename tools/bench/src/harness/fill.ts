import { MemoryClient } from "@membus/agent-client";
import { delay, systemClock } from "@membus/protocol";
import type { SampleEntry } from "./dataset.js";
import { milliseconds } from "./load.js";

const EMBED_WAIT_MS = 1_800_000;
const EMBED_LOOK_MS = 500;

/** Stores all entries for one agent and returns its client. */
export async function fillEpisodic(
  url: string,
  agent: string,
  entries: readonly SampleEntry[],
): Promise<MemoryClient> {
  const client = await MemoryClient.connect({ servers: url, agent, timeoutMs: 60_000 });
  for (let at = 0; at < entries.length; at += 1_000) {
    await storeEpisodic(client, entries.slice(at, at + 1_000));
  }
  return client;
}

/** Stores entries. Throws unless all are stored. */
export async function storeEpisodic(
  client: Pick<MemoryClient, "store">,
  entries: readonly SampleEntry[],
): Promise<void> {
  await client.store(entries.map((entry) => ({ ...entry, tags: [...entry.tags], tier: "episodic" })));
}

/** Resolves once the host has embedded all entries. */
export async function untilEmbedded(client: MemoryClient): Promise<void> {
  const limit = milliseconds() + EMBED_WAIT_MS;
  for (;;) {
    const { degraded } = await client.retrieve({ query: "engine", tier: "episodic", limit: 1 });
    if (degraded === undefined) return;
    if (milliseconds() > limit) throw new Error(`not embedded in time: ${JSON.stringify(degraded)}`);
    await delay(systemClock, EMBED_LOOK_MS);
  }
}
