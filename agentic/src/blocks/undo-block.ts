import type { StoredBlock } from "./block.js";
import { BlockError } from "./block-error.js";
import type { BlockCall, BlockStore } from "./block-store.js";
import { type Change, conflict } from "./edit-block.js";

/** Returns the change to the previous value. The current value becomes the first to redo. */
export async function undone(store: BlockStore, block: StoredBlock, call: BlockCall): Promise<Change> {
  const { past, future, version, label } = block;
  const target = past.at(-1);
  if (target === undefined) throw new BlockError("nothing_to_undo", label, "it has no earlier value");
  const { value } = await earlierValue(store, block, target, call);
  return { value, past: past.slice(0, -1), future: [version, ...future] };
}

/** Returns the change to the value that was undone last. */
export async function redone(store: BlockStore, block: StoredBlock, call: BlockCall): Promise<Change> {
  const { past, future, version, label } = block;
  const [target, ...rest] = future;
  if (target === undefined) throw new BlockError("nothing_to_redo", label, "it has no undone edit");
  const { value } = await earlierValue(store, block, target, call);
  return { value, past: [...past, version], future: rest };
}

/** Reads an earlier value. If it is missing, a concurrent edit dropped it or its record was forgotten. */
async function earlierValue(store: BlockStore, block: StoredBlock, version: number, call: BlockCall) {
  const found = await store.revision(block.id, version, call);
  if (found !== undefined) return found;
  const current = await store.read(block.label, call);
  if (current !== undefined && current.revision !== block.revision) {
    throw conflict(current, "it was changed concurrently");
  }
  throw new BlockError("nothing_to_undo", block.label, "its earlier value is no longer stored");
}
