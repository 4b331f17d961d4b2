import type { Filter, FilterLeaf, FilterOperator } from "@membus/protocol";
import type { FieldIndex } from "./field-index.js";
import { attributeLeaves } from "./select.js";
import { ValueScan } from "./value-scan.js";

/** Operators for which an index tells the values at once, or whose answer takes no look at what is in them. */
const LOOKED_UP: ReadonlySet<FilterOperator> = new Set(["eq", "ne", "in", "nin", "exists"]);

/** A filter for one look at a partition, and what takes long of it, which is found out before: see `prepareSome`. */
export class PreparedFilter {
  readonly filter: Filter;
  /** The fields that selecting by it needs an index of. */
  readonly fields: readonly string[];
  readonly #scans: ReadonlyMap<FilterLeaf, ValueScan>;

  constructor(filter: Filter) {
    const leaves = attributeLeaves(filter);
    this.filter = filter;
    this.fields = [...new Set(leaves.map(({ field }) => field))];
    const scanned = leaves.filter(({ op }) => !LOOKED_UP.has(op));
    this.#scans = new Map(scanned.map((leaf) => [leaf, new ValueScan(leaf)]));
  }

  /** Looks at values of about `unitsMax` UTF-16 units more, and tells whether all were looked at. */
  scanSome(indexOf: (field: string) => FieldIndex, unitsMax: number): boolean {
    for (const [leaf, scan] of this.#scans) if (!scan.step(indexOf(leaf.field), unitsMax)) return false;
    return true;
  }

  /** What is known of a leaf's values; undefined for one that needs no look at all of them. */
  scanOf(leaf: FilterLeaf): ValueScan | undefined {
    return this.#scans.get(leaf);
  }
}
