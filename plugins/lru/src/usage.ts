import { EntryOrder } from "./entry-order.js";
import type { Quota } from "./quotas.js";

/** Stored entries and bytes. */
export interface Usage {
  readonly entries: number;
  readonly bytes: number;
}

const NO_QUOTA: Quota = Object.freeze({});

/** Usage of the whole tier, of a tenant, of one of its agents, or of one of an agent's sessions. */
export class UsageNode implements Usage {
  entries = 0;
  bytes = 0;
  namespaces = 0;
  sessions = 0;
  readonly children = new Map<string, UsageNode | ScopeUsage>();

  constructor(
    readonly name: string,
    readonly parent: UsageNode | undefined,
    readonly quota = NO_QUOTA,
  ) {}

  /** Returns whether the usage exceeds this share of the quota. */
  isOverQuota(resource: keyof Quota, share = 1): boolean {
    const max = this.quota[resource];
    return max !== undefined && this[resource] > Math.ceil(max * share);
  }

  /** Time of the last use of any part. */
  get usedAt(): number {
    let latest = 0;
    for (const part of this.children.values()) latest = Math.max(latest, part.usedAt);
    return latest;
  }

  /** Yields all scopes, including scopes of its parts. */
  *scopes(): Iterable<ScopeUsage> {
    for (const part of this.children.values()) {
      if (part instanceof ScopeUsage) yield part;
      else yield* part.scopes();
    }
  }
}

/**
 * Entries of one scope. It removes nothing itself, because limits span scopes and the kit must be informed.
 */
export class ScopeUsage implements Usage {
  readonly order = new EntryOrder();
  /** Bytes of the scope's partition, including indexes. */
  partitionBytes = 0;
  /** Value of the use counter of all scopes at the last use. */
  usedAt = 0;

  /**
   * @param name id of the scope.
   * @param ownBytes bytes in addition to the partition and the entries.
   */
  constructor(
    readonly name: string,
    readonly parent: UsageNode,
    readonly ownBytes: number,
  ) {}

  get entries(): number {
    return this.order.size;
  }

  get bytes(): number {
    return this.entries === 0 ? 0 : this.ownBytes + this.order.sizeBytes + this.partitionBytes;
  }

  /**
   * Changes the contents and updates the usage of all enclosing holders. An empty scope is removed from them.
   */
  change(change: () => void): void {
    const { entries, bytes } = this;
    const { sessions } = this.parent;
    change();
    const added = { entries: this.entries - entries, bytes: this.bytes - bytes };
    const namespaces = Number(this.entries > 0) - Number(entries > 0);
    this.parent.sessions = Number(this.parent.entries + added.entries > 0);
    let part: UsageNode | ScopeUsage = this;
    for (let parent: UsageNode | undefined = this.parent; parent !== undefined; parent = parent.parent) {
      parent.entries += added.entries;
      parent.bytes += added.bytes;
      parent.namespaces += namespaces;
      if (parent !== this.parent) parent.sessions += this.parent.sessions - sessions;
      if (part.entries === 0) parent.children.delete(part.name);
      else if (entries === 0) parent.children.set(part.name, part);
      part = parent;
    }
  }
}

/** Returns the larger of the shares of entries and of bytes, relative to `max`. */
export function shareOf({ entries, bytes }: Usage, max: Usage): number {
  return Math.max(entries / max.entries, bytes / max.bytes);
}

/** Returns the largest share of a part. */
export function largestShare({ children }: UsageNode, max: Usage): number {
  let largest = 0;
  for (const part of children.values()) largest = Math.max(largest, shareOf(part, max));
  return largest;
}

/** Returns the agent of a tenant with the most namespaces or sessions. */
export function agentWithMost({ children }: UsageNode, resource: "namespaces" | "sessions"): UsageNode {
  const agents = [...children.values()] as UsageNode[];
  return agents.reduce((most, agent) => (agent[resource] > most[resource] ? agent : most));
}
