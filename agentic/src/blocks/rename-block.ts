import { isMemoryError } from "@membus/protocol";
import type { StoredBlock } from "./block.js";
import type { BlockCall, BlockStore } from "./block-store.js";

/**
 * The second half of a rename, which anybody may do who finds a block with `movedTo`: it is stored under the new label if
 * there is none, and forgotten under the old one.
 *
 * @returns "taken" when the new label is another block's: then the old one is as it was.
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

/** @returns the new revision; undefined when it has another one by now. */
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
