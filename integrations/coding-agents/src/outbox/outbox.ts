import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { AgentMemory } from "@membus/agent-client";
import { type Clock, MemoryError, parseOptions, systemClock } from "@membus/protocol";
import { deliver } from "./deliver.js";
import {
  type DrainOptions,
  DrainOptionsSchema,
  type OutboxOptions,
  OutboxOptionsSchema,
  type ResolvedOutboxOptions,
} from "./outbox-options.js";
import { type NewWrite, parseWrite, type Refusal, type StoredWrite } from "./queued-write.js";
import { type SpooledFile, SpoolFolder } from "./spool-folder.js";

/** Writes that are sent at the same time. */
const CONCURRENCY = 16;
/** Age in seconds at which an unfinished write belongs to a process that has ended. */
const DRAFT_AGE_S = 3_600;

export interface OutboxState {
  /** Writes that wait for delivery. */
  readonly queued: number;
  /** Writes that the host refused, such as an entry that is too large. */
  readonly refused: number;
  /** Bytes of queued and refused writes. */
  readonly bytes: number;
  /** Time of the oldest queued write in Unix seconds. Absent: none. */
  readonly oldest?: number | undefined;
  /** Names of files in the folder that are no writes. They are left alone. */
  readonly foreign: readonly string[];
  /** Why the folder cannot be read, such as missing permissions. The other fields are then empty. */
  readonly problem?: Error | undefined;
}

export interface OutboxItem {
  readonly id: string;
  readonly state: "queued" | "refused" | "damaged";
  /** Unix seconds. */
  readonly time: number;
  readonly bytes: number;
  /** Absent for a damaged file. */
  readonly write?: StoredWrite | undefined;
}

export interface DrainResult {
  /** Writes that left the outbox, because their entry was created or existed before. */
  readonly delivered: number;
  readonly refused: number;
  /** Writes that cannot be read. They stay, and are listed. */
  readonly damaged: number;
  /** Writes that are still queued. */
  readonly queued: number;
  /** Why a write is still queued. Absent: no attempt failed. */
  readonly reason?: Error | undefined;
}

/**
 * Writes on the local disk, on their way to the bus. A write survives the end of its process and power loss,
 * and any process delivers it. Delivering a write twice changes nothing.
 *
 * The folder has one file per write, so that many short processes write at once without a lock.
 */
export class Outbox {
  readonly #queue: SpoolFolder;
  readonly #refused: SpoolFolder;
  readonly #options: ResolvedOutboxOptions;
  readonly #clock: Clock;

  /** @throws {TypeError} for an unknown option or a value out of range. */
  constructor(folder: string, options: OutboxOptions = {}, { clock = systemClock }: { clock?: Clock } = {}) {
    this.#queue = new SpoolFolder(join(folder, "queued"));
    this.#refused = new SpoolFolder(join(folder, "refused"));
    this.#options = parseOptions(OutboxOptionsSchema, options);
    this.#clock = clock;
  }

  /**
   * Queues a write. When this resolves, the write is on disk. Returns its id.
   * @throws {MemoryError} `overloaded` if the outbox is full. The write is not kept.
   */
  async add({ namespace, entry }: NewWrite): Promise<string> {
    const id = randomUUID();
    const text = JSON.stringify({ id, namespace, entry });
    await this.#checkSpace(Buffer.byteLength(text));
    await this.#queue.write(id, this.#clock.now(), text);
    return id;
  }

  /**
   * Delivers queued writes, oldest first, until all are delivered, the host does not answer, or a limit is
   * reached. A write that the host refuses is set aside and does not stop the others. Never throws for a
   * failure of the host or the disk.
   */
  async drain(memory: AgentMemory, options: DrainOptions = {}): Promise<DrainResult> {
    const { countMax, timeoutMs } = parseOptions(DrainOptionsSchema, options);
    const end = this.#clock.now() + timeoutMs / 1_000;
    const counts = { delivered: 0, refused: 0, damaged: 0 };
    const contents = await this.#queue.list().catch((error: Error) => error);
    if (contents instanceof Error) return { ...counts, queued: 0, reason: contents };
    const { files, drafts } = contents;
    const due = files.slice(0, countMax);
    let reason: Error | undefined;
    for (let from = 0; from < due.length && this.#clock.now() < end; from += CONCURRENCY) {
      const group = due.slice(from, from + CONCURRENCY);
      const results = await Promise.all(group.map((file) => this.#deliver(file, memory, timeoutMs)));
      for (const { outcome } of results) if (outcome !== "kept") counts[outcome]++;
      const kept = results.filter((result) => result.outcome === "kept");
      reason ??= kept[0]?.reason;
      if (kept.some(({ isHostWide }) => isHostWide)) break;
    }
    await this.#queue.removeDrafts(drafts, this.#clock.now() - DRAFT_AGE_S).catch((error: Error) => {
      reason ??= error;
    });
    const { queued } = await this.state();
    return { ...counts, queued, ...(reason !== undefined && { reason }) };
  }

