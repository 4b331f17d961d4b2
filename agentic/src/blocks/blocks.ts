import { randomUUID } from "node:crypto";
import { type AgentMemory, pauseAfterConflict } from "@membus/agent-client";
import { type Clock, integerOption, type Json, systemClock } from "@membus/protocol";
import type { z } from "zod";
import { type Block, publicBlock, type StoredBlock } from "./block.js";
import { BlockError } from "./block-error.js";
import { type BlockCall, BlockStore } from "./block-store.js";
import { checkValue, storedSchema } from "./block-value.js";
import { type BlocksOptions, resolveBlocksOptions } from "./blocks-options.js";
import { conflict, type Edit, type EditOptions, editBlock, newValue, readCurrent } from "./edit-block.js";
import { mergePatch } from "./merge-patch.js";
import { blocksText } from "./prompt-text.js";
import { finishRename, writeOver } from "./rename-block.js";
import { appended, inserted, replaced } from "./text-edits.js";
import { redone, undone } from "./undo-block.js";

/** What a block is besides its value. */
export interface BlockSettings {
  /**
   * What it is for, for the model; at most 4000 characters.
   * @default ""
   */
  readonly description?: string | undefined;
  /**
   * Characters (Unicode code points) that the value may have, 1..200000. What an entry may hold (256 KiB) is the other bound.
   * @default 20000
   */
  readonly limit?: number | undefined;
  /** @default false */
  readonly readOnly?: boolean | undefined;
}

export interface NewBlock extends BlockSettings {
  /** A text, or what `schema` takes. @default "" */
  readonly value?: Json | undefined;
  /**
   * Types the value: every edit, whoever makes it, is checked by this JSON Schema, or by what JSON Schema can say of a zod
   * schema. Without one the value is a text.
   */
  readonly schema?: z.ZodType | object | undefined;
}

const LIMIT_DEFAULT = 20_000;
const DESCRIPTION_LENGTH_MAX = 4_000;
const LABEL_LENGTH_MAX = 128;
const checkLimit = integerOption(1, 200_000);

/**
 * Named texts that are always in the prompt: an agent's core memory, or in the semantic tier that of all agents.
 *
 * Every edit is stored over the revision that it was made for. Where another writer is faster, `append`, `insert`,
 * `replace`, `patch` and `configure` are made anew for what is there then, at most `attemptsMax` times; what no longer
 * applies, and every other edit, is a `BlockError` "conflict". So no edit is lost, and none is made twice. An edit that
 * changes nothing stores nothing. All take `ifRevision`, which is never tried again, and `signal`, and give the block as it
 * is then.
 *
 * Every method throws `BlockError` for what keeps a block from being changed, `MemoryError` for what the bus or the host
 * reports (after "timeout" an edit may have been made), and `TypeError` for a mistake in the call.
 */
export class Blocks {
  readonly #store: BlockStore;

  /** `memory` says whose blocks they are; their namespace is the option's. */
  constructor(memory: AgentMemory, options: BlocksOptions = {}, clock: Clock = systemClock) {
    this.#store = new BlockStore(memory, resolveBlocksOptions(options), clock);
  }

