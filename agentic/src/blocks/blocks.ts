import { randomUUID } from "node:crypto";
import { type AgentMemory, updateWithRetry } from "@membus/agent-client";
import {
  type Clock,
  type Json,
  type OptionsOf,
  option,
  optionSet,
  parseOptions,
  systemClock,
} from "@membus/protocol";
import type { z } from "zod";
import { type Block, publicBlock, type StoredBlock } from "./block.js";
import { BlockError } from "./block-error.js";
import { type BlockCall, BlockStore, type BlocksOptions, BlocksOptionsSchema } from "./block-store.js";
import { checkValue, storedSchema } from "./block-value.js";
import { conflict, type Edit, type EditOptions, editBlock, newValue, readCurrent } from "./edit-block.js";
import { mergePatch } from "./merge-patch.js";
import { blocksText } from "./prompt-text.js";
import { finishRename, writeOver } from "./rename-block.js";
import { appended, inserted, replaced } from "./text-edits.js";
import { redone, undone } from "./undo-block.js";

const DESCRIPTION_LENGTH_MAX = 4_000;

const BlockSettingsSchema = optionSet({
  /** Purpose of the block, for the model. At most 4000 characters. "" for a new block. */
  description: option
    .value<string>(
      (text) => typeof text === "string" && text.length <= DESCRIPTION_LENGTH_MAX,
      `must be a text of at most ${DESCRIPTION_LENGTH_MAX} characters`,
    )
    .optional(),
  /**
   * Maximum length of the value in characters (Unicode code points), 20000 for a new block. An entry's limit of
   * 256 KiB applies too.
   */
  limit: option.integer(1, 200_000).optional(),
  /** False for a new block. */
  readOnly: option.boolean().optional(),
});

/** The properties of a block apart from its value. */
export interface BlockSettings extends OptionsOf<typeof BlockSettingsSchema> {}

export interface NewBlock extends BlockSettings {
  /** A text, or a value that `schema` accepts. @default "" */
  readonly value?: Json | undefined;
  /**
   * Schema of the value. It checks every edit by every agent. A zod schema is reduced to its JSON Schema.
   * Absent: the value is a text.
   */
  readonly schema?: z.ZodType | object | undefined;
}

const LIMIT_DEFAULT = 20_000;
const LABEL_LENGTH_MAX = 128;

/**
 * Named texts that are always in the prompt: an agent's core memory, or in the semantic tier the core memory
 * of all agents.
 *
 * Every edit is stored only if the block still has the revision that the edit was made for. After a conflict,
 * `append`, `insert`, `replace`, `patch` and `configure` are applied to the new value, at most `attemptsMax`
 * times. All other edits, and edits that no longer apply, throw a `BlockError` "conflict". So no edit is lost
 * and none is made twice. An edit that changes nothing stores nothing. All edits accept `ifRevision`, which
 * disables the retry, and `signal`, and return the resulting block.
 *
 * Every method throws `BlockError` if a block cannot be changed, and `TypeError` for a wrong argument. It
 * throws `MemoryError` for failures of the bus or the host. After "timeout" an edit may have been made.
 */
export class Blocks {
  readonly #store: BlockStore;

  /** `memory` determines the agent. The namespace comes from the options. */
  constructor(memory: AgentMemory, options: BlocksOptions = {}, clock: Clock = systemClock) {
    this.#store = new BlockStore(memory, parseOptions(BlocksOptionsSchema, options), clock);
  }

