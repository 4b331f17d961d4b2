import { type Json, LIMITS, type ListItem, MemoryError, type ScopeSelector } from "@membus/protocol";
import type { PluginListRequest, PluginListResult } from "@membus/protocol/plugin";
import type { LoadedPartition } from "../lifecycle/index.js";
import {
  type Partition,
  PreparedFilter,
  prepareScan,
  type SlotColumns,
  type Slots,
} from "../search/index.js";
import { Yielder } from "../yielder.js";
import type { TierCore } from "./tier.js";

/** Values and slots processed per step, at most a millisecond. */
const STEP = 16_384;

type Tier = Pick<TierCore, "registry" | "expiry">;

/**
 * Lists the distinct values of a field, or the namespaces, of the matching entries (clause PLUG-20). It loads
 * every selected partition, because the number of matching entries is needed.
 */
export async function list(
  tier: Tier,
  selector: ScopeSelector,
  request: PluginListRequest,
): Promise<PluginListResult> {
  const scopes = await tier.registry.select(selector, LIMITS.subtreePartitions);
  const collector = new ItemCollector(request.values_max);
  const yielder = new Yielder();
  for (const scope of scopes) {
    await yielder.yieldIfDue();
    await tier.registry.use(scope, (loaded) => listIn(tier, loaded, request, collector));
  }
  return { items: collector.items };
}

async function listIn(
  tier: Tier,
  loaded: LoadedPartition,
  { filter, field }: PluginListRequest,
  collector: ItemCollector,
): Promise<void> {
  const { partition, scope } = loaded;
  const prepared = new PreparedFilter(filter, field === undefined ? [] : [field]);
  await tier.expiry.expireInSteps(loaded);
  await prepareScan(partition, { words: false, filter: prepared });
  tier.expiry.expireNow(loaded);
  const selection = new FilterSnapshot(partition, prepared);
  if (field === undefined) return collector.add(scope.namespace, selection.everywhere());
  const yielder = new Yielder();
  let scanned = 0;
  for (const { value, element, slots } of prepared.index(field).valuesFrom(0)) {
    if (!isListed(value, element)) continue;
    collector.add(value, selection.at(slots));
    scanned += 1 + (typeof slots === "number" ? 1 : slots.size);
    if (scanned < STEP) continue;
    scanned = 0;
    await yielder.yieldIfDue();
  }
}

/** Returns whether a value is listed: a scalar, or a string of a list (clause LIST-2). */
function isListed(value: Json, element: boolean): value is ListItem["value"] {
  return typeof value === "string" || (!element && (typeof value === "number" || typeof value === "boolean"));
}

/** Number of entries, their latest time, and the bytes of their bodies (contents, texts and contexts). */
type ValueTotals = Pick<ListItem, "count" | "newest" | "bytes">;

/** Snapshot of the rows that match the filter. Rows added during the count are not included. */
class FilterSnapshot {
  readonly #columns: SlotColumns;
  readonly #selected: Uint8Array;

  constructor(partition: Partition, prepared: PreparedFilter) {
    this.#selected = partition.select(prepared).slice();
    this.#columns = partition.columns;
  }

  everywhere(): ValueTotals {
    return this.#sum(this.#selected.length, (index) => index);
  }

  at(slots: Slots): ValueTotals {
    if (typeof slots === "number") return this.#sum(1, () => slots);
    const listed = slots.slots;
    return this.#sum(slots.size, (index) => listed[index]!);
  }

  #sum(length: number, slotAt: (index: number) => number): ValueTotals {
    const { numbers, bodyBytes } = this.#columns;
    const { occurredAt } = numbers;
    let [count, newest, bytes] = [0, 0, 0];
    for (let index = 0; index < length; index++) {
      const slot = slotAt(index);
      if (this.#selected[slot] !== 1) continue;
      count++;
      bytes += bodyBytes[slot]!;
      if (occurredAt[slot]! > newest) newest = occurredAt[slot]!;
    }
    return { count, newest, bytes };
  }
}

/** Collects the items, each value once. */
class ItemCollector {
  readonly #valuesMax: number;
  readonly #items = new Map<ListItem["value"], ListItem>();

  constructor(valuesMax: number) {
    this.#valuesMax = valuesMax;
  }

  get items(): ListItem[] {
    return [...this.#items.values()];
  }

  /** @throws {MemoryError} `too_large` for too many distinct values (clause LIST-12). */
  add(value: ListItem["value"], { count, newest, bytes }: ValueTotals): void {
    if (count === 0) return;
    const item = this.#items.get(value);
    if (item === undefined) {
      this.#checkLimit();
      this.#items.set(value, { value, count, newest, bytes });
      return;
    }
    item.count += count;
    item.newest = Math.max(item.newest, newest);
    item.bytes += bytes;
  }

  #checkLimit(): void {
    const max = this.#valuesMax;
    const got = this.#items.size + 1;
    if (got <= max) return;
    const message = `a list has at most ${max} distinct values, narrow the criteria`;
    throw new MemoryError("too_large", message, { limit: "listValues", max, got });
  }
}