  /**
   * Delivers queued writes as `drain` does, for as long as the host takes some. The timeout is the one of each
   * attempt.
   */
  async drainAll(memory: AgentMemory, options: DrainOptions = {}): Promise<DrainResult> {
    const sums = { delivered: 0, refused: 0 };
    for (;;) {
      const result = await this.drain(memory, options);
      sums.delivered += result.delivered;
      sums.refused += result.refused;
      if (result.queued === 0 || result.delivered + result.refused === 0) return { ...result, ...sums };
    }
  }

  /** Never throws for a failure of the disk. */
  async state(): Promise<OutboxState> {
    try {
      return await this.#state();
    } catch (problem) {
      return { queued: 0, refused: 0, bytes: 0, foreign: [], problem: problem as Error };
    }
  }

  async #state(): Promise<OutboxState> {
    const [queue, refused] = await Promise.all([this.#queue.list(), this.#refused.list()]);
    const oldest = queue.files[0]?.time;
    return {
      queued: queue.files.length,
      refused: refused.files.length,
      bytes: bytesOf(queue.files) + bytesOf(refused.files),
      ...(oldest !== undefined && { oldest }),
      foreign: [...queue.foreign, ...refused.foreign],
    };
  }

  /** Returns all writes, queued ones first, oldest first. */
  async list(): Promise<OutboxItem[]> {
    const queued = await this.#items(this.#queue, "queued");
    return [...queued, ...(await this.#items(this.#refused, "refused"))];
  }

  /** Queues refused writes again, all or those with the given ids. Returns their number. */
  async retry(ids?: readonly string[]): Promise<number> {
    let count = 0;
    for (const file of await chosen(this.#refused, ids)) {
      const write = parseWrite((await this.#refused.read(file.name)) ?? "");
      if (write === undefined) continue;
      const { refusal: _, ...queued } = write;
      await this.#queue.write(file.id, file.time, JSON.stringify(queued));
      await this.#refused.remove(file.name);
      count++;
    }
    return count;
  }

  /** Deletes writes with the given ids, queued or refused, or all refused writes. Returns their number. */
  async drop(ids?: readonly string[]): Promise<number> {
    let count = 0;
    const folders = ids === undefined ? [this.#refused] : [this.#queue, this.#refused];
    for (const folder of folders) {
      for (const file of await chosen(folder, ids)) if (await folder.remove(file.name)) count++;
    }
    return count;
  }

  async #checkSpace(bytes: number): Promise<void> {
    const { countMax, bytesMax } = this.#options;
    const state = await this.#state();
    const count = state.queued + state.refused;
    if (count < countMax && state.bytes + bytes <= bytesMax) return;
    const message = `the outbox is full: it has ${count} writes with ${state.bytes} bytes, and may have ${countMax} with ${bytesMax}. Start a host with \`membus up\`, or see \`membus outbox list\``;
    throw new MemoryError("overloaded", message, { count, bytes: state.bytes });
  }

  async #deliver(file: SpooledFile, memory: AgentMemory, timeoutMs: number): Promise<FileResult> {
    try {
      return await this.#deliverFile(file, memory, timeoutMs);
    } catch (error) {
      return { outcome: "kept", reason: error as Error, isHostWide: false };
    }
  }

  async #deliverFile(file: SpooledFile, memory: AgentMemory, timeoutMs: number): Promise<FileResult> {
    const text = await this.#queue.read(file.name);
    // Another process has delivered it.
    if (text === undefined) return { outcome: "delivered" };
    const write = parseWrite(text);
    if (write === undefined) return { outcome: "damaged" };
    const result = await deliver(memory, write, timeoutMs);
    if (result.outcome === "kept") return result;
    if (result.outcome === "refused") {
      await this.#setAside(file, write, result.refusal);
      return { outcome: "refused" };
    }
    await this.#queue.remove(file.name);
    return { outcome: "delivered" };
  }

  async #setAside(file: SpooledFile, write: StoredWrite, refusal: Refusal): Promise<void> {
    await this.#refused.write(file.id, file.time, JSON.stringify({ ...write, refusal }));
    await this.#queue.remove(file.name);
  }

  async #items(folder: SpoolFolder, state: "queued" | "refused"): Promise<OutboxItem[]> {
    const items: OutboxItem[] = [];
    for (const { name, id, time, bytes } of (await folder.list()).files) {
      const text = await folder.read(name);
      if (text === undefined) continue;
      const write = parseWrite(text);
      items.push({ id, state: write === undefined ? "damaged" : state, time, bytes, write });
    }
    return items;
  }
}

type FileResult =
  | { readonly outcome: "delivered" | "refused" | "damaged" }
  | { readonly outcome: "kept"; readonly reason: Error; readonly isHostWide: boolean };

function bytesOf(files: readonly SpooledFile[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

async function chosen(folder: SpoolFolder, ids?: readonly string[]): Promise<readonly SpooledFile[]> {
  const { files } = await folder.list();
  return ids === undefined ? files : files.filter(({ id }) => ids.includes(id));
}
