import type { LoadedPartition } from "../residency/loaded-partition.js";
import type { StoredVectors } from "./stored-vectors.js";

/** A row that was live when the caller last looked. */
interface LiveRow {
  readonly keyHash: string;
  readonly rowId: number;
}

/**
 * Returns the vectors of rows of a partition by row id, and reads those that are not in RAM. Rows without one, and rows
 * that are removed during the read, are missing.
 * @throws {Error} if the stored vector of a live row is missing. Errors of the storage.
 */
export async function vectorsOfRows(
  stored: StoredVectors | undefined,
  loaded: LoadedPartition,
  rows: readonly LiveRow[],
): Promise<ReadonlyMap<number, Float32Array>> {
  const { vectors } = loaded.partition;
  const found = new Map<number, Float32Array>();
  const released = rows.filter(({ keyHash, rowId }) => {
    const slot = loaded.partition.slotOfRow(keyHash, rowId);
    const vector = slot === undefined ? undefined : vectors?.vectorOf(slot);
    if (vector !== undefined) found.set(rowId, vector);
    return slot !== undefined && vectors?.isReleased(slot);
  });
  if (released.length === 0) return found;
  const read = await stored!.read(
    loaded.id,
    released.map(({ rowId }) => rowId),
  );
  for (const { keyHash, rowId } of released) {
    const vector = read.get(rowId);
    if (vector !== undefined) found.set(rowId, vector);
    else if (loaded.partition.slotOfRow(keyHash, rowId) !== undefined)
      throw new Error("the vector of a current row is missing");
  }
  return found;
}
