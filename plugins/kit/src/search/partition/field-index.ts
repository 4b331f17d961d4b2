import { canonicalJson, type FilterLeaf, type Json } from "@membus/protocol";
import type { RowFacets } from "../../row.js";
import { SlotList, type Slots } from "./slot-list.js";
import { type IndexedValue, ValueScan } from "./value-scan.js";

/** Maps the values of a text field to their rows, so that filters need no disk access and no scan of rows. */
export class FieldIndex {
  /** Slots below this are indexed if they were live at that time. */
  upTo = 0;
  sizeBytes = 0;
  /** Number of values added so far, including those without rows. */
  addedCount = 0;
  readonly #valueOf: (facets: RowFacets, group: string) => Json | undefined;
  readonly #values = new Map<string, IndexedValue>();

  constructor(field: string) {
    this.#valueOf = readerOf(field);
  }

  add(slot: number, facets: RowFacets, group: string): void {
    const value = this.#valueOf(facets, group);
    if (value === undefined) return;
    this.#addValue(slot, value, false);
    if (Array.isArray(value)) for (const element of value) this.#addValue(slot, element, true);
  }

  /** Removes dead slots, and values without rows, about `stepSize` slots per step. */
  *removeDead(columns: { readonly alive: Uint8Array }, stepSize: number): Generator<void> {
    let scanned = 0;
    for (const [text, { slots }] of this.#values) {
      const size = typeof slots === "number" ? 1 : slots.size;
      if (typeof slots !== "number") slots.removeDead(columns.alive);
      const left = typeof slots === "number" ? columns.alive[slots]! : slots.size;
      this.sizeBytes -= 4 * (size - left);
      if (left === 0) this.#drop(text);
      scanned += 1 + size;
      if (scanned < stepSize) continue;
      scanned = 0;
      yield;
    }
  }

  /** Marks in `bitmap` every row with a value that satisfies a positive operator (all but ne and nin). */
  mark(bitmap: Uint8Array, leaf: FilterLeaf, scan = new ValueScan(leaf)): void {
    const { op, value: expected } = leaf;
    if (op === "eq") this.#markValue(bitmap, expected);
    else if (op === "in") for (const value of new Set(expected as Json[])) this.#markValue(bitmap, value);
    else this.#markFound(bitmap, scan);
  }

  /** Iterates over the values from a position on, including those added during the iteration. */
  *valuesFrom(place: number): Generator<IndexedValue> {
    for (const filed of this.#values.values()) if (filed.position >= place) yield filed;
  }

  /** Returns a copy of the slots of a text value in ascending order. Some may be dead. */
  slotsOf(value: string): Uint32Array {
    const slots = this.#values.get(valueText(value))?.slots;
    if (slots === undefined) return new Uint32Array(0);
    return typeof slots === "number" ? Uint32Array.of(slots) : slots.slots.slice(0, slots.size);
  }

  /** Marks the rows of the values found by the scan, after it has scanned the values added since. */
  #markFound(bitmap: Uint8Array, scan: ValueScan): void {
    scan.step(this, Number.POSITIVE_INFINITY);
    for (const { slots } of scan.found) markSlots(bitmap, slots);
  }

  #markValue(bitmap: Uint8Array, value: Json): void {
    const text = valueText(value);
    markSlots(bitmap, this.#values.get(text)?.slots);
    markSlots(bitmap, this.#values.get(`~${text}`)?.slots);
  }

  #drop(text: string): void {
    this.#values.delete(text);
    this.sizeBytes -= valueBytes(text);
  }

  #addValue(slot: number, value: Json, element: boolean): void {
    const text = element ? `~${valueText(value)}` : valueText(value);
    const existing = this.#values.get(text);
    if (existing === undefined) {
      this.#values.set(text, { value, element, position: this.addedCount++, slots: slot });
      this.sizeBytes += valueBytes(text);
    } else existing.slots = withSlot(existing.slots, slot);
    this.sizeBytes += 4;
  }
}

function valueBytes(text: string): number {
  return 120 + 2 * text.length;
}

/** Returns a function that reads the value of a field from a row. */
function readerOf(field: string): (facets: RowFacets, group: string) => Json | undefined {
  if (field === "group") return (_facets, group) => (group === "" ? undefined : group);
  if (field === "tags") return ({ tags }) => tags as string[];
  if (field === "sources") return ({ sources }) => sources as string[] | undefined;
  if (field === "source") return ({ source }) => source;
  if (field === "author") return ({ author }) => author;
  const name = field.slice(field.indexOf(".") + 1);
  if (field.startsWith("key.")) return ({ key }) => ownValue(key, name);
  if (field.startsWith("metadata.")) return ({ metadata }) => ownValue(metadata ?? {}, name);
  return () => undefined;
}

function ownValue(values: Readonly<Record<string, unknown>>, name: string): Json | undefined {
  return Object.hasOwn(values, name) ? (values[name] as Json) : undefined;
}

/** Returns canonical JSON, which is plain JSON for scalars and lists of strings. */
function valueText(value: Json): string {
  const isPlain = Array.isArray(value) ? value.every(isString) : typeof value !== "object";
  return isPlain ? JSON.stringify(value) : canonicalJson(value);
}

function isString(value: Json): boolean {
  return typeof value === "string";
}

/** Adds a slot. A value with one row has no list, because most keys are such values. */
function withSlot(slots: Slots, slot: number): SlotList {
  if (typeof slots !== "number") {
    if (slots.slots[slots.size - 1] !== slot) slots.push(slot);
    return slots;
  }
  const list = new SlotList();
  list.push(slots);
  if (slots !== slot) list.push(slot);
  return list;
}

function markSlots(bitmap: Uint8Array, slots: Slots | undefined): void {
  if (slots === undefined) return;
  if (typeof slots === "number") bitmap[slots] = 1;
  else for (let i = 0; i < slots.size; i++) bitmap[slots.slots[i]!] = 1;
}
