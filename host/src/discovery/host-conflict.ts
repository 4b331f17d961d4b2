import { type Clock, isJsonObject, MemoryError } from "@membus/protocol";
import type { Bus, BusMessage, BusSubscription } from "@membus/protocol/plugin";
import type { ResolvedHostOptions } from "../options.js";
import { SERVICE_NAME } from "./discovery.js";

/** Subject that hosts answer discovery on. */
const HOSTS_SUBJECT = `$SRV.INFO.${SERVICE_NAME}`;

/** Id, prefix, tenants and cluster of this host, which other hosts find by discovery. */
export interface HostIdentity {
  readonly hostId: string;
  readonly options: ResolvedHostOptions;
  readonly cluster: string | undefined;
}

/** Host with the same prefix and at least one common tenant, as its discovery reply describes it. */
interface FoundHost {
  readonly id: string;
  readonly state: string;
  readonly servingMs: number;
  /** Whether it is in the same cluster, so that both serve together (clause DISC-9). */
  readonly isPeer: boolean;
}

/**
 * Returns undefined for a reply that is malformed or from a host with another prefix or without a common
 * tenant.
 */
function readFoundHost({ payload }: BusMessage, { options, cluster }: HostIdentity): FoundHost | undefined {
  const info = parseJson(payload);
  if (!isJsonObject(info) || typeof info.id !== "string" || !isJsonObject(info.metadata)) return undefined;
  const { prefix, tenants, state, serving_ms, cluster: named } = info.metadata;
  if (prefix !== options.prefix || typeof tenants !== "string" || typeof state !== "string") return undefined;
  if (!overlap(options.tenants, tenants.split(","))) return undefined;
  const isPeer = cluster !== undefined && named === cluster;
  return { id: info.id, state, servingMs: Number(serving_ms), isPeer };
}

function alreadyServed(id: string, { prefix, tenants }: ResolvedHostOptions): MemoryError {
  const tenantNames = tenants.includes("*") ? "all tenants" : `the tenants ${tenants.join(", ")}`;
  const claim = `the host ${id} already serves the prefix ${prefix} for ${tenantNames}`;
  const message = `${claim}. Stop it, or choose another prefix`;
  return new MemoryError("conflict", message, { host_id: id, prefix });
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

/** Two hosts that start at the same time need two rounds. More hosts need a few more. */
const ROUNDS_MAX = 20;

/**
 * Ensures that no other host serves the same prefix and tenants, because it would answer half of the requests
 * from an empty store (clause DISC-3).
 *
 * If several hosts start at the same time, the one with the lowest id stays. This host must answer discovery
 * before it queries, so that at least one of two hosts sees the other. The host with the lower id may be the
 * one that was not seen. Therefore this host repeats the query while a host with a higher id is starting. It
 * also repeats the query if its own answer is missing, because answers of other hosts may be delayed too.
 * `HostWatch` handles hosts that appear later.
 * @throws {MemoryError} `conflict` naming the other host, or `unavailable` if the host never receives its own
 * answer.
 */
export async function requireOnlyHost(bus: Bus, identity: HostIdentity): Promise<void> {
  const { hostId, options } = identity;
  let rivals: FoundHost[] = [];
  for (let round = 1; round <= ROUNDS_MAX; round++) {
    const hosts = await findHosts(bus, identity);
    const others = hosts.filter(({ id, isPeer }) => id !== hostId && !isPeer);
    rivals = others.filter(({ state }) => state === "starting" || state === "serving");
    const winner = rivals.find(({ id, state }) => state === "serving" || id < hostId);
    if (winner !== undefined) throw alreadyServed(winner.id, options);
    const seesItself = hosts.some(({ id }) => id === hostId);
    if (rivals.length === 0 && seesItself) return;
  }
  throw rivals[0] === undefined ? discoveryError(options) : alreadyServed(rivals[0].id, options);
}

/** Returns the hosts of this prefix with a common tenant, including this host. */
async function findHosts(bus: Bus, identity: HostIdentity): Promise<FoundHost[]> {
  const { discoveryWaitMs: waitMs } = identity.options;
  const answers = await bus.requestMany(HOSTS_SUBJECT, new Uint8Array(), { waitMs });
  return answers.flatMap((answer) => readFoundHost(answer, identity) ?? []);
}

function discoveryError({ inboxPrefixes }: ResolvedHostOptions): MemoryError {
  const message =
    "the host does not receive its own discovery replies, so it cannot detect another host. " +
    "Check inboxPrefixes and the NATS permissions";
  return new MemoryError("unavailable", message, { inbox_prefixes: inboxPrefixes.join(",") });
}

const QUERY_INTERVAL_MS = 10_000;

export interface HostWatchDependencies extends HostIdentity {
  readonly bus: Bus;
  readonly clock: Clock;
  servingMs(): number;
  /** Called with a `conflict` that names the other host, possibly more than once. */
  onOlderHost(error: MemoryError): void;
}

/**
 * Detects other hosts while this one serves (clause DISC-5). At startup the reply of a host may have been
 * late, or the network may have been split. A reply counts whenever it arrives.
 *
 * The host that has served longer stays. The other host's age dates from its reply, and this host's age from
 * the arrival of the reply. Delays therefore only make this host look older, so the two hosts never both
 * stop.
 */
export class HostWatch {
  readonly #dependencies: HostWatchDependencies;
  readonly #inbox: string;
  #subscription: BusSubscription | undefined;
  #cancel: () => void = () => {};
  #queryCount = 0;

  constructor(dependencies: HostWatchDependencies) {
    this.#dependencies = dependencies;
    this.#inbox = `${dependencies.bus.inboxPrefix}.${dependencies.hostId}`;
  }

  /** Queries now, then every ten seconds. */
  start(): void {
    this.#subscription = this.#dependencies.bus.subscribe(`${this.#inbox}.*`, (answer) => this.#read(answer));
    this.#query();
  }

  async stop(): Promise<void> {
    this.#cancel();
    await this.#subscription?.drain();
  }

  #query(): void {
    const { bus, clock } = this.#dependencies;
    // Each query has its own reply subject, because a server may allow only one answer per reply subject.
    const reply = `${this.#inbox}.${++this.#queryCount}`;
    if (bus.state === "connected") bus.publish(HOSTS_SUBJECT, new Uint8Array(), { reply });
    this.#cancel = clock.after(QUERY_INTERVAL_MS, () => this.#query(), { background: true });
  }

  #read(answer: BusMessage): void {
    const { hostId, options, servingMs, onOlderHost } = this.#dependencies;
    const found = readFoundHost(answer, this.#dependencies);
    if (found === undefined || found.id === hostId || found.isPeer || found.state !== "serving") return;
    const aheadMs = found.servingMs - servingMs();
    if (aheadMs > 0 || (aheadMs === 0 && found.id < hostId)) onOlderHost(alreadyServed(found.id, options));
  }
}
