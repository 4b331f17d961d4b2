import {
  type Json,
  LIMITS,
  type ListItem,
  MemoryError,
  type PluginListRequest,
  type PluginListResult,
  type ScopeSelector,
} from "@membus/protocol";
import { checkPartitionCount, type Resident } from "../lifecycle/index.js";
import {
  type Partition,
  PreparedFilter,
  prepareLook,
  type SlotColumns,
  type Slots,
} from "../search/index.js";
import { Yielder } from "../yielder.js";
import type { TierCore } from "./tier.js";

/** Values and slots that are looked at in one step: a millisecond at most. */
const STEP = 16_384;

type Tier = Pick<TierCore, "registry" | "expiry">;

/**
 * The distinct values of a field, or the namespaces, of the entries that match (clause PLUG-20). Loads every partition
 * that is selected: which namespaces there are is known without, but not how many entries in them match.
 */
export async function list(
  tier: Tier,
  selector: ScopeSelector,
  request: PluginListRequest,
): Promise<PluginListResult> {
  const scopes = await tier.registry.select(selector);
  checkPartitionCount(scopes.length, LIMITS.subtreePartitions);
  const tally = new Tally(request.values_max);
  const yielder = new Yielder();
  for (const scope of scopes) {
    await yielder.rest();
    await tier.registry.use(scope, (resident) => listIn(tier, resident, request, tally));
  }
  return { items: tally.items };
}

async function listIn(
  tier: Tier,
  resident: Resident,
  { filter, field }: PluginListRequest,
  tally: Tally,
): Promise<void> {
  const { partition, scope } = resident;
  const prepared = new PreparedFilter(filter, field === undefined ? [] : [field]);
  await tier.expiry.expireAhead(resident);
  await prepareLook(partition, { words: false, filter: prepared });
  tier.expiry.expireNow(resident);
  const look = new Look(partition, prepared);
  if (field === undefined) return tally.add(scope.namespace, look.everywhere());
  const yielder = new Yielder();
  let looked = 0;
  for (const { value, element, slots } of prepared.index(field).valuesFrom(0)) {
    if (!isListed(value, element)) continue;
    tally.add(value, look.at(slots));
    looked += 1 + (typeof slots === "number" ? 1 : slots.size);
    if (looked < STEP) continue;
    looked = 0;
    await yielder.rest();
  }
}

/** A scalar, or a string of a list (clause LIST-2). */
function isListed(value: Json, element: boolean): value is ListItem["value"] {
  return typeof value === "string" || (!element && (typeof value === "number" || typeof value === "boolean"));
}

/** How many entries, their latest time, and what their bodies take: contents, texts and contexts. */
type Figures = Pick<ListItem, "count" | "newest" | "bytes">;

/** What a partition has of the filter at one moment: a row that comes while the values are counted does not count. */
class Look {
  readonly #columns: SlotColumns;
  readonly #selected: Uint8Array;

  constructor(partition: Partition, prepared: PreparedFilter) {
    this.#selected = partition.select(prepared).slice();
    this.#columns = partition.columns;
  }

  everywhere(): Figures {
    return this.#sum(this.#selected.length, (index) => index);
  }

  at(slots: Slots): Figures {
    if (typeof slots === "number") return this.#sum(1, () => slots);
    const listed = slots.slots;
    return this.#sum(slots.size, (index) => listed[index]!);
  }

  #sum(length: number, slotAt: (index: number) => number): Figures {
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

/** The items so far, each value once. */
class Tally {
  readonly #valuesMax: number;
  readonly #items = new Map<ListItem["value"], ListItem>();

  constructor(valuesMax: number) {
    this.#valuesMax = valuesMax;
  }

  get items(): ListItem[] {
    return [...this.#items.values()];
  }

  /** @throws {MemoryError} `too_large` for more values than there may be (clause LIST-12). */
  add(value: ListItem["value"], { count, newest, bytes }: Figures): void {
    if (count === 0) return;
    const item = this.#items.get(value);
    if (item === undefined) {
      this.#checkRoom();
      this.#items.set(value, { value, count, newest, bytes });
      return;
    }
    item.count += count;
    item.newest = Math.max(item.newest, newest);
    item.bytes += bytes;
  }

  #checkRoom(): void {
    const max = this.#valuesMax;
    const got = this.#items.size + 1;
    if (got <= max) return;
    const message = `a list has at most ${max} distinct values; criteria make them fewer`;
    throw new MemoryError("too_large", message, { limit: "listValues", max, got });
  }
}
