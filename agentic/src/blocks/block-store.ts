import type { AgentMemory, CallOptions, EntryInput } from "@membus/agent-client";
import {
  type Clock,
  type Filter,
  isJsonObject,
  type Json,
  LIMITS,
  type OptionsOf,
  option,
  optionSet,
  type ResolvedOptionsOf,
} from "@membus/protocol";
import { kindIs } from "../kind-filter.js";
import { blockEntry, readBlock, revisionEntry, revisionKey, type StoredBlock } from "./block.js";

export const BlocksOptionsSchema = optionSet({
  /** Namespace of the blocks. */
  namespace: option.namespace().default("blocks"),
  /** Tier of the blocks. "semantic": all agents of the tenant share them. */
  tier: option.tier().default("episodic"),
  /** Maximum number of attempts for an edit that conflicts with other writers. */
  attemptsMax: option.integer(1, 1_000).default(20),
  /** Number of earlier values of a block that `undo` can go back to. */
  revisionCountMax: option.integer(0, 10).default(10),
  /** Maximum number of blocks. Creating another one fails. */
  blockCountMax: option.integer(1, 1_000).default(100),
});

export interface BlocksOptions extends OptionsOf<typeof BlocksOptionsSchema> {}
export interface ResolvedBlocksOptions extends ResolvedOptionsOf<typeof BlocksOptionsSchema> {}

/** Options of one call. Its time limits are the client's. */
export type BlockCall = Pick<CallOptions, "signal">;

const IS_BLOCK = kindIs("block");

/** Stores blocks and their earlier values as entries of the host. */
export class BlockStore {
  readonly options: ResolvedBlocksOptions;
  readonly clock: Clock;
  readonly #memory: AgentMemory;

  constructor(memory: AgentMemory, options: ResolvedBlocksOptions, clock: Clock) {
    this.#memory = memory.inNamespace(options.namespace);
    this.options = options;
    this.clock = clock;
  }

  async read(label: string, call: BlockCall): Promise<StoredBlock | undefined> {
    const request = { tier: this.options.tier, keys: [{ block: label }], where: IS_BLOCK };
    for await (const entry of this.#memory.entries(request, call)) return readBlock(entry);
    return undefined;
  }

  /** Returns all blocks, the oldest first. */
  async list(call: BlockCall): Promise<StoredBlock[]> {
    const { tier } = this.options;
    const request = { tier, where: IS_BLOCK, order: "oldest", limit: LIMITS.retrieveLimit } as const;
    const blocks: StoredBlock[] = [];
    for await (const entry of this.#memory.entries(request, call)) {
      const block = readBlock(entry);
      if (block !== undefined) blocks.push(block);
    }
    return blocks;
  }

  async count(call: BlockCall): Promise<number> {
    const request = { tier: this.options.tier, where: IS_BLOCK, limit: 0 };
    return (await this.#memory.retrieve(request, call)).total;
  }

  /**
   * Stores a block if its revision is still `block.revision` (0: if it does not exist).
   * @returns the new revision.
   * @throws {MemoryError} "conflict" with the current revision, and others.
   */
  async write(block: StoredBlock, call: BlockCall): Promise<number> {
    return this.#store({ ...blockEntry(block, this.options.tier), if_revision: block.revision }, call);
  }

  /** Stores the current value as an earlier value. Idempotent: a version always has the same value. */
  async keepRevision(block: StoredBlock, call: BlockCall): Promise<void> {
    await this.#store(revisionEntry(block, this.options.tier), call);
  }

  /** Returns an earlier value, or undefined if it does not exist. */
  async revision(
    id: string,
    version: number,
    call: BlockCall,
  ): Promise<{ readonly value: Json } | undefined> {
    const request = { tier: this.options.tier, keys: [revisionKey(id, version)] };
    for await (const { content } of this.#memory.entries(request, call)) {
      if (isJsonObject(content) && content.value !== undefined) return { value: content.value };
    }
    return undefined;
  }

  async forgetRevisions(id: string, versions: readonly number[], call: BlockCall): Promise<void> {
    if (versions.length === 0) return;
    const keys = versions.map((version) => revisionKey(id, version));
    await this.#memory.forget({ tier: this.options.tier, keys }, call);
  }

  /** Forgets a block under all its names, with all its earlier values, in one request. */
  async forgetAll({ id, label }: StoredBlock, call: BlockCall): Promise<number> {
    const where: Filter = {
      any: [
        { field: "metadata.block", op: "eq", value: id },
        { all: [IS_BLOCK, { field: "metadata.label", op: "eq", value: label }] },
      ],
    };
    return (await this.#memory.forget({ tier: this.options.tier, where }, call)).deleted;
  }

  /** Forgets the old name of a renamed block. */
  async forgetMoved({ label, movedTo }: StoredBlock, call: BlockCall): Promise<void> {
    const where: Filter = { field: "metadata.moved_to", op: "eq", value: movedTo! };
    await this.#memory.forget({ tier: this.options.tier, keys: [{ block: label }], where }, call);
  }

  async #store(entry: EntryInput, call: BlockCall): Promise<number> {
    const { receipts } = await this.#memory.store(entry, call);
    return receipts[0]!.revision;
  }
}
