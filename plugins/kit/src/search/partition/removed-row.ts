import type { KeyIndex } from "./key-index.js";
import type { SlotColumns } from "./slot-columns.js";

/** A removed version with the data of its event. */
export interface RemovedRow {
  readonly keyHash: string;
  readonly rowId: number;
  readonly revision: number;
  readonly expiresAt: number;
  readonly bodyBytes: number;
  readonly group: string;
  readonly facets: string;
}

/** Returns the data of a slot that is still live. */
export function removedRow(
  { columns, keys }: { readonly columns: SlotColumns; readonly keys: KeyIndex },
  slot: number,
): RemovedRow {
  return {
    keyHash: keys.hashOf(slot),
    rowId: columns.numbers.rowId[slot]!,
    revision: columns.numbers.revision[slot]!,
    expiresAt: columns.numbers.expiresAt[slot]!,
    bodyBytes: columns.bodyBytes[slot]!,
    group: columns.groups[slot]!,
    facets: columns.facets.at(slot),
  };
}
