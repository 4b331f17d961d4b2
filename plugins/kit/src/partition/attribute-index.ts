import {
  canonicalJson,
  type FilterOperator,
  type Json,
  type MetadataValue,
  matchesOperator,
} from "@membus/protocol";
import type { RowFacets } from "../row.js";
import { SlotList } from "./slot-list.js";

type Slots = number | SlotList;

/** One value that a field has in some rows. Lists are filed as a whole and by element. */
interface FiledValue {
  readonly value: Json;
  readonly element: boolean;
  slots: Slots;
}

/** Which rows have which value of a text field: filters need no disk and no scan of rows. */
export class AttributeIndex {
  readonly #fields = new Map<string, Map<string, FiledValue>>();
  /** Slots below this are indexed, as far as they were live then. */
  upTo = 0;
  sizeBytes = 0;

  add(slot: number, facets: RowFacets, group: string): void {
    this.#addValue(slot, "tags", facets.tags as string[]);
    this.#addValue(slot, "source", facets.source);
    this.#addValue(slot, "author", facets.author);
    if (group !== "") this.#addValue(slot, "group", group);
    for (const [name, value] of Object.entries(facets.key)) this.#addValue(slot, `key.${name}`, value);
    for (const [name, value] of Object.entries(facets.metadata ?? {})) {
      this.#addValue(slot, `metadata.${name}`, value as MetadataValue);
    }
  }

  /** Marks in `bitmap` every row whose `field` satisfies a positive operator (all but ne and nin). */
  mark(bitmap: Uint8Array, field: string, op: FilterOperator, expected: Json): void {
    const filed = this.#fields.get(field);
    if (filed === undefined) return;
    if (op === "eq") this.#markValue(bitmap, filed, expected);
    else if (op === "in") for (const value of expected as Json[]) this.#markValue(bitmap, filed, value);
    else this.#markScan(bitmap, filed, op, expected);
  }

  /** Rows of a group in ascending order, a copy; some may be dead since. */
  slotsOfGroup(group: string): Uint32Array {
    const slots = this.#fields.get("group")?.get(valueText(group))?.slots;
    if (slots === undefined) return new Uint32Array(0);
    return typeof slots === "number" ? Uint32Array.of(slots) : slots.slots.slice(0, slots.size);
  }

  #markValue(bitmap: Uint8Array, filed: Map<string, FiledValue>, value: Json): void {
    const text = valueText(value);
    markSlots(bitmap, filed.get(text)?.slots);
    markSlots(bitmap, filed.get(`~${text}`)?.slots);
  }

  /** The other operators look at each distinct value once; order holds on a value itself, never on an element. */
  #markScan(bitmap: Uint8Array, filed: Map<string, FiledValue>, op: FilterOperator, expected: Json): void {
    const onElements = op === "contains" || op === "starts_with";
    for (const { value, element, slots } of filed.values()) {
      // An element that is itself a list is looked at as a whole (clause CRIT-9).
      const counts = !element || (onElements && !Array.isArray(value));
      if (counts && matchesOperator(value, op, expected)) markSlots(bitmap, slots);
    }
  }

  #addValue(slot: number, field: string, value: Json): void {
    this.#file(slot, field, value, false);
    if (Array.isArray(value)) for (const element of value) this.#file(slot, field, element, true);
  }

  #file(slot: number, field: string, value: Json, element: boolean): void {
    let filed = this.#fields.get(field);
    if (filed === undefined) {
      filed = new Map();
      this.#fields.set(field, filed);
    }
    const text = element ? `~${valueText(value)}` : valueText(value);
    const existing = filed.get(text);
    if (existing === undefined) {
      filed.set(text, { value, element, slots: slot });
      this.sizeBytes += 120 + 2 * text.length;
    } else existing.slots = withSlot(existing.slots, slot);
    this.sizeBytes += 4;
  }
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
