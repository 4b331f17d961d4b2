import pLimit, { type LimitFunction } from "p-limit";

/** Run reads of scopes once few others run in this process. Bodies do not wait for the rows of large scopes. */
export interface Turns {
  readonly rows: LimitFunction;
  readonly bodies: LimitFunction;
}

/**
 * Turns for folders. LanceDB scans all unindexed rows for each read. With 128 reads at once, it took 400 MiB of RAM and 1.3
 * times as long. With 8 it took 46 MiB.
 */
export const FOLDER_TURNS: Turns = { rows: pLimit(8), bodies: pLimit(8) };

/** Turns for object storages. Their reads mostly wait for answers. */
export const BUCKET_TURNS: Turns = { rows: pLimit(32), bodies: pLimit(32) };
