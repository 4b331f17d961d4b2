import { InFlightCounter, MemoryError } from "@membus/protocol";
import { type RateCause, type RateMeter, type Sender, TokenBucket } from "../rates/index.js";
import { RecentMap } from "../recent-map.js";
import { AgentUsage } from "./agent-usage.js";

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
  /** Whether other messages of the sender were refused while this one waited. */
  readonly isOverflowing?: boolean;
}

type InFlightCause =
  | "requests"
  | "bytes"
  | "agent_requests"
  | "agent_bytes"
  | "impatient_agents"
  | "waiting_messages";

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
  /** Whether the agent sent it before the `retry_after_ms` of a refusal had passed. */
  readonly isImpatient: boolean;
  release(): void;
}

/**
 * An agent may use this multiple of the capacity that is still free, so that a slot always remains for other
 * agents. A single agent can take 8/9 of the capacity, two agents 8/17 each.
 */
const SHARE_OF_FREE = 8;
/** Share of the capacity that all impatient agents have together. The rest is free for patient ones. */
const IMPATIENT_SHARE = 1 / 8;
/**
 * Refusals per second that are answered to impatient agents which were refused three times in a row (clause
 * ERR-17), because replies cost time too.
 */
const PERSISTENT_REPLIES_PER_SECOND = 2_000;
/** Number of remembered agents. */
const AGENTS_REMEMBERED = 8_192;

/**
 * Admits or refuses a message by sender and size, before it is decoded. Limits the number and bytes of
 * running requests, in total and per agent, and the request rates of agents and tenants. Agents that do not
 * wait after a refusal share a small part of the capacity.
 */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #rates: RateMeter;
  readonly #usages = new RecentMap<string, AgentUsage>(AGENTS_REMEMBERED);
  readonly #inFlight = new InFlightCounter();
  readonly #persistentReplies = new TokenBucket(PERSISTENT_REPLIES_PER_SECOND, 0);
  readonly #impatient = { count: 0, bytes: 0 };
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
   * Admits a message or returns a refusal: `overloaded` with `retry_after_ms`. Returns `flood` if the refusal
   * is not answered, because the host has refused too many requests of this agent or of impatient agents. A
   * request larger than a byte limit is admitted if no other request is running.
   */
  admit(arrival: Arrival): AdmissionSlot | Refusal | "flood" {
    const { sender, bytes, isQuery, receivedAt, isOverflowing = false } = arrival;
    const usage = this.#usageOf(arrival);
    if (isOverflowing) usage.noteOverflow(receivedAt);
    if (usage.isQuarantined(receivedAt)) return "flood";
    const isImpatient = usage.isImpatient(receivedAt);
    const cause = this.#exceededLimit(usage, bytes, isImpatient);
    if (cause !== undefined) return this.#refuse(usage, receivedAt, cause, usage.nextWaitMs(receivedAt));
    const exhausted = this.#rates.take(sender, bytes, isQuery, receivedAt);
    if (exhausted !== undefined) return this.#refuse(usage, receivedAt, exhausted.cause, exhausted.waitMs);
    if (!isImpatient) usage.resetWait();
    return this.#admit(usage, bytes, isImpatient);
  }

  /** Refuses a message for which there was no space while it waited. */
  refuseWaiting(arrival: Arrival): Refusal | "flood" {
    const { receivedAt } = arrival;
    const usage = this.#usageOf(arrival);
    return this.#refuse(usage, receivedAt, "waiting_messages", usage.nextWaitMs(receivedAt));
  }

  /** Resolves when no request is running. */
  idle(): Promise<void> {
    return this.#inFlight.idle();
  }

  #exceededLimit(usage: AgentUsage, bytes: number, isImpatient: boolean): InFlightCause | undefined {
    const { inFlightCountMax, inFlightBytesMax, agentInFlightCountMax, agentInFlightBytesMax } = this.#limits;
    const freeCount = inFlightCountMax - this.count;
    const freeBytes = inFlightBytesMax - this.#bytes;
    if (freeCount <= 0) return "requests";
    if (this.count > 0 && bytes > freeBytes) return "bytes";
    if (usage.count >= Math.min(agentInFlightCountMax, SHARE_OF_FREE * freeCount)) return "agent_requests";
    const bytesMax = Math.min(agentInFlightBytesMax, SHARE_OF_FREE * freeBytes);
    if (usage.count > 0 && usage.bytes + bytes > bytesMax) return "agent_bytes";
    return isImpatient && this.#exceedsImpatientShare(bytes) ? "impatient_agents" : undefined;
  }

  #exceedsImpatientShare(bytes: number): boolean {
    const { inFlightCountMax, inFlightBytesMax } = this.#limits;
    const running = this.#impatient;
    if (running.count === 0) return false;
    return (
      running.count >= IMPATIENT_SHARE * inFlightCountMax ||
      running.bytes + bytes > IMPATIENT_SHARE * inFlightBytesMax
    );
  }

  #refuse(usage: AgentUsage, receivedAt: number, cause: RefusalCause, waitMs: number): Refusal | "flood" {
    const isPersistent = usage.isPersistent && usage.isImpatient(receivedAt);
    if (!usage.refuse(receivedAt, waitMs)) return "flood";
    if (isPersistent) {
      if (this.#persistentReplies.waitMs(1, receivedAt) > 0) return "flood";
      this.#persistentReplies.spend(1);
    }
    return { kind: "refused", cause, error: overloaded(cause, waitMs) };
  }

  #admit(usage: AgentUsage, bytes: number, isImpatient: boolean): AdmissionSlot {
    const add = (sign: 1 | -1) => {
      this.#bytes += sign * bytes;
      usage.add(sign, bytes);
      if (!isImpatient) return;
      this.#impatient.count += sign;
      this.#impatient.bytes += sign * bytes;
    };
    const release = () => {
      add(-1);
      this.#inFlight.end();
    };
    this.#inFlight.begin();
    add(1);
    return { kind: "admitted", isImpatient, release };
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

/** Errors by cause and wait, because a flood is refused more often than errors can be created. */
const errors = new RecentMap<string, MemoryError>(256);

function overloaded(cause: RefusalCause, waitMs: number): MemoryError {
  const key = `${cause} ${waitMs}`;
  const known = errors.get(key);
  if (known !== undefined) return known;
  const limit = cause.replaceAll("_", " ");
  const text = `limit exceeded: ${limit}. Retry after retry_after_ms`;
  const error = new MemoryError("overloaded", text, { retry_after_ms: waitMs });
  errors.set(key, error);
  return error;
}
