import type { Filter, FilterLeaf } from "@membus/protocol";
import { Yielder } from "../../yielder.js";
import type { AttributeIndex } from "./attribute-index.js";
import type { FieldIndex } from "./field-index.js";
import { attributeLeaves, withoutNegatives } from "./select.js";
import { ValueScan } from "./value-scan.js";

/** A filter for one look at a partition, and what takes long of it, which is found out before: see `prepareSome`. */
export class PreparedFilter {
  /** With leaves that hold where a value does; what is asked for otherwise is a `not`. */
  readonly filter: Filter;
  readonly #fields: readonly string[];
  readonly #scans: ReadonlyMap<FilterLeaf, ValueScan>;
  #attributes: AttributeIndex | undefined;
  #indexes: ReadonlyMap<string, FieldIndex> = new Map();

  /** `more` are fields whose index is needed besides those of the filter. */
  constructor(filter: Filter, more: readonly string[] = []) {
    this.filter = withoutNegatives(filter);
    const leaves = attributeLeaves(this.filter);
    this.#fields = [...new Set([...leaves.map(({ field }) => field), ...more])];
    const scanned = leaves.filter(({ op }) => op !== "eq" && op !== "in");
    this.#scans = new Map(scanned.map((leaf) => [leaf, new ValueScan(leaf)]));
  }

  /** The indexes of its fields, by name: the same ones, whatever others ask for, until slots move. */
  indexesIn(attributes: AttributeIndex): ReadonlyMap<string, FieldIndex> {
    if (this.#attributes !== attributes) this.#indexes = attributes.fields(this.#fields);
    this.#attributes = attributes;
    return this.#indexes;
  }

  /** That of one of its fields, up to date once the partition was asked to `select`. */
  index(field: string): FieldIndex {
    return this.#indexes.get(field)!;
  }

  /** Looks at values of about `unitsMax` UTF-16 units more, and tells whether all had been looked at. */
  scanSome(unitsMax: number): boolean {
    for (const [{ field }, scan] of this.#scans) {
      const index = this.#indexes.get(field)!;
      if (scan.isDone(index)) continue;
      scan.step(index, unitsMax);
      return false;
    }
    return true;
  }

  /** Marks in `bitmap` the rows for which one of its leaves holds, by the indexes as they are now. */
  mark(bitmap: Uint8Array, leaf: FilterLeaf): void {
    this.index(leaf.field).mark(bitmap, leaf, this.#scans.get(leaf));
  }
}

/** What a request looks at a partition for. */
export interface LookNeeds {
  readonly words: boolean;
  readonly filter: PreparedFilter;
}

/** Rows prepared at a step, at most. */
const ROWS = 256;

/** Does what takes long in a partition that was just loaded, or never asked, before the one look at it. */
export async function prepareLook(
  partition: { prepareSome(needs: LookNeeds, rowsMax: number): boolean },
  needs: LookNeeds,
): Promise<void> {
  const yielder = new Yielder();
  while (!partition.prepareSome(needs, ROWS)) await yielder.rest();
}