  /** @throws {BlockError} "exists", "too_many", "too_long", "invalid_value". */
  async create(label: string, block: NewBlock = {}, call: BlockCall = {}): Promise<Block> {
    const fresh = newBlock(checkedLabel(label), block);
    checkValue(fresh, fresh.value);
    const exists = () => new BlockError("exists", label, "it is there already");
    if ((await readCurrent(this.#store, label, call)) !== undefined) throw exists();
    const { blockCountMax } = this.#store.options;
    if ((await this.#store.count(call)) >= blockCountMax) {
      throw new BlockError("too_many", label, `there may be ${blockCountMax} blocks`);
    }
    const revision = await writeOver(this.#store, fresh, call);
    if (revision === undefined) throw exists();
    return publicBlock({ ...fresh, revision });
  }

  /** @returns undefined where there is none. */
  async read(label: string, call: BlockCall = {}): Promise<Block | undefined> {
    const block = await readCurrent(this.#store, checkedLabel(label), call);
    return block && publicBlock(block);
  }

  /** The oldest first. */
  async list(call: BlockCall = {}): Promise<Block[]> {
    const blocks = await this.#store.list(call);
    const halfway = blocks.filter(({ movedTo }) => movedTo !== undefined);
    for (const block of halfway) await finishRename(this.#store, block, call);
    const current = halfway.length === 0 ? blocks : await this.#store.list(call);
    return current.map(publicBlock);
  }

  /**
   * All blocks as a part of a prompt: each in a tag `<block>` with label, description and how full it is, all in one
   * `<memory_blocks>`. `&`, `<`, `>` and `"` are escaped, so that no value can close its own tag. "" where there is none.
   */
  async asText(call: BlockCall = {}): Promise<string> {
    return blocksText(await this.list(call));
  }

  /** Adds a text, on a new line unless the block is empty. */
  async append(label: string, text: string, options: EditOptions = {}): Promise<Block> {
    return this.#edit(label, true, options, (block) => appended(block, text));
  }

  /**
   * Replaces a text that must be there exactly once.
   * @throws {BlockError} "no_match", "ambiguous".
   */
  async replace(label: string, found: string, by: string, options: EditOptions = {}): Promise<Block> {
    return this.#edit(label, true, options, (block) => replaced(block, found, by));
  }

  /**
   * Inserts a text as lines of their own behind the first `line` lines: 0 is the beginning, -1 the end.
   * @throws {BlockError} "no_match" for a line that there is not.
   */
  async insert(label: string, line: number, text: string, options: EditOptions = {}): Promise<Block> {
    return this.#edit(label, true, options, (block) => inserted(block, line, text));
  }

  /** Gives the block another value, in place of the one that it had when this was called. */
  async rewrite(label: string, value: Json, options: EditOptions = {}): Promise<Block> {
    return this.#edit(label, false, options, () => value);
  }

  /**
   * Changes a value that is no text by a JSON Merge Patch (RFC 7396): null removes a field. Checked as a whole before
   * anything is stored.
   * @throws {BlockError} "wrong_kind" for a text, "invalid_value".
   */
  async patch(label: string, patch: Json, options: EditOptions = {}): Promise<Block> {
    return this.#edit(label, true, options, (block) => {
      if (typeof block.value !== "string") return mergePatch(block.value, patch);
      throw new BlockError("wrong_kind", label, "it is a text, which has no fields");
    });
  }

  /** Back to the value before the last edit. @throws {BlockError} "nothing_to_undo", also after 10 in a row. */
  async undo(label: string, options: EditOptions = {}): Promise<Block> {
    const change: Edit["change"] = (block, call) => undone(this.#store, block, call);
    return this.#change({ label: checkedLabel(label), appliesAgain: false, change }, options);
  }

  /** Makes the last undone edit again, until there is another one. @throws {BlockError} "nothing_to_redo". */
  async redo(label: string, options: EditOptions = {}): Promise<Block> {
    const change: Edit["change"] = (block, call) => redone(this.#store, block, call);
    return this.#change({ label: checkedLabel(label), appliesAgain: false, change }, options);
  }

  /**
   * Changes what is given of description, limit and read-only. It is no edit of the value, so it is allowed where the block
   * is read-only, and not undone.
   * @throws {BlockError} "too_long" for a limit that the value passes.
   */
  async configure(label: string, settings: BlockSettings, options: EditOptions = {}): Promise<Block> {
    const { ifRevision, ...call } = options;
    const configured = await this.#amend(label, ifRevision, call, async (block) => {
      const next = { ...block, ...checkedSettings({ ...block, ...defined(settings) }) };
      checkValue(next, next.value);
      return next;
    });
    return publicBlock(configured);
  }

  /**
   * Gives a block another label; its earlier values stay with it. One that is cut off is finished by whoever reads the block
   * next, under either label.
   * @throws {BlockError} "exists".
   */
  async rename(label: string, to: string, options: EditOptions = {}): Promise<Block> {
    const { ifRevision, ...call } = options;
    if (checkedLabel(label) === checkedLabel(to)) throw new TypeError(`${label} has that label`);
    const exists = () => new BlockError("exists", to, "it is there already");
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
   * Forgets a block with all that it was before.
   * @returns whether it was there. @throws {BlockError} "read_only".
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
    return this.#change({ label: checkedLabel(label), appliesAgain, change }, options);
  }

  async #change(edit: Edit, options: EditOptions): Promise<Block> {
    return publicBlock(await editBlock(this.#store, edit, options));
  }

  async #stored(label: string, call: BlockCall): Promise<StoredBlock> {
    const block = await readCurrent(this.#store, checkedLabel(label), call);
    if (block === undefined) throw new BlockError("not_found", label, "there is none");
    return block;
  }

  /** Changes what a block is besides its value, again where another writer is faster. */
  async #amend(
    label: string,
    ifRevision: number | undefined,
    call: BlockCall,
    change: (block: StoredBlock) => Promise<StoredBlock>,
  ): Promise<StoredBlock> {
    for (let attempt = 1; ; attempt++) {
      const block = await this.#stored(label, call);
      if (ifRevision !== undefined && block.revision !== ifRevision) throw conflict(block, "it has changed");
      if (attempt > this.#store.options.attemptsMax) throw conflict(block, "others were faster");
      const next = await change(block);
      const revision = await writeOver(this.#store, next, call);
      if (revision !== undefined) return { ...next, revision };
      await pauseAfterConflict(attempt, this.#store.clock);
    }
  }
}

function newBlock(label: string, { value = "", schema, ...settings }: NewBlock): StoredBlock {
  const { description, limit, readOnly } = checkedSettings({
    description: "",
    limit: LIMIT_DEFAULT,
    readOnly: false,
    ...defined(settings),
  });
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

type Settings = Pick<StoredBlock, "description" | "limit" | "readOnly">;

function checkedSettings({ description, limit, readOnly }: Settings): Settings {
  checkLimit(limit, "limit");
  if (typeof readOnly !== "boolean") throw new TypeError("readOnly must be true or false");
  if (typeof description !== "string" || description.length > DESCRIPTION_LENGTH_MAX) {
    throw new TypeError(`description must be a text of at most ${DESCRIPTION_LENGTH_MAX} characters`);
  }
  return { description, limit, readOnly };
}

/** @throws {TypeError} for an unknown setting. */
function defined(settings: BlockSettings): Partial<Settings> {
  const { description, limit, readOnly, ...unknown } = settings;
  const [other] = Object.keys(unknown);
  if (other !== undefined) throw new TypeError(`a block has no setting \`${other}\``);
  return {
    ...(description !== undefined && { description }),
    ...(limit !== undefined && { limit }),
    ...(readOnly !== undefined && { readOnly }),
  };
}

function checkedLabel(label: unknown): string {
  const isLabel = typeof label === "string" && /^[^\p{Cc}]+$/u.test(label) && label.trim() === label;
  if (!isLabel || label.length > LABEL_LENGTH_MAX) {
    throw new TypeError(`a label has 1..${LABEL_LENGTH_MAX} characters, without controls and spaces around`);
  }
  return label;
}
