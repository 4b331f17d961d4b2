import { versionRemedy } from "@membus/cluster";
import { fetchJson } from "@membus/http";
import { MemoryError, systemClock } from "@membus/protocol";
import { z } from "zod";

const VarzSchema = z.object({
  server_name: z.string(),
  version: z.string(),
  jetstream: z
    .object({ config: z.object({ sync_always: z.boolean().default(false) }).optional() })
    .optional(),
});

/** Message without addresses of the monitoring. */
export const UNCHECKED =
  "`sync_interval` and the versions of the nats-servers are not checked: name their monitoring ports in `cluster.monitoring`";

/** A nats-server, and whether its version and its settings suit a cluster. */
export interface ServerSettings {
  /** Name of the server, or its address without an answer. */
  readonly server: string;
  /** False if its monitoring cannot be read. `problem` says why. */
  readonly isKnown: boolean;
  /** Undefined if the server is recent, and writes each store to disk before it acknowledges it. */
  readonly problem?: string;
}

/** Asks each nats-server, at its monitoring address, for its version and its settings. */
export function readServerSettings(monitoring: readonly string[]): Promise<readonly ServerSettings[]> {
  return Promise.all(monitoring.map((address) => readOne(new URL("/varz", address))));
}

/**
 * Refuses servers that are too old, or that acknowledge stores before they are on disk.
 * @param onUnknown receives the problem of each server without an answer.
 * @throws {MemoryError} `conflict` naming a server and the remedy.
 */
export async function requireServerSettings(
  monitoring: readonly string[],
  onUnknown: (problem: string) => void,
): Promise<void> {
  for (const { server, isKnown, problem } of await readServerSettings(monitoring)) {
    if (problem === undefined) continue;
    const text = `nats-server ${server}: ${problem}`;
    if (isKnown) throw new MemoryError("conflict", text);
    onUnknown(text);
  }
}

async function readOne(url: URL): Promise<ServerSettings> {
  try {
    const varz = VarzSchema.parse(await fetchJson(url.href, systemClock));
    return { server: varz.server_name, isKnown: true, ...problemOf(varz) };
  } catch (error) {
    const reason =
      error instanceof z.ZodError ? `${url.href} has no server_name or version` : (error as Error).message;
    const problem = `its monitoring is unknown: ${reason}`;
    return { server: url.host, isKnown: false, problem };
  }
}

function problemOf({ version, jetstream }: z.infer<typeof VarzSchema>): Pick<ServerSettings, "problem"> {
  const remedy = versionRemedy(version);
  if (remedy !== undefined) return { problem: `version ${version} is too old for a cluster: ${remedy}` };
  const config = jetstream?.config;
  if (config === undefined) return { problem: "JetStream is off: add `jetstream` to its configuration" };
  if (config.sync_always) return {};
  return {
    problem: "a loss of power may lose acknowledged stores: set `sync_interval: always` in `jetstream`",
  };
}
