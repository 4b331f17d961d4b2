import type { SyncedVersion } from "../store/table-store.js";

/**
 * Returns the error for a table that does not match its last synced version and row count after a rollback.
 * Uses metadata only.
 */
export function missingRowsError(
  name: string,
  found: { readonly version: number; readonly rowCount: number },
  synced: SyncedVersion | undefined,
): Error | undefined {
  if (synced?.rowCount === undefined) return undefined;
  const { version, rowCount } = synced;
  if (found.version === version && found.rowCount === rowCount) return undefined;
  return new Error(
    `${name} has version ${found.version} with ${found.rowCount} rows, expected version ${version} with ${rowCount}`,
  );
}
