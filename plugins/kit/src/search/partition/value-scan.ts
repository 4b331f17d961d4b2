import { type FilterLeaf, type Json, matchesOperator } from "@membus/protocol";
import type { Slots } from "./slot-list.js";

/** A value of the field. A list is indexed as a whole and by element. */
export interface IndexedValue {
  readonly value: Json;
  readonly element: boolean;
  /** Number of values added before it. */
  readonly position: number;
  slots: Slots;
}

/** The values of a field. Values may be added at any time. */
export interface IndexedValues {
  /** Number of values that were ever added. */
  readonly addedCount: number;
  /** Iterates over the existing values from this position on. */
  valuesFrom(place: number): Iterator<IndexedValue>;
}

/**
 * Finds the values of a field that satisfy a leaf by a scan of all values. The scan runs in steps, because
 * values may be many and long.
 */
export class ValueScan {
  readonly found: IndexedValue[] = [];
  readonly #leaf: FilterLeaf;
  #index: IndexedValues | undefined;
  /** Iterator that also returns values added later, until it has ended. */
  #rest: Iterator<IndexedValue> | undefined;
  /** Number of added values that were scanned. */
  #upTo = 0;

  constructor(leaf: FilterLeaf) {
    this.#leaf = leaf;
  }

  isDone(index: IndexedValues): boolean {
    return index === this.#index && this.#upTo === index.addedCount;
  }

  /** Scans values of about `unitsMax` more UTF-16 units. */
  step(index: IndexedValues, unitsMax: number): void {
    if (index !== this.#index) this.#begin(index);
    for (let units = 0; units < unitsMax && this.#upTo < index.addedCount; ) {
      this.#rest ??= index.valuesFrom(this.#upTo);
      const { done, value: filed } = this.#rest.next();
      if (done === true) return this.#end(index);
      this.#upTo = filed.position + 1;
      if (this.#holds(filed)) this.found.push(filed);
      units += 1 + (typeof filed.value === "string" ? filed.value.length : 0);
    }
  }

  /**
   * Returns whether a value satisfies the leaf. Substrings are searched in texts, including list elements,
   * which are indexed separately. Order applies to whole values.
   */
  #holds({ value, element }: IndexedValue): boolean {
    const { op, value: expected } = this.#leaf;
    const isOfTexts = op === "contains" || op === "starts_with";
    return (isOfTexts ? typeof value === "string" : !element) && matchesOperator(value, op, expected);
  }

  #begin(index: IndexedValues): void {
    this.#index = index;
    this.#rest = undefined;
    this.#upTo = 0;
    this.found.length = 0;
  }

  /** Ends the scan: the values added last were removed again. */
  #end(index: IndexedValues): void {
    this.#rest = undefined;
    this.#upTo = index.addedCount;
  }
}
