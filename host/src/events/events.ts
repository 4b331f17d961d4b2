import {
  type Clock,
  CONTENT_TYPE_HEADER,
  CONTENT_TYPES,
  type EventAction,
  encodeMessage,
  eventSubject,
  type MemoryTier,
  PROTOCOL_VERSION,
  type Scope,
  type StoreReceipt,
} from "@membus/protocol";
import type { Bus, MemoryChange, Operation, StoreItem } from "@membus/protocol/plugin";
import type { Metrics } from "../metrics.js";
import { operationKey } from "../operation.js";
import type { ResolvedHostOptions } from "../options.js";
import { RecentMap } from "../recent-map.js";
import { messageId } from "../replies/index.js";
import { EventBudget } from "./event-budget.js";

/** Number of operations with published events that are remembered, so that a retry does not publish again. */
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
 * Publishes `memory/event` in JSON, never with contents. Delivery is at most once, and a failure is never an
 * error. Events that cannot be published, or that exceed `eventsPerSecondMax`, are dropped and counted.
 */
export class Events {
  readonly #dependencies: EventsDependencies;
  readonly #options: ResolvedHostOptions;
  readonly #budget: EventBudget;
  readonly #published = new RecentMap<string, true>(PUBLISHED_OPERATIONS_KEPT);
  /** Stored entries without published events. */
  #pending: StoredEntries[] = [];

  constructor(dependencies: EventsDependencies, options: ResolvedHostOptions) {
    this.#dependencies = dependencies;
    this.#options = options;
    this.#budget = new EventBudget(options.eventsPerSecondMax);
  }

  /**
   * Returns the event id of a receipt. Undefined if the entry was not written or events are off (STORE-10).
   */
  idOf(requestId: string, { index, outcome }: StoreReceipt): string | undefined {
    if (!this.#options.events || outcome === "unchanged" || outcome === "superseded") return undefined;
    return `${requestId}/${index}`;
  }

  /**
   * Queues the events of one tier's store. A retry publishes nothing, because the plugin repeats the first
   * result. Events are held until `release` or the next turn of the event loop. The reply thus goes first,
   * and both share one write.
   */
  stored(
    scope: Scope,
    operation: Operation,
    items: readonly StoreItem[],
    receipts: readonly StoreReceipt[],
  ): void {
    if (!this.#options.events || this.#isRepeated(scope.tier, operation)) return;
    if (this.#pending.length === 0) setImmediate(() => this.release());
    this.#pending.push({ scope, operation, items, receipts });
  }

  /** Publishes the held events. */
  release(): void {
    const pending = this.#pending;
    if (pending.length === 0) return;
    this.#pending = [];
    for (const entries of pending) this.#publishStored(entries);
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

  /** Publishes a change that the plugin of `tier` reports: forgotten, expired or evicted. Never throws. */
  changed(tier: MemoryTier, change: MemoryChange, agent: string): void {
    if (!this.#options.events) return;
    this.release();
    try {
      const isValid = change.action !== "stored" && change.scope.tier === tier;
      if (isValid) this.#publish(change.action, change, agent);
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
    if (!this.#budget.take(change.scope.tenant, agent, at)) return metrics.drop("event_limit");
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
}
