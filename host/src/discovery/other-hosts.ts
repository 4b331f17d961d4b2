import {
  type Bus,
  type BusMessage,
  type BusSubscription,
  type Clock,
  isJsonObject,
  MemoryError,
} from "@membus/protocol";
import type { ResolvedHostOptions } from "../options.js";
import { SERVICE_NAME } from "./discovery.js";

/** Where hosts are asked for. */
const HOSTS_SUBJECT = `$SRV.INFO.${SERVICE_NAME}`;

/** A host of the same prefix and one of the same tenants, as its answer to discovery describes it. */
interface FoundHost {
  readonly id: string;
  readonly state: string;
  readonly servingMs: number;
}

/** Undefined for what is no host, or one of another prefix or other tenants. */
function readFoundHost({ payload }: BusMessage, options: ResolvedHostOptions): FoundHost | undefined {
  const info = parseJson(payload);
  if (!isJsonObject(info) || typeof info.id !== "string" || !isJsonObject(info.metadata)) return undefined;
  const { prefix, tenants, state, serving_ms } = info.metadata;
  if (prefix !== options.prefix || typeof tenants !== "string" || typeof state !== "string") return undefined;
  if (!overlap(options.tenants, tenants.split(","))) return undefined;
  return { id: info.id, state, servingMs: Number(serving_ms) };
}

function alreadyServed(id: string, { prefix, tenants }: ResolvedHostOptions): MemoryError {
  const whose = tenants.includes("*") ? "all tenants" : `tenants of ${tenants.join(", ")}`;
  const message = `the host ${id} already serves \`${prefix}\` for ${whose}; stop it, or choose another prefix`;
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

/** Two hosts that start together settle it in two rounds; more of them take a few more. */
const ROUNDS_MAX = 20;

/**
 * Makes sure that no other host serves the same prefix and tenants: it would answer half of the requests from an
 * empty store (clause DISC-3). Of hosts that start together the one with the lowest id stays. This host must answer
 * discovery before it asks, so that of two at least one sees the other. The lower id may be the one that was not
 * seen, so while a higher one is still starting it asks again, until that one is gone or serves. It also asks again
 * when it did not hear itself: what came from others may be waiting behind the same work. What comes later still is
 * for `HostWatch`.
 * @throws {MemoryError} `conflict` naming the other host; `unavailable` when it never hears itself.
 */
export async function requireOnlyHost(bus: Bus, hostId: string, options: ResolvedHostOptions): Promise<void> {
  let rivals: FoundHost[] = [];
  for (let round = 1; round <= ROUNDS_MAX; round++) {
    const hosts = await findHosts(bus, options);
    rivals = hosts.filter(({ id, state }) => id !== hostId && (state === "starting" || state === "serving"));
    const stronger = rivals.find(({ id, state }) => state === "serving" || id < hostId);
    if (stronger !== undefined) throw alreadyServed(stronger.id, options);
    const hearsItself = hosts.some(({ id }) => id === hostId);
    if (rivals.length === 0 && hearsItself) return;
  }
  throw rivals[0] === undefined ? unheard(options) : alreadyServed(rivals[0].id, options);
}

/** The hosts of this prefix and any of these tenants, this one among them. */
async function findHosts(bus: Bus, options: ResolvedHostOptions): Promise<FoundHost[]> {
  const answers = await bus.requestMany(HOSTS_SUBJECT, new Uint8Array(), { waitMs: options.discoveryWaitMs });
  return answers.flatMap((answer) => readFoundHost(answer, options) ?? []);
}

function unheard({ inboxPrefixes }: ResolvedHostOptions): MemoryError {
  const message = "the host does not hear its own answers to discovery, so it would not notice another host";
  return new MemoryError("unavailable", message, { inbox_prefixes: inboxPrefixes.join(",") });
}

const ASK_INTERVAL_MS = 10_000;

export interface HostWatchDependencies {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly hostId: string;
  readonly options: ResolvedHostOptions;
  servingMs(): number;
  /** Called with a `conflict` that names the other host, perhaps more than once. */
  onOlderHost(error: MemoryError): void;
}

/**
 * Goes on looking for other hosts while this one serves (clause DISC-5): at its start the answer of a host on a loaded
 * machine may have been too late, or the network in two parts. An answer counts whenever it comes. The host that has
 * served longer stays: its age is of the time of its answer, ours of the time when it arrives, so that delays only
 * make us seem older, and never do both stop.
 */
export class HostWatch {
  readonly #dependencies: HostWatchDependencies;
  readonly #inbox: string;
  #subscription: BusSubscription | undefined;
  #cancel: () => void = () => {};
  #askedCount = 0;

  constructor(dependencies: HostWatchDependencies) {
    this.#dependencies = dependencies;
    this.#inbox = `${dependencies.bus.inboxPrefix}.${dependencies.hostId}`;
  }

  /** Asks at once, then every ten seconds. */
  start(): void {
    this.#subscription = this.#dependencies.bus.subscribe(`${this.#inbox}.*`, (answer) => this.#read(answer));
    this.#ask();
  }

  async stop(): Promise<void> {
    this.#cancel();
    await this.#subscription?.drain();
  }

  #ask(): void {
    const { bus, clock } = this.#dependencies;
    // Each question has a reply subject of its own: a server may allow no more than one answer to each.
    const reply = `${this.#inbox}.${++this.#askedCount}`;
    if (bus.state === "connected") bus.publish(HOSTS_SUBJECT, new Uint8Array(), { reply });
    this.#cancel = clock.after(ASK_INTERVAL_MS, () => this.#ask(), { background: true });
  }

  #read(answer: BusMessage): void {
    const { hostId, options, servingMs, onOlderHost } = this.#dependencies;
    const found = readFoundHost(answer, options);
    if (found === undefined || found.id === hostId || found.state !== "serving") return;
    const aheadMs = found.servingMs - servingMs();
    if (aheadMs > 0 || (aheadMs === 0 && found.id < hostId)) onOlderHost(alreadyServed(found.id, options));
  }
}
