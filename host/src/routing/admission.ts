import { InFlightCounter, MemoryError } from "@membus/protocol";
import { type RateCause, type RateMeter, type Sender, TokenBucket } from "../rates/index.js";
import { RecentMap } from "../recent-map.js";

export interface AdmissionLimits {
  readonly inFlightCountMax: number;
  readonly inFlightBytesMax: number;
  readonly agentInFlightCountMax: number;
  readonly agentInFlightBytesMax: number;
}

/** Properties of a message before it is decoded. */
export interface Arrival {
  readonly sender: Sender;
  readonly bytes: number;
  /** Whether the request only reads. */
  readonly isQuery: boolean;
  /** Unix seconds. */
  readonly receivedAt: number;
}

type InFlightCause = "requests" | "bytes" | "agent_requests" | "agent_bytes";

/** Exceeded limit. */
export type RefusalCause = InFlightCause | RateCause;

export interface Refusal {
  readonly kind: "refused";
  readonly cause: RefusalCause;
  readonly error: MemoryError;
}

/** Slot of one running request, until `release`. */
export interface AdmissionSlot {
  readonly kind: "admitted";
  release(): void;
}

/** Long enough for a full host to finish some requests, short enough to keep it busy. */
const RETRY_AFTER_MS = 100;
/**
 * An agent may use this multiple of the capacity that is still free, so that a slot always remains for other
 * agents. A single agent can take 8/9 of the capacity, two agents 8/17 each.
 */
const SHARE_OF_FREE = 8;
/** Refusals per second and agent that are answered (clause ERR-13), because replies cost time too. */
const REFUSALS_PER_SECOND = 1_000;
/** Seconds for which the messages of an agent are dropped if it keeps sending after that. */
const QUARANTINE_S = 1;
/** Number of remembered agents. */
const AGENTS_REMEMBERED = 8_192;

class AgentUsage {
  readonly refusals: TokenBucket;
  count = 0;
  bytes = 0;
  /** Unix seconds. */
  quarantinedUntil = 0;

  constructor(now: number) {
    this.refusals = new TokenBucket(REFUSALS_PER_SECOND, now);
  }
}

/**
 * Admits or refuses a message by sender and size, before it is decoded. Limits the number and bytes of
 * running requests, in total and per agent, and the request rates of agents and tenants.
 */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #rates: RateMeter;
  readonly #usages = new RecentMap<string, AgentUsage>(AGENTS_REMEMBERED);
  readonly #inFlight = new InFlightCounter();
  #bytes = 0;

  constructor(limits: AdmissionLimits, rates: RateMeter) {
    this.#limits = limits;
    this.#rates = rates;
  }

  get count(): number {
    return this.#inFlight.count;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Admits a message or returns a refusal: `overloaded` with `retry_after_ms`. Returns `flood` if the sender
   * was refused so often that its messages are dropped for a while. A request larger than a byte limit is
   * admitted if no other request is running.
   */
  admit(arrival: Arrival): AdmissionSlot | Refusal | "flood" {
    const usage = this.#usageOf(arrival);
    if (usage.quarantinedUntil > arrival.receivedAt) return "flood";
    const cause = this.#exceededLimit(usage, arrival.bytes);
    if (cause !== undefined) return refuse(usage, arrival, cause, RETRY_AFTER_MS);
    const { sender, bytes, isQuery, receivedAt } = arrival;
    const exhausted = this.#rates.take(sender, bytes, isQuery, receivedAt);
    if (exhausted !== undefined) return refuse(usage, arrival, exhausted.cause, exhausted.waitMs);
    this.#inFlight.begin();
    this.#add(usage, 1, bytes);
    return { kind: "admitted", release: () => this.#release(usage, bytes) };
  }

  /** Resolves when no request is running. */
  idle(): Promise<void> {
    return this.#inFlight.idle();
  }

  #exceededLimit(usage: AgentUsage, bytes: number): InFlightCause | undefined {
    const { inFlightCountMax, inFlightBytesMax, agentInFlightCountMax, agentInFlightBytesMax } = this.#limits;
    const freeCount = inFlightCountMax - this.count;
    const freeBytes = inFlightBytesMax - this.#bytes;
    if (freeCount <= 0) return "requests";
    if (this.count > 0 && bytes > freeBytes) return "bytes";
    if (usage.count >= Math.min(agentInFlightCountMax, SHARE_OF_FREE * freeCount)) return "agent_requests";
    const bytesMax = Math.min(agentInFlightBytesMax, SHARE_OF_FREE * freeBytes);
    return usage.count > 0 && usage.bytes + bytes > bytesMax ? "agent_bytes" : undefined;
  }

  #release(usage: AgentUsage, bytes: number): void {
    this.#add(usage, -1, -bytes);
    this.#inFlight.end();
  }

  #add(usage: AgentUsage, count: number, bytes: number): void {
    this.#bytes += bytes;
    usage.count += count;
    usage.bytes += bytes;
  }

  #usageOf({ sender: { tenant, agent }, receivedAt }: Arrival): AgentUsage {
    const key = `${tenant}\n${agent}`;
    const known = this.#usages.get(key);
    if (known !== undefined) return known;
    const usage = new AgentUsage(receivedAt);
    this.#usages.set(key, usage);
    return usage;
  }
}

function refuse(
  usage: AgentUsage,
  { receivedAt }: Arrival,
  cause: RefusalCause,
  retryAfterMs: number,
): Refusal | "flood" {
  if (usage.refusals.waitMs(1, receivedAt) > 0) {
    usage.quarantinedUntil = receivedAt + QUARANTINE_S;
    return "flood";
  }
  usage.refusals.spend(1);
  const limit = cause.replaceAll("_", " ");
  const detail = { retry_after_ms: retryAfterMs };
  return {
    kind: "refused",
    cause,
    error: new MemoryError("overloaded", `limit exceeded: ${limit}. Retry after retry_after_ms`, detail),
  };
}
