import { isDeepStrictEqual } from "node:util";
import { updateWithRetry } from "@membus/agent-client";
import type { Json } from "@membus/protocol";
import type { StoredBlock } from "./block.js";
import { BlockError } from "./block-error.js";
import type { BlockCall, BlockStore } from "./block-store.js";
import { checkValue } from "./block-value.js";
import { finishRename, writeOver } from "./rename-block.js";

export interface EditOptions extends BlockCall {
  /**
   * The revision that the edit requires. If the block has another revision, the edit is a "conflict" and is
   * not retried.
   */
  readonly ifRevision?: number | undefined;
}

/** The result of an edit: the new value, and the versions that undo and redo then lead to. */
export interface Change {
  readonly value: Json;
  readonly past: readonly number[];
  readonly future: readonly number[];
}

/** An edit of the block with this label. */
export interface Edit {
  readonly label: string;
  /**
   * True if the edit may be applied to a value that another writer has changed. False: only to the value that
   * was read first.
   */
  readonly canReapply: boolean;
  /** @returns undefined if the block needs no change. */
  change(block: StoredBlock, call: BlockCall): Change | undefined | Promise<Change>;
}

/**
 * Returns the change to a new value, with the current one as its predecessor. undefined if the value is the
 * same.
 */
export function newValue(
  { past, version, value: present }: StoredBlock,
  value: Json,
  revisionCountMax: number,
): Change | undefined {
  if (isDeepStrictEqual(value, present)) return undefined;
  const versions = [...past, version];
  return { value, past: versions.slice(Math.max(0, versions.length - revisionCountMax)), future: [] };
}

/**
 * Reads, changes and stores a block if it still has the revision that was read. Retries after a conflict
 * while the edit applies. The replaced value is stored first, so that an interruption loses nothing.
 */
export async function editBlock(
  store: BlockStore,
  edit: Edit,
  { ifRevision, ...call }: EditOptions,
): Promise<StoredBlock> {
  const { clock, options } = store;
  let before: StoredBlock | undefined;
  const read = async () => {
    const block = await readForEdit(store, edit.label, before, call);
    if (ifRevision !== undefined && block.revision !== ifRevision) throw conflict(block, "it has changed");
    if (before !== undefined && !edit.canReapply) throw conflict(block, "it was changed concurrently");
    return block;
  };
  return updateWithRetry(
    read,
    async (block) => ({ block, change: await changeOf(edit, block, before !== undefined, call) }),
    async ({ block, change }) => {
      before = block;
      return change === undefined ? block : tryWrite(store, block, change, call);
    },
    {
      attemptsMax: options.attemptsMax,
      clock,
      onExhausted: async () => {
        throw conflict(await read(), `other writers changed it ${options.attemptsMax} times`);
      },
    },
  );
}

/** @throws {BlockError} "not_found", "read_only". */
async function readForEdit(
  store: BlockStore,
  label: string,
  before: StoredBlock | undefined,
  call: BlockCall,
): Promise<StoredBlock> {
  const block = await readCurrent(store, label, call);
  if (block === undefined) {
    // The block was deleted: the earlier value that this edit stored belongs to no block.
    if (before !== undefined) await store.forgetRevisions(before.id, [before.version], call);
    throw new BlockError("not_found", label, "it does not exist");
  }
  if (block.readOnly) throw new BlockError("read_only", label, "it is read-only");
  return block;
}

/** Returns the block with this label. Completes an interrupted rename first. */
export async function readCurrent(
  store: BlockStore,
  label: string,
  call: BlockCall,
): Promise<StoredBlock | undefined> {
  const block = await store.read(label, call);
  if (block?.movedTo === undefined) return block;
  return (await finishRename(store, block, call)) === "taken" ? store.read(label, call) : undefined;
}

async function changeOf(
  edit: Edit,
  block: StoredBlock,
  isAgain: boolean,
  call: BlockCall,
): Promise<Change | undefined> {
  try {
    const change = await edit.change(block, call);
    if (change !== undefined) checkValue(block, change.value);
    return change;
  } catch (error) {
    if (!isAgain || !(error instanceof BlockError)) throw error;
    throw conflict(
      block,
      `it was changed concurrently, and the edit no longer applies: ${error.message}`,
      error,
    );
  }
}

/** @returns undefined after a conflict. */
async function tryWrite(
  store: BlockStore,
  block: StoredBlock,
  change: Change,
  call: BlockCall,
): Promise<StoredBlock | undefined> {
  const kept = [...change.past, ...change.future];
  if (kept.includes(block.version)) await store.keepRevision(block, call);
  const next = { ...block, ...change, version: block.version + 1 };
  const revision = await writeOver(store, next, call);
  if (revision === undefined) return undefined;
  const dropped = [...block.past, ...block.future].filter((version) => !kept.includes(version));
  await store.forgetRevisions(block.id, dropped, call);
  return { ...next, revision };
}

export function conflict(block: StoredBlock, reason: string, cause?: unknown): BlockError {
  return new BlockError("conflict", block.label, `${reason} (its revision is ${block.revision})`, {
    revision: block.revision,
    cause,
  });
}
