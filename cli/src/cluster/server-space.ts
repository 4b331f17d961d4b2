import type { StorageSpace } from "@membus/cluster";
import { fetchJson } from "@membus/http";
import { systemClock } from "@membus/protocol";
import { z } from "zod";

const JszSchema = z.object({ storage: z.number(), config: z.object({ max_storage: z.number() }) });

/**
 * Asks each nats-server, at its monitoring address, for the storage of its JetStream. Undefined for a server that does not
 * answer or has no JetStream.
 */
export function readServerSpace(
  monitoring: readonly string[],
): Promise<readonly (StorageSpace | undefined)[]> {
  return Promise.all(monitoring.map((address) => readOne(new URL("/jsz", address))));
}

async function readOne(url: URL): Promise<StorageSpace | undefined> {
  const found = await fetchJson(url.href, systemClock).catch(() => undefined);
  const { success, data } = JszSchema.safeParse(found);
  if (!success || data.config.max_storage <= 0) return undefined;
  return { usedBytes: data.storage, maxBytes: data.config.max_storage, owner: `nats-server ${url.host}` };
}
