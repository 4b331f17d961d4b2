import { isDeepStrictEqual } from "node:util";
import { pauseAfterConflict } from "@membus/agent-client";
import type { Json } from "@membus/protocol";
import type { StoredBlock } from "./block.js";
import { BlockError } from "./block-error.js";
import type { BlockCall, BlockStore } from "./block-store.js";
import { checkValue } from "./block-value.js";
import { finishRename, writeOver } from "./rename-block.js";

export interface EditOptions extends BlockCall {
  /** Only over this revision: after any other change the edit is a "conflict", and is not tried again. */
  readonly ifRevision?: number | undefined;
}

/** What an edit makes of a block: another value, and which of its versions undo and redo then lead to. */
export interface Change {
  readonly value: Json;
  readonly past: readonly number[];
  readonly future: readonly number[];
}

/** An edit as it is applied to the block that is there. */
export interface Edit {
  readonly label: string;
  /** Whether it is meant for whatever the block is by then; else it is for the block as it was first read. */
  readonly appliesAgain: boolean;
  /** @returns undefined where the block is as it should be. */
  change(block: StoredBlock, call: BlockCall): Change | undefined | Promise<Change>;
}

/** A new value, which the present one goes behind; undefined where it is the present one. */
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
 * Reads, changes and stores a block, over the revision that was read and none else; again, where another was faster and the
 * edit still applies. The value that it replaces is kept first, so that nothing is lost wherever this is cut off.
 */
export async function editBlock(
  store: BlockStore,
  edit: Edit,
  { ifRevision, ...call }: EditOptions,
): Promise<StoredBlock> {
  let before: StoredBlock | undefined;
  for (let attempt = 1; ; attempt++) {
    const block = await readForEdit(store, edit.label, before, call);
    if (ifRevision !== undefined && block.revision !== ifRevision) throw conflict(block, "it has changed");
    if (before !== undefined && !edit.appliesAgain) throw conflict(block, "it was changed meanwhile");
    if (attempt > store.options.attemptsMax) throw conflict(block, `others were faster ${attempt - 1} times`);
    const change = await changeOf(edit, block, before !== undefined, call);
    if (change === undefined) return block;
    const written = await tryWrite(store, block, change, call);
    if (written !== undefined) return written;
    before = block;
    await pauseAfterConflict(attempt, store.clock);
  }
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
    // What was kept of it on the way is nobody's any more.
    if (before !== undefined) await store.forgetRevisions(before.id, [before.version], call);
    throw new BlockError("not_found", label, "there is none");
  }
  if (block.readOnly) throw new BlockError("read_only", label, "it is read-only");
  return block;
}

/** The block of this label; one whose renaming was cut off gets its new name first. */
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
    throw conflict(block, `it was changed meanwhile, and now: ${error.message}`, error);
  }
}

/** @returns undefined when another was faster. */
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

export function conflict(block: StoredBlock, why: string, cause?: unknown): BlockError {
  return new BlockError("conflict", block.label, `${why}; its revision is ${block.revision}`, {
    revision: block.revision,
    cause,
  });
}
