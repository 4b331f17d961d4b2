import {
  type Bus,
  type Clock,
  CONTENT_TYPE_HEADER,
  CONTENT_TYPES,
  type EventAction,
  encodeMessage,
  eventSubject,
  type MemoryChange,
  type MemoryTier,
  type Operation,
  PROTOCOL_VERSION,
  type Scope,
  type StoreItem,
  type StoreReceipt,
} from "@membus/protocol";
import type { Metrics } from "../metrics.js";
import { operationKey } from "../operation.js";
import type { ResolvedHostOptions } from "../options.js";
import { RecentMap } from "../recent-map.js";
import { messageId } from "../replies/index.js";

/** Operations whose events are known to be out, so that a retry does not publish them again. */
const PUBLISHED_OPERATIONS_KEPT = 32_768;

const HEADERS = Object.freeze({ [CONTENT_TYPE_HEADER]: CONTENT_TYPES.json });

export interface EventsDependencies {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly metrics: Metrics;
}

interface StoredEntries {
  readonly scope: Scope;
  readonly operation: Operation;
  readonly items: readonly StoreItem[];
  readonly receipts: readonly StoreReceipt[];
}

/**
 * Publishes `memory/event`, in JSON, never contents. At most once, and never worth an error: what cannot be
 * published, or comes faster than `eventsPerSecondMax`, is dropped and counted.
 */
export class Events {
  readonly #dependencies: EventsDependencies;
  readonly #options: ResolvedHostOptions;
  readonly #published = new RecentMap<string, true>(PUBLISHED_OPERATIONS_KEPT);
  /** What was stored and not published yet. */
  #held: StoredEntries[] = [];
  #secondStartedAt = 0;
  #countThisSecond = 0;

  constructor(dependencies: EventsDependencies, options: ResolvedHostOptions) {
    this.#dependencies = dependencies;
    this.#options = options;
  }

  /** The id of the event of a receipt; undefined for an entry that was not written, or without events (STORE-10). */
  idOf(requestId: string, { index, outcome }: StoreReceipt): string | undefined {
    if (!this.#options.events || outcome === "unchanged" || outcome === "superseded") return undefined;
    return `${requestId}/${index}`;
  }

  /**
   * What one tier stored. The result of a retry, which the plugin repeats, publishes nothing. Held back until
   * `release`, or a little later: the reply goes first, and both with one write.
   */
  stored(
    scope: Scope,
    operation: Operation,
    items: readonly StoreItem[],
    receipts: readonly StoreReceipt[],
  ): void {
    if (!this.#options.events || this.#isRepeated(scope.tier, operation)) return;
    if (this.#held.length === 0) setImmediate(() => this.release());
    this.#held.push({ scope, operation, items, receipts });
  }

  /** Publishes what is held back. */
  release(): void {
    const held = this.#held;
    if (held.length === 0) return;
    this.#held = [];
    for (const entries of held) this.#publishStored(entries);
  }

  #publishStored({ scope, operation, items, receipts }: StoredEntries): void {
    const byIndex = new Map(items.map((item) => [item.index, item]));
    for (const receipt of receipts) {
      const event_id = this.idOf(operation.id, receipt);
      const item = byIndex.get(receipt.index);
      if (event_id === undefined || item === undefined) continue;
      const { key, key_hash } = item;
      const { revision } = receipt;
      const { agent: author } = operation;
      const tags = item.tags ?? [];
      const group = item.group ?? undefined;
      this.#publish("stored", { scope, key, key_hash, tags, group, revision, author }, author, event_id);
    }
  }

  /** What a plugin reports of `tier`: forgotten, expired, evicted. Never throws. */
  changed(tier: MemoryTier, change: MemoryChange, agent: string): void {
    if (!this.#options.events) return;
    this.release();
    try {
      const isPlugins = change.action !== "stored" && change.scope.tier === tier;
      if (isPlugins) this.#publish(change.action, change, agent);
      else this.#dependencies.metrics.violation(tier);
    } catch {
      this.#dependencies.metrics.violation(tier);
    }
  }

  #isRepeated(tier: MemoryTier, operation: Operation): boolean {
    const key = [operationKey(operation), tier].join("\n");
    if (this.#published.get(key)) return true;
    this.#published.set(key, true);
    return false;
  }

  #publish(
    action: EventAction,
    change: Omit<MemoryChange, "action">,
    agent: string,
    event_id?: string,
  ): void {
    const { bus, clock, metrics } = this.#dependencies;
    const at = clock.now();
    if (!this.#hasRoom(at)) return metrics.drop("event_limit");
    const { scope, key, key_hash, tags, group, revision, author } = change;
    const { tier, tenant, namespace } = scope;
    const body = { action, tier, namespace, key, key_hash, tags, group, revision, author, at, event_id };
    const event = { type: "memory/event", id: messageId(), version: PROTOCOL_VERSION, ts: at, ...body };
    try {
      const subject = eventSubject({ tenant, agent, tier, action }, this.#options.prefix);
      bus.publish(subject, encodeMessage(event, "json"), { headers: HEADERS });
      metrics.event();
    } catch {
      metrics.drop("event_failed");
    }
  }

  #hasRoom(now: number): boolean {
    if (now - this.#secondStartedAt >= 1) {
      this.#secondStartedAt = now;
      this.#countThisSecond = 0;
    }
    return ++this.#countThisSecond <= this.#options.eventsPerSecondMax;
  }
}
