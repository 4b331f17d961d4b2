import { type Bus, type BusMessage, isJsonObject, MemoryError } from "@membus/protocol";
import { SERVICE_NAME } from "./discovery.js";
import type { ResolvedHostOptions } from "./options.js";

/** Two hosts that start together settle it in two rounds; more of them take a few more. */
const ROUNDS_MAX = 20;

interface HostAnswer {
  readonly id: string;
  readonly state: string;
}

/**
 * Makes sure that no other host serves the same prefix and tenants: it would answer half of the requests from an
 * empty store (clause DISC-3). Of hosts that start together the one with the lowest id stays. This host must answer
 * discovery before it asks, so that of two at least one sees the other. The lower id may be the one that was not
 * seen, so while a higher one is still starting it asks again, until that one is gone or serves. It also asks again
 * when it did not hear itself: what came from others may be waiting behind the same work.
 * @throws {MemoryError} `conflict` naming the other host; `unavailable` when it never hears itself.
 */
export async function requireOnlyHost(bus: Bus, hostId: string, options: ResolvedHostOptions): Promise<void> {
  let rivals: HostAnswer[] = [];
  for (let round = 1; round <= ROUNDS_MAX; round++) {
    const hosts = await findHosts(bus, options);
    rivals = hosts.filter(({ id }) => id !== hostId);
    const stronger = rivals.find(({ id, state }) => state !== "starting" || id < hostId);
    if (stronger !== undefined) throw alreadyServed(stronger.id, options);
    if (rivals.length === 0 && hosts.length > 0) return;
  }
  throw rivals[0] === undefined ? unheard(options) : alreadyServed(rivals[0].id, options);
}

/** The hosts of this prefix and any of these tenants, this one among them. */
async function findHosts(bus: Bus, options: ResolvedHostOptions): Promise<HostAnswer[]> {
  const waitMs = options.discoveryWaitMs;
  const answers = await bus.requestMany(`$SRV.INFO.${SERVICE_NAME}`, new Uint8Array(), { waitMs });
  return answers.flatMap((answer) => readAnswer(answer, options) ?? []);
}

/** Undefined for what is no host, or one of another prefix or other tenants. */
function readAnswer({ payload }: BusMessage, options: ResolvedHostOptions): HostAnswer | undefined {
  const info = parseJson(payload);
  if (!isJsonObject(info) || typeof info.id !== "string" || !isJsonObject(info.metadata)) return undefined;
  const { prefix, tenants, state } = info.metadata;
  if (prefix !== options.prefix || typeof tenants !== "string" || typeof state !== "string") return undefined;
  return overlap(options.tenants, tenants.split(",")) ? { id: info.id, state } : undefined;
}

function overlap(a: readonly string[], b: readonly string[]): boolean {
  return a.includes("*") || b.includes("*") || a.some((tenant) => b.includes(tenant));
}

function parseJson(payload: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(payload).toString("utf8"));
  } catch {
    return undefined;
  }
}

function alreadyServed(id: string, { prefix, tenants }: ResolvedHostOptions): MemoryError {
  const whose = tenants.includes("*") ? "all tenants" : `tenants of ${tenants.join(", ")}`;
  const message = `the host ${id} already serves \`${prefix}\` for ${whose}; stop it, or choose another prefix`;
  return new MemoryError("conflict", message, { host_id: id, prefix });
}

function unheard({ inboxPrefixes }: ResolvedHostOptions): MemoryError {
  const message = "the host does not hear its own answers to discovery, so it would not notice another host";
  return new MemoryError("unavailable", message, { inbox_prefixes: inboxPrefixes.join(",") });
}
