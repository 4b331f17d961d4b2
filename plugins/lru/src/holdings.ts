import { EntryOrder } from "./entry-order.js";
import type { Quota } from "./quotas.js";

/** What somebody holds. */
export interface Held {
  readonly entries: number;
  readonly bytes: number;
}

const NO_QUOTA: Quota = Object.freeze({});

/** All that is held, or what a tenant, one of its agents, or one of an agent's sessions holds. */
export class Holder implements Held {
  entries = 0;
  bytes = 0;
  namespaces = 0;
  sessions = 0;
  readonly parts = new Map<string, Holder | HeldScope>();

  constructor(
    readonly name: string,
    readonly whole: Holder | undefined,
    readonly quota = NO_QUOTA,
  ) {}

  /** Whether it holds more than this share of its quota. */
  isOverQuota(what: keyof Quota, share = 1): boolean {
    const max = this.quota[what];
    return max !== undefined && this[what] > Math.ceil(max * share);
  }

  /** When a part was used last. */
  get usedAt(): number {
    let latest = 0;
    for (const part of this.parts.values()) latest = Math.max(latest, part.usedAt);
    return latest;
  }

  /** Its scopes, those of its parts too. */
  *scopes(): Iterable<HeldScope> {
    for (const part of this.parts.values()) {
      if (part instanceof HeldScope) yield part;
      else yield* part.scopes();
    }
  }
}

/** The entries of one scope. It drops nothing itself: bounds span scopes, and the kit has to know. */
export class HeldScope implements Held {
  readonly order = new EntryOrder();
  /** What their partition takes, with its indexes. */
  partitionBytes = 0;
  /** Counts uses of all scopes. */
  usedAt = 0;

  /** `name`: its id. `ownBytes`: what it takes besides its partition and its entries. */
  constructor(
    readonly name: string,
    readonly whole: Holder,
    readonly ownBytes: number,
  ) {}

  get entries(): number {
    return this.order.size;
  }

  get bytes(): number {
    return this.entries === 0 ? 0 : this.ownBytes + this.order.sizeBytes + this.partitionBytes;
  }

  /** Changes what it holds, and counts that in wherever it belongs to. One that holds nothing any more leaves. */
  change(change: () => void): void {
    const { entries, bytes } = this;
    const { sessions } = this.whole;
    change();
    const added = { entries: this.entries - entries, bytes: this.bytes - bytes };
    const namespaces = Number(this.entries > 0) - Number(entries > 0);
    this.whole.sessions = Number(this.whole.entries + added.entries > 0);
    let part: Holder | HeldScope = this;
    for (let whole: Holder | undefined = this.whole; whole !== undefined; whole = whole.whole) {
      whole.entries += added.entries;
      whole.bytes += added.bytes;
      whole.namespaces += namespaces;
      if (whole !== this.whole) whole.sessions += this.whole.sessions - sessions;
      if (part.entries === 0) whole.parts.delete(part.name);
      else if (entries === 0) whole.parts.set(part.name, part);
      part = whole;
    }
  }
}

/** The larger of its shares of the entries and of the bytes that there may be: what somebody takes of what is scarce. */
export function shareOf({ entries, bytes }: Held, max: Held): number {
  return Math.max(entries / max.entries, bytes / max.bytes);
}

/** The largest share of a part. */
export function largestShare({ parts }: Holder, max: Held): number {
  let largest = 0;
  for (const part of parts.values()) largest = Math.max(largest, shareOf(part, max));
  return largest;
}

/** The part of a tenant that has most of what is counted: an agent. */
export function partWithMost({ parts }: Holder, what: "namespaces" | "sessions"): Holder {
  const agents = [...parts.values()] as Holder[];
  return agents.reduce((most, agent) => (agent[what] > most[what] ? agent : most));
}