  /** Creates a block. @throws {BlockError} "exists", "too_many", "too_long", "invalid_value". */
  async create(label: string, block: NewBlock = {}, call: BlockCall = {}): Promise<Block> {
    const fresh = newBlock(checkedLabel(label), block);
    checkValue(fresh, fresh.value);
    const exists = () => new BlockError("exists", label, "it already exists");
    if ((await readCurrent(this.#store, label, call)) !== undefined) throw exists();
    const { blockCountMax } = this.#store.options;
    if ((await this.#store.count(call)) >= blockCountMax) {
      throw new BlockError(
        "too_many",
        label,
        `there are already ${blockCountMax} blocks (limit: blockCountMax). Delete one first`,
      );
    }
    const revision = await writeOver(this.#store, fresh, call);
    if (revision === undefined) throw exists();
    return publicBlock({ ...fresh, revision });
  }

  /** Returns a block, or undefined if it does not exist. */
  async read(label: string, call: BlockCall = {}): Promise<Block | undefined> {
    const block = await readCurrent(this.#store, checkedLabel(label), call);
    return block && publicBlock(block);
  }

  /** Returns all blocks, the oldest first. */
  async list(call: BlockCall = {}): Promise<Block[]> {
    const blocks = await this.#store.list(call);
    const halfway = blocks.filter(({ movedTo }) => movedTo !== undefined);
    for (const block of halfway) await finishRename(this.#store, block, call);
    const current = halfway.length === 0 ? blocks : await this.#store.list(call);
    return current.map(publicBlock);
  }

  /**
   * Returns all blocks as a part of a prompt: one `<memory_blocks>` with a tag `<block>` for each, with its
   * label, description and fill level. `&`, `<`, `>` and `"` are escaped, so that no value can close its own
   * tag. "" if there are no blocks.
   */
  async asText(call: BlockCall = {}): Promise<string> {
    return blocksText(await this.list(call));
  }

  /** Appends a text, on a new line unless the block is empty. */
  async append(label: string, text: string, options: EditOptions = {}): Promise<Block> {
    return this.#edit(label, true, options, (block) => appended(block, text));
  }

  /**
   * Replaces a text that must occur exactly once.
   * @throws {BlockError} "no_match", "ambiguous".
   */
  async replace(label: string, found: string, by: string, options: EditOptions = {}): Promise<Block> {
    return this.#edit(label, true, options, (block) => replaced(block, found, by));
  }

  /**
   * Inserts a text as new lines after line `line`. 0: at the beginning, -1: at the end.
   * @throws {BlockError} "no_match" if the line does not exist.
   */
  async insert(label: string, line: number, text: string, options: EditOptions = {}): Promise<Block> {
    return this.#edit(label, true, options, (block) => inserted(block, line, text));
  }

  /** Replaces the whole value. A concurrent change is a "conflict". */
  async rewrite(label: string, value: Json, options: EditOptions = {}): Promise<Block> {
    return this.#edit(label, false, options, () => value);
  }

  /**
   * Changes a JSON value by a JSON Merge Patch (RFC 7396): null removes a field. The result is checked as a
   * whole before it is stored.
   * @throws {BlockError} "wrong_kind" for a text, "invalid_value".
   */
  async patch(label: string, patch: Json, options: EditOptions = {}): Promise<Block> {
    return this.#edit(label, true, options, (block) => {
      if (typeof block.value !== "string") return mergePatch(block.value, patch);
      throw new BlockError("wrong_kind", label, "its value is a text and has no fields to patch");
    });
  }

  /**
   * Restores the value before the last edit. @throws {BlockError} "nothing_to_undo", also after 10 in a row.
   */
  async undo(label: string, options: EditOptions = {}): Promise<Block> {
    const change: Edit["change"] = (block, call) => undone(this.#store, block, call);
    return this.#change({ label: checkedLabel(label), canReapply: false, change }, options);
  }

  /**
   * Repeats the last undone edit, unless another edit was made since. @throws {BlockError} "nothing_to_redo".
   */
  async redo(label: string, options: EditOptions = {}): Promise<Block> {
    const change: Edit["change"] = (block, call) => redone(this.#store, block, call);
    return this.#change({ label: checkedLabel(label), canReapply: false, change }, options);
  }

  /**
   * Changes the given settings (description, limit, read-only). This is not an edit of the value, so it also
   * works on a read-only block and cannot be undone.
   * @throws {BlockError} "too_long" for a limit below the length of the value.
   */
  async configure(label: string, settings: BlockSettings, options: EditOptions = {}): Promise<Block> {
    const { ifRevision, ...call } = options;
    const given = parseOptions(BlockSettingsSchema, settings);
    const configured = await this.#amend(label, ifRevision, call, async (block) => {
      const { description = block.description, limit = block.limit, readOnly = block.readOnly } = given;
      const next = { ...block, description, limit, readOnly };
      checkValue(next, next.value);
      return next;
    });
    return publicBlock(configured);
  }

  /**
   * Renames a block. Its earlier values stay with it. If the rename is interrupted, the next reader of the
   * block completes it, under either label.
   * @throws {BlockError} "exists".
   */
  async rename(label: string, to: string, options: EditOptions = {}): Promise<Block> {
    const { ifRevision, ...call } = options;
    if (checkedLabel(label) === checkedLabel(to))
      throw new TypeError(`the block already has the label ${label}`);
    const exists = () => new BlockError("exists", to, "it already exists");
    const marked = await this.#amend(label, ifRevision, call, async (block) => {
      if (block.readOnly) throw new BlockError("read_only", label, "it is read-only");
      if ((await readCurrent(this.#store, to, call)) !== undefined) throw exists();
      return { ...block, movedTo: to };
    });
    await finishRename(this.#store, marked, call);
    const renamed = await this.#stored(to, call);
    if (renamed.id !== marked.id) throw exists();
    return publicBlock(renamed);
  }

  /**
   * Forgets a block with all its earlier values.
   * @returns true if it existed. @throws {BlockError} "read_only".
   */
  async delete(label: string, call: BlockCall = {}): Promise<boolean> {
    const block = await readCurrent(this.#store, checkedLabel(label), call);
    if (block === undefined) return false;
    if (block.readOnly) throw new BlockError("read_only", label, "it is read-only");
    return (await this.#store.forgetAll(block, call)) > 0;
  }

  #edit(label: string, appliesAgain: boolean, options: EditOptions, value: (block: StoredBlock) => Json) {
    const { revisionCountMax } = this.#store.options;
    const change = (block: StoredBlock) => newValue(block, value(block), revisionCountMax);
    return this.#change({ label: checkedLabel(label), canReapply: appliesAgain, change }, options);
  }

  async #change(edit: Edit, options: EditOptions): Promise<Block> {
    return publicBlock(await editBlock(this.#store, edit, options));
  }

  async #stored(label: string, call: BlockCall): Promise<StoredBlock> {
    const block = await readCurrent(this.#store, checkedLabel(label), call);
    if (block === undefined) throw new BlockError("not_found", label, "it does not exist");
    return block;
  }

  /** Changes the settings or the label of a block, and retries after a conflict. */
  async #amend(
    label: string,
    ifRevision: number | undefined,
    call: BlockCall,
    change: (block: StoredBlock) => Promise<StoredBlock>,
  ): Promise<StoredBlock> {
    const { clock, options } = this.#store;
    const read = async () => {
      const block = await this.#stored(label, call);
      if (ifRevision !== undefined && block.revision !== ifRevision) throw conflict(block, "it has changed");
      return block;
    };
    const write = async (next: StoredBlock) => {
      const revision = await writeOver(this.#store, next, call);
      return revision === undefined ? undefined : { ...next, revision };
    };
    const onExhausted = async () => {
      throw conflict(await read(), "other writers kept changing it");
    };
    return updateWithRetry(read, change, write, { attemptsMax: options.attemptsMax, clock, onExhausted });
  }
}

function newBlock(label: string, { value = "", schema, ...settings }: NewBlock): StoredBlock {
  const given = parseOptions(BlockSettingsSchema, settings);
  const { description = "", limit = LIMIT_DEFAULT, readOnly = false } = given;
  return {
    id: randomUUID(),
    label,
    value,
    description,
    limit,
    readOnly,
    schema: schema && storedSchema(schema),
    version: 0,
    past: [],
    future: [],
    movedTo: undefined,
    revision: 0,
  };
}

function checkedLabel(label: unknown): string {
  const isLabel = typeof label === "string" && /^[^\p{Cc}]+$/u.test(label) && label.trim() === label;
  if (!isLabel || label.length > LABEL_LENGTH_MAX) {
    throw new TypeError(
      `a label must have 1..${LABEL_LENGTH_MAX} characters, no control characters, and no spaces at its ends`,
    );
  }
  return label;
}
