import { isMemoryError } from "@membus/protocol";
import type { StoredBlock } from "./block.js";
import type { BlockCall, BlockStore } from "./block-store.js";

/**
 * Completes the rename of a block that has `movedTo`. Any reader of the block may call this: the block is
 * stored under the new label if that label is free, and forgotten under the old one.
 *
 * @returns "taken" if the new label belongs to another block. The old block is then restored.
 */
export async function finishRename(
  store: BlockStore,
  marked: StoredBlock,
  call: BlockCall,
): Promise<"renamed" | "taken"> {
  const label = marked.movedTo!;
  const renamed = { ...marked, label, movedTo: undefined, revision: 0 };
  const isStored = (await writeOver(store, renamed, call)) !== undefined;
  if (isStored || (await store.read(label, call))?.id === marked.id) {
    await store.forgetMoved(marked, call);
    return "renamed";
  }
  await writeOver(store, { ...marked, movedTo: undefined }, call);
  return "taken";
}

/** @returns the new revision, or undefined after a conflict. */
export async function writeOver(
  store: BlockStore,
  block: StoredBlock,
  call: BlockCall,
): Promise<number | undefined> {
  try {
    return await store.write(block, call);
  } catch (error) {
    if (isMemoryError(error) && error.code === "conflict") return undefined;
    throw error;
  }
}
