import { fetchJson } from "@membus/http";
import { MemoryError, systemClock } from "@membus/protocol";
import { z } from "zod";

const VarzSchema = z.object({
  server_name: z.string(),
  jetstream: z
    .object({ config: z.object({ sync_always: z.boolean().default(false) }).optional() })
    .optional(),
});

/** What the monitoring of a nats-server says. */
export interface ServerSync {
  /** Name of the server, or its address without an answer. */
  readonly server: string;
  /** Why acknowledged stores may be lost with its power, or why that is unknown. Undefined if neither. */
  readonly problem?: string;
  readonly isKnown: boolean;
}

/**
 * Asks each nats-server whether it writes stores to disk before it acknowledges them.
 * @param monitoring addresses with commas, as in `cluster.monitoring`.
 * @throws {TypeError} for an address that is not `http://` or `https://`.
 */
export async function readServerSync(monitoring: string): Promise<readonly ServerSync[]> {
  const urls = monitoring.split(",").map((text) => monitoringUrl(text.trim()));
  return Promise.all(urls.map(readOne));
}

/**
 * Refuses servers that acknowledge stores before they are on disk. Without `monitoring` none is asked.
 * @param onUnknown receives the problem of each server without an answer.
 * @throws {MemoryError} `conflict` naming a server and the remedy. Else as `readServerSync`.
 */
export async function requireServerSync(
  monitoring: string | undefined,
  onUnknown: (problem: string) => void,
): Promise<void> {
  if (monitoring === undefined) return;
  for (const { server, isKnown, problem } of await readServerSync(monitoring)) {
    if (problem === undefined) continue;
    const text = `nats-server ${server}: ${problem}`;
    if (isKnown) throw new MemoryError("conflict", text);
    onUnknown(text);
  }
}

function monitoringUrl(text: string): URL {
  const url = URL.canParse("/varz", text) ? new URL("/varz", text) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  throw new TypeError(
    `cluster.monitoring has ${JSON.stringify(text)}: write addresses such as http://n1:8222`,
  );
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
