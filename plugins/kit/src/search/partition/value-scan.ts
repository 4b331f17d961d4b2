import { type FilterLeaf, type Json, matchesOperator } from "@membus/protocol";
import type { Slots } from "./slot-list.js";

/** One value that the field has in some rows. Lists are filed as a whole and by element. */
export interface FiledValue {
  readonly value: Json;
  readonly element: boolean;
  /** How many were filed before it. */
  readonly place: number;
  slots: Slots;
}

/** The values of a field, of which more may be filed at any time. */
export interface FiledValues {
  /** Of all that were ever filed. */
  readonly filedCount: number;
  /** Those that are there, from this place on. */
  valuesFrom(place: number): Iterator<FiledValue>;
}

/** Which values of a field satisfy a leaf that must look at each of them: in steps, as they may be many and long. */
export class ValueScan {
  readonly found: FiledValue[] = [];
  readonly #leaf: FilterLeaf;
  #index: FiledValues | undefined;
  /** Goes on with what is filed meanwhile, unless it has come to the end. */
  #rest: Iterator<FiledValue> | undefined;
  /** As many of the values filed were looked at. */
  #upTo = 0;

  constructor(leaf: FilterLeaf) {
    this.#leaf = leaf;
  }

  isDone(index: FiledValues): boolean {
    return index === this.#index && this.#upTo === index.filedCount;
  }

  /** Looks at values of about `unitsMax` UTF-16 units more. */
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

  /** Substrings are looked for in texts, those of lists too, which are filed by themselves; order is of a whole value. */
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

  /** The last values that were filed have gone again. */
  #end(index: FiledValues): void {
    this.#rest = undefined;
    this.#upTo = index.filedCount;
  }
}
