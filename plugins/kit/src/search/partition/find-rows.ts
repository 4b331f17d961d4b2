import type { KeyIndex } from "./key-index.js";
import type { SlotColumns } from "./slot-columns.js";

/** Limit of the bodies that are read together. Parsed bodies take many times their size. Bytes. */
const BODY_BYTES = 1024 * 1024;

/** A live row that needs background work. */
export interface FoundRow {
  readonly slot: number;
  readonly keyHash: string;
  readonly rowId: number;
}

/** Returns up to `max` live rows that qualify, from a slot on, in order. Fewer if their bodies are large. */
export function findRows(
  { columns, keys }: { readonly columns: SlotColumns; readonly keys: KeyIndex },
  qualify: (slot: number) => boolean | undefined,
  max: number,
  from: number,
): FoundRow[] {
  const rows: FoundRow[] = [];
  let bytes = 0;
  for (let slot = from; slot < columns.count && rows.length < max && bytes < BODY_BYTES; slot++) {
    if (columns.alive[slot] === 0 || !qualify(slot)) continue;
    rows.push({ slot, keyHash: keys.hashOf(slot), rowId: columns.numbers.rowId[slot]! });
    bytes += columns.bodyBytes[slot]!;
  }
  return rows;
}
