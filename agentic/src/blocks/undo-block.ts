import type { StoredBlock } from "./block.js";
import { BlockError } from "./block-error.js";
import type { BlockCall, BlockStore } from "./block-store.js";
import { type Change, conflict } from "./edit-block.js";

/** Back to the value before, which the present one goes ahead of. */
export async function undone(store: BlockStore, block: StoredBlock, call: BlockCall): Promise<Change> {
  const { past, future, version, label } = block;
  const target = past.at(-1);
  if (target === undefined) throw new BlockError("nothing_to_undo", label, "it has no earlier value");
  const { value } = await earlierValue(store, block, target, call);
  return { value, past: past.slice(0, -1), future: [version, ...future] };
}

/** Forward to the value that was undone last. */
export async function redone(store: BlockStore, block: StoredBlock, call: BlockCall): Promise<Change> {
  const { past, future, version, label } = block;
  const [target, ...rest] = future;
  if (target === undefined) throw new BlockError("nothing_to_redo", label, "nothing of it was undone last");
  const { value } = await earlierValue(store, block, target, call);
  return { value, past: [...past, version], future: rest };
}

/** A value that is not there was dropped by an edit that came in between, or forgotten by its record. */
async function earlierValue(store: BlockStore, block: StoredBlock, version: number, call: BlockCall) {
  const found = await store.revision(block.id, version, call);
  if (found !== undefined) return found;
  const current = await store.read(block.label, call);
  if (current !== undefined && current.revision !== block.revision) {
    throw conflict(current, "it was changed meanwhile");
  }
  throw new BlockError("nothing_to_undo", block.label, "its earlier value is not kept any more");
}
