import { canonicalJson, type FilterLeaf, type Json } from "@membus/protocol";
import type { RowFacets } from "../../row.js";
import { SlotList, type Slots } from "./slot-list.js";
import { type FiledValue, ValueScan } from "./value-scan.js";

/** Which rows have which value of a text field: filters need no disk and no scan of rows. */
export class FieldIndex {
  /** Slots below this are indexed, as far as they were live then. */
  upTo = 0;
  sizeBytes = 0;
  /** Values filed so far, those without rows by now too. */
  filedCount = 0;
  readonly #valueOf: (facets: RowFacets, group: string) => Json | undefined;
  readonly #values = new Map<string, FiledValue>();

  constructor(field: string) {
    this.#valueOf = readerOf(field);
  }

  add(slot: number, facets: RowFacets, group: string): void {
    const value = this.#valueOf(facets, group);
    if (value === undefined) return;
    this.#file(slot, value, false);
    if (Array.isArray(value)) for (const element of value) this.#file(slot, element, true);
  }

  /** Takes dead slots out, and values that no row has any more, about `stepSize` slots at each step. */
  *keepAlive(columns: { readonly alive: Uint8Array }, stepSize: number): Generator<void> {
    let looked = 0;
    for (const [text, { slots }] of this.#values) {
      const size = typeof slots === "number" ? 1 : slots.size;
      if (typeof slots !== "number") slots.keepAlive(columns.alive);
      const left = typeof slots === "number" ? columns.alive[slots]! : slots.size;
      this.sizeBytes -= 4 * (size - left);
      if (left === 0) this.#drop(text);
      looked += 1 + size;
      if (looked < stepSize) continue;
      looked = 0;
      yield;
    }
  }

  /** Marks in `bitmap` every row whose value satisfies a positive operator (all but ne and nin). */
  mark(bitmap: Uint8Array, leaf: FilterLeaf, scan = new ValueScan(leaf)): void {
    const { op, value: expected } = leaf;
    if (op === "eq") this.#markValue(bitmap, expected);
    else if (op === "in") for (const value of new Set(expected as Json[])) this.#markValue(bitmap, value);
    else this.#markFound(bitmap, scan);
  }

  /** Values, those left out before which so many were filed; and those that are filed while they are read. */
  *valuesFrom(place: number): Generator<FiledValue> {
    for (const filed of this.#values.values()) if (filed.place >= place) yield filed;
  }

  /** Rows of a value that is a text, in ascending order, a copy; some may be dead since. */
  slotsOf(value: string): Uint32Array {
    const slots = this.#values.get(valueText(value))?.slots;
    if (slots === undefined) return new Uint32Array(0);
    return typeof slots === "number" ? Uint32Array.of(slots) : slots.slots.slice(0, slots.size);
  }

  /** By the values found before, and those filed since. */
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

  #file(slot: number, value: Json, element: boolean): void {
    const text = element ? `~${valueText(value)}` : valueText(value);
    const existing = this.#values.get(text);
    if (existing === undefined) {
      this.#values.set(text, { value, element, place: this.filedCount++, slots: slot });
      this.sizeBytes += valueBytes(text);
    } else existing.slots = withSlot(existing.slots, slot);
    this.sizeBytes += 4;
  }
}

function valueBytes(text: string): number {
  return 120 + 2 * text.length;
}

/** How the value of a field is read from a row. */
function readerOf(field: string): (facets: RowFacets, group: string) => Json | undefined {
  if (field === "group") return (_facets, group) => (group === "" ? undefined : group);
  if (field === "tags") return ({ tags }) => tags as string[];
  if (field === "sources") return ({ sources }) => sources as string[] | undefined;
  if (field === "source") return ({ source }) => source;
  if (field === "author") return ({ author }) => author;
  const name = field.slice(field.indexOf(".") + 1);
  if (field.startsWith("key.")) return ({ key }) => own(key, name);
  if (field.startsWith("metadata.")) return ({ metadata }) => own(metadata ?? {}, name);
  return () => undefined;
}

function own(values: Readonly<Record<string, unknown>>, name: string): Json | undefined {
  return Object.hasOwn(values, name) ? (values[name] as Json) : undefined;
}

/** Canonical JSON, which for scalars and lists of strings is plain JSON. */
function valueText(value: Json): string {
  const isPlain = Array.isArray(value) ? value.every(isString) : typeof value !== "object";
  return isPlain ? JSON.stringify(value) : canonicalJson(value);
}

function isString(value: Json): boolean {
  return typeof value === "string";
}

/** A value that one row has takes no list of its own: most keys are such values. */
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
