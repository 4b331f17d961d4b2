import { MemoryError } from "@membus/protocol";
import { type RateCause, type RateMeter, type Sender, TokenBucket } from "../rates/index.js";
import { RecentMap } from "../recent-map.js";

export interface AdmissionLimits {
  readonly inFlightCountMax: number;
  readonly inFlightBytesMax: number;
  readonly agentInFlightCountMax: number;
  readonly agentInFlightBytesMax: number;
}

/** What there is to know of a message that was not decoded. */
export interface Arrival {
  readonly sender: Sender;
  readonly bytes: number;
  /** Whether it only reads. */
  readonly isQuery: boolean;
  /** Unix seconds. */
  readonly receivedAt: number;
}

type InFlightCause = "requests" | "bytes" | "agent_requests" | "agent_bytes";

/** What there was too much of. */
export type RefusalCause = InFlightCause | RateCause;

export interface Refusal {
  readonly kind: "refused";
  readonly cause: RefusalCause;
  readonly error: MemoryError;
}

/** Of one request under way, until it is left. */
export interface Place {
  readonly kind: "place";
  leave(): void;
}

/** Long enough for a full host to answer what it has, short enough not to leave it idle. */
const RETRY_AFTER_MS = 100;
/**
 * An agent gets this share of what others leave free, so that there is always a place for who has none: one agent alone may
 * take eight ninths, two take eight seventeenths each.
 */
const SHARE_OF_FREE = 8;
/** Refusals of one agent that are answered within a second (clause ERR-13); answers cost, too. */
const ANSWERS_PER_SECOND = 1_000;
/** For so long an agent is not heard at all that goes on after that. */
const QUARANTINE_S = 1;
/** Agents whose floods are remembered. */
const AGENTS_KEPT = 8_192;

class Account {
  readonly answers: TokenBucket;
  count = 0;
  bytes = 0;
  /** Unix seconds. */
  quarantinedUntil = 0;

  constructor(now: number) {
    this.answers = new TokenBucket(ANSWERS_PER_SECOND, now);
  }
}

/**
 * Decides by sender and size, before anything is decoded, whether a message is taken on: bounds the requests under way, by count
 * and by bytes, of all and of each agent, and what agents and tenants ask for in a second.
 */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #rates: RateMeter;
  readonly #accounts = new RecentMap<string, Account>(AGENTS_KEPT);
  readonly #whenIdle: (() => void)[] = [];
  #count = 0;
  #bytes = 0;

  constructor(limits: AdmissionLimits, rates: RateMeter) {
    this.#limits = limits;
    this.#rates = rates;
  }

  get count(): number {
    return this.#count;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Takes a place, or tells why there is none: `overloaded` with `retry_after_ms`; `flood` where the sender was told so often
   * that it is not told again for a while. A request larger than a bound of bytes is let in alone.
   */
  enter(arrival: Arrival): Place | Refusal | "flood" {
    const account = this.#accountOf(arrival);
    if (account.quarantinedUntil > arrival.receivedAt) return "flood";
    const cause = this.#lack(account, arrival.bytes);
    if (cause !== undefined) return refuse(account, arrival, cause, RETRY_AFTER_MS);
    const { sender, bytes, isQuery, receivedAt } = arrival;
    const usedUp = this.#rates.take(sender, bytes, isQuery, receivedAt);
    if (usedUp !== undefined) return refuse(account, arrival, usedUp.cause, usedUp.waitMs);
    this.#add(account, 1, bytes);
    return { kind: "place", leave: () => this.#leave(account, bytes) };
  }

  /** Resolves when no request is under way. */
  idle(): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#whenIdle.push(resolve);
    });
  }

  #lack(account: Account, bytes: number): InFlightCause | undefined {
    const { inFlightCountMax, inFlightBytesMax, agentInFlightCountMax, agentInFlightBytesMax } = this.#limits;
    const freeCount = inFlightCountMax - this.#count;
    const freeBytes = inFlightBytesMax - this.#bytes;
    if (freeCount <= 0) return "requests";
    if (this.#count > 0 && bytes > freeBytes) return "bytes";
    if (account.count >= Math.min(agentInFlightCountMax, SHARE_OF_FREE * freeCount)) return "agent_requests";
    const bytesMax = Math.min(agentInFlightBytesMax, SHARE_OF_FREE * freeBytes);
    return account.count > 0 && account.bytes + bytes > bytesMax ? "agent_bytes" : undefined;
  }

  #leave(account: Account, bytes: number): void {
    this.#add(account, -1, -bytes);
    if (this.#count > 0) return;
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  #add(account: Account, count: number, bytes: number): void {
    this.#count += count;
    this.#bytes += bytes;
    account.count += count;
    account.bytes += bytes;
  }

  #accountOf({ sender: { tenant, agent }, receivedAt }: Arrival): Account {
    const key = `${tenant}\n${agent}`;
    const known = this.#accounts.get(key);
    if (known !== undefined) return known;
    const account = new Account(receivedAt);
    this.#accounts.set(key, account);
    return account;
  }
}

function refuse(
  account: Account,
  { receivedAt }: Arrival,
  cause: RefusalCause,
  retryAfterMs: number,
): Refusal | "flood" {
  if (account.answers.waitMs(1, receivedAt) > 0) {
    account.quarantinedUntil = receivedAt + QUARANTINE_S;
    return "flood";
  }
  account.answers.spend(1);
  const what = cause.replaceAll("_", " ");
  const detail = { retry_after_ms: retryAfterMs };
  return {
    kind: "refused",
    cause,
    error: new MemoryError("overloaded", `too much at once: ${what}`, detail),
  };
}
