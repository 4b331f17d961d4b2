import { type FilterLeaf, type Json, matchesOperator } from "@membus/protocol";
import type { Slots } from "./slot-list.js";

/** A value of the field. A list is indexed as a whole and by element. */
export interface FiledValue {
  readonly value: Json;
  readonly element: boolean;
  /** Number of values added before it. */
  readonly place: number;
  slots: Slots;
}

/** The values of a field. Values may be added at any time. */
export interface FiledValues {
  /** Number of values that were ever added. */
  readonly filedCount: number;
  /** Iterates over the existing values from this position on. */
  valuesFrom(place: number): Iterator<FiledValue>;
}

/**
 * Finds the values of a field that satisfy a leaf by a scan of all values. The scan runs in steps, because
 * values may be many and long.
 */
export class ValueScan {
  readonly found: FiledValue[] = [];
  readonly #leaf: FilterLeaf;
  #index: FiledValues | undefined;
  /** Iterator that also returns values added later, until it has ended. */
  #rest: Iterator<FiledValue> | undefined;
  /** Number of added values that were scanned. */
  #upTo = 0;

  constructor(leaf: FilterLeaf) {
    this.#leaf = leaf;
  }

  isDone(index: FiledValues): boolean {
    return index === this.#index && this.#upTo === index.filedCount;
  }

  /** Scans values of about `unitsMax` more UTF-16 units. */
  step(index: FiledValues, unitsMax: number): void {
    if (index !== this.#index) this.#begin(index);
    for (let units = 0; units < unitsMax && this.#upTo < index.filedCount; ) {
      this.#rest ??= index.valuesFrom(this.#upTo);
      const { done, value: filed } = this.#rest.next();
      if (done === true) return this.#end(index);
      this.#upTo = filed.place + 1;
      if (this.#holds(filed)) this.found.push(filed);
      units += 1 + (typeof filed.value === "string" ? filed.value.length : 0);
    }
  }

  /**
   * Returns whether a value satisfies the leaf. Substrings are searched in texts, including list elements,
   * which are indexed separately. Order applies to whole values.
   */
  #holds({ value, element }: FiledValue): boolean {
    const { op, value: expected } = this.#leaf;
    const isOfTexts = op === "contains" || op === "starts_with";
    return (isOfTexts ? typeof value === "string" : !element) && matchesOperator(value, op, expected);
  }

  #begin(index: FiledValues): void {
    this.#index = index;
    this.#rest = undefined;
    this.#upTo = 0;
    this.found.length = 0;
  }

  /** Ends the scan: the values added last were removed again. */
  #end(index: FiledValues): void {
    this.#rest = undefined;
    this.#upTo = index.filedCount;
  }
}
