import type { Filter, FilterLeaf } from "@membus/protocol";
import { Yielder } from "../../yielder.js";
import type { AttributeIndex } from "./attribute-index.js";
import type { FieldIndex } from "./field-index.js";
import { attributeLeaves, negativesAsNot } from "./select.js";
import { ValueScan } from "./value-scan.js";

/**
 * A filter for one scan of a partition. Its slow part, scanning values, is done in steps before. See
 * `prepareSome`.
 */
export class PreparedFilter {
  /** The filter with positive leaves only. Negative conditions are a `not`. */
  readonly filter: Filter;
  readonly #fields: readonly string[];
  readonly #scans: ReadonlyMap<FilterLeaf, ValueScan>;
  #attributes: AttributeIndex | undefined;
  #indexes: ReadonlyMap<string, FieldIndex> = new Map();

  /** `more` are fields that need an index in addition to the fields of the filter. */
  constructor(filter: Filter, more: readonly string[] = []) {
    this.filter = negativesAsNot(filter);
    const leaves = attributeLeaves(this.filter);
    this.#fields = [...new Set([...leaves.map(({ field }) => field), ...more])];
    const scanned = leaves.filter(({ op }) => op !== "eq" && op !== "in");
    this.#scans = new Map(scanned.map((leaf) => [leaf, new ValueScan(leaf)]));
  }

  /**
   * Returns the indexes of its fields by name. They stay the same until slots move, whatever other requests
   * use.
   */
  indexesIn(attributes: AttributeIndex): ReadonlyMap<string, FieldIndex> {
    if (this.#attributes !== attributes) this.#indexes = attributes.fields(this.#fields);
    this.#attributes = attributes;
    return this.#indexes;
  }

  /** Returns the index of one of its fields. It is up to date after `select`. */
  index(field: string): FieldIndex {
    return this.#indexes.get(field)!;
  }

  /** Scans values of about `unitsMax` more UTF-16 units and returns whether all were scanned before. */
  scanSome(unitsMax: number): boolean {
    for (const [{ field }, scan] of this.#scans) {
      const index = this.#indexes.get(field)!;
      if (scan.isDone(index)) continue;
      scan.step(index, unitsMax);
      return false;
    }
    return true;
  }

  /** Marks in `bitmap` the rows that satisfy one of its leaves, using the current indexes. */
  mark(bitmap: Uint8Array, leaf: FilterLeaf): void {
    this.index(leaf.field).mark(bitmap, leaf, this.#scans.get(leaf));
  }
}

/** Data of a partition that a request needs. */
export interface ScanInputs {
  readonly words: boolean;
  readonly filter: PreparedFilter;
}

/** Limit of the rows prepared per step. */
const ROWS = 256;

/** Prepares a partition for a scan, in steps. This takes long if it was just loaded or never queried. */
export async function prepareScan(
  partition: { prepareSome(needs: ScanInputs, rowsMax: number): boolean },
  needs: ScanInputs,
): Promise<void> {
  const yielder = new Yielder();
  while (!partition.prepareSome(needs, ROWS)) await yielder.yieldIfDue();
}
