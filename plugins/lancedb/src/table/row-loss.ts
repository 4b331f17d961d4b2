import type { SyncedVersion } from "./synced-version.js";

/** How a table that was taken back to what was synced is not that: its metadata says so, without a look at its rows. */
export function rowLoss(
  name: string,
  found: { readonly version: number; readonly rowCount: number },
  synced: SyncedVersion | undefined,
): Error | undefined {
  if (synced?.rowCount === undefined) return undefined;
  const { version, rowCount } = synced;
  if (found.version === version && found.rowCount === rowCount) return undefined;
  return new Error(
    `${name} is of version ${found.version} with ${found.rowCount} rows, it was of ${version} with ${rowCount}. ` +
      "Put back what is missing, or open it without with --accept-loss",
  );
}
