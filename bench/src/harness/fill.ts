import { MemoryClient } from "@membus/agent-client";
import type { SampleEntry } from "./dataset.js";

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

/** Throws unless all are stored. */
export async function storeEpisodic(
  client: Pick<MemoryClient, "store">,
  entries: readonly SampleEntry[],
): Promise<void> {
  const { errors } = await client.store(
    entries.map((entry) => ({ ...entry, tags: [...entry.tags], tier: "episodic" })),
  );
  if (errors.length > 0) throw new Error(`not stored: ${JSON.stringify(errors[0])}`);
}
