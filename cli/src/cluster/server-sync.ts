import { fetchJson } from "@membus/http";
import { MemoryError, systemClock } from "@membus/protocol";
import { z } from "zod";

const VarzSchema = z.object({
  server_name: z.string(),
  jetstream: z
    .object({ config: z.object({ sync_always: z.boolean().default(false) }).optional() })
    .optional(),
});

/** A nats-server, and whether it writes each store to disk. */
export interface ServerSync {
  /** Name of the server, or its address without an answer. */
  readonly server: string;
  /** False if its monitoring cannot be read. `problem` says why. */
  readonly isKnown: boolean;
  /** Undefined if the server writes each store to disk before it acknowledges it. */
  readonly problem?: string;
}

/** Asks each nats-server, at its monitoring address, whether it writes stores to disk before it acknowledges them. */
export function readServerSync(monitoring: readonly string[]): Promise<readonly ServerSync[]> {
  return Promise.all(monitoring.map((address) => readOne(new URL("/varz", address))));
}

/**
 * Refuses servers that acknowledge stores before they are on disk.
 * @param onUnknown receives the problem of each server without an answer.
 * @throws {MemoryError} `conflict` naming a server and the remedy.
 */
export async function requireServerSync(
  monitoring: readonly string[],
  onUnknown: (problem: string) => void,
): Promise<void> {
  for (const { server, isKnown, problem } of await readServerSync(monitoring)) {
    if (problem === undefined) continue;
    const text = `nats-server ${server}: ${problem}`;
    if (isKnown) throw new MemoryError("conflict", text);
    onUnknown(text);
  }
}

async function readOne(url: URL): Promise<ServerSync> {
  try {
    const { server_name: server, jetstream } = VarzSchema.parse(await fetchJson(url.href, systemClock));
    return { server, isKnown: true, ...problemOf(jetstream?.config) };
  } catch (error) {
    const reason = error instanceof z.ZodError ? `${url.href} has no server_name` : (error as Error).message;
    const problem = `its monitoring is unknown: ${reason}`;
    return { server: url.host, isKnown: false, problem };
  }
}

function problemOf(config: { readonly sync_always: boolean } | undefined): Pick<ServerSync, "problem"> {
  if (config === undefined) return { problem: "JetStream is off: add `jetstream` to its configuration" };
  if (config.sync_always) return {};
  return {
    problem: "a loss of power may lose acknowledged stores: set `sync_interval: always` in `jetstream`",
  };
}
