import { isMemoryError, MemoryError, type MonotonicClock } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import { type OwnershipOptions, type OwnershipServices, ShardOwnership } from "../ownership/index.js";
import { holdShard } from "../place/index.js";
import type { OwnedShard } from "./owned-shard.js";
import type { ShardedBus } from "./sharded-bus.js";
import type { ShardedPlugin } from "./sharded-plugin.js";

const RETRY_OPEN_AFTER_MS = 1_000;
/** Time after which a shard that is still being opened is reported. */
const SLOW_OPEN_MS = 15_000;

/** The host's bus and one plugin per tier, which together serve the shards. The host has opened the plugins. */
export interface ShardServers {
  readonly bus: ShardedBus;
  readonly tiers: readonly ShardedPlugin[];
}

/** A shard that this host owns. */
export interface ServedShard {
  readonly epoch: number;
  /** Whether it is open. */
  readonly isServing: boolean;
  /** Error of the last attempt to open it, or damage of an open shard. */
  readonly problem?: unknown;
}

interface FailedOpening {
  readonly epoch: number;
  readonly error: unknown;
}

/** Opens the shards that this host acquires, serves them, and closes them for their next owner. */
export class ShardServing {
  readonly #servers: ShardServers;
  readonly #clock: MonotonicClock;
  readonly #logger: Logger;
  readonly #ownership: ShardOwnership;
  /** The last task of each shard. The tasks of a shard run one after another. */
  readonly #tasks = new Map<number, Promise<void>>();
  /** Epochs that this host gives up, by shard. */
  readonly #leaving = new Map<number, number>();
  /** Open shards. */
  readonly #serving = new Map<number, OwnedShard>();
  readonly #failed = new Map<number, FailedOpening>();
  /** Losses by shard that an operator accepts, as their messages. */
  readonly #accepted = new Map<number, Set<string>>();

  /** Begins to acquire shards. @throws {TypeError} for an unknown option or a value out of range. */
  constructor(options: OwnershipOptions, services: OwnershipServices, servers: ShardServers) {
    this.#servers = servers;
    this.#clock = services.clock;
    this.#logger = services.logger;
    this.#ownership = new ShardOwnership(options, services, {
      onAcquired: (shard, epoch) => {
        const hold = holdShard(this.#ownership, shard, epoch);
        void this.#inTurn(shard, () => this.#open({ shard, hold }));
      },
      onLost: (shard) => {
        void this.#inTurn(shard, () => this.#close(shard));
      },
      handOver: (shard, epoch) => {
        this.#leaving.set(shard, epoch);
        return this.#inTurn(shard, () => this.#handOver(shard));
      },
    });
  }

  /** Returns undefined unless this host owns the shard. */
  statusOf(shard: number): ServedShard | undefined {
    const epoch = this.#ownership.epochOf(shard);
    if (epoch === undefined) return undefined;
    const failed = this.#failed.get(shard);
    const isServing = this.#serving.get(shard)?.hold.epoch === epoch;
    const damage = isServing
      ? this.#servers.tiers.flatMap((tier) => tier.damageOf(shard) ?? [])[0]
      : undefined;
    const problem = failed?.epoch === epoch ? failed.error : damage;
    return { epoch, isServing, ...(problem !== undefined && { problem }) };
  }

  /**
   * Gives up what a shard has lost. A tier of an open shard is opened again without its damaged tables. Another shard opens
   * without its missing records and tables, once its opening has failed with this loss again.
   * @param problem message of the loss.
   * @throws {MemoryError} `conflict` unless this host owns the shard and it has this loss.
   */
  acceptLoss(shard: number, problem: string): void {
    if (lossOf(this.statusOf(shard)?.problem) !== problem)
      throw new MemoryError("conflict", `shard ${shard} does not have this loss`);
    const damaged = this.#servers.tiers.find((tier) => tier.damageOf(shard)?.message === problem);
    if (damaged !== undefined) this.#giveUpDamage(shard, damaged);
    else this.#accepted.set(shard, (this.#accepted.get(shard) ?? new Set()).add(problem));
  }

  /** Hands all shards over to other hosts. Resolves when they are closed. */
  async stop(): Promise<void> {
    await this.#ownership.stop();
    await Promise.all(this.#tasks.values());
  }

  #inTurn(shard: number, task: () => Promise<void>): Promise<void> {
    const done = (this.#tasks.get(shard) ?? Promise.resolve()).then(task);
    const settled = done.catch((error: unknown) => {
      this.#logger.error({ err: error, shard }, "could not close a shard");
    });
    this.#tasks.set(shard, settled);
    return done;
  }

  async #open(owned: OwnedShard): Promise<void> {
    const { shard, hold } = owned;
    const { bus, tiers } = this.#servers;
    const isOpen = await this.#untilDone(owned, async () => {
      try {
        for (const tier of tiers) await this.#openTier(tier, owned);
        bus.addShard(owned);
      } catch (error) {
        await this.#closeTiers(shard).catch(this.#logUnflushed(shard));
        throw error;
      }
    });
    if (isOpen) this.#logger.info({ shard, epoch: hold.epoch }, "serving a shard");
  }

  /**
   * Repeats the last step before a shard is served until it succeeds, or the shard is lost or handed over. A store that cannot be
   * reached may answer later. Returns whether it has succeeded.
   */
  async #untilDone(owned: OwnedShard, step: () => Promise<void>): Promise<boolean> {
    const { shard, hold } = owned;
    const { epoch } = hold;
    while (!hold.isLost && this.#leaving.get(shard) !== epoch) {
      const cancel = this.#clock.after(SLOW_OPEN_MS, () => this.#reportSlow(owned));
      try {
        await step();
        this.#forgetProblems(shard);
        this.#serving.set(shard, owned);
        return true;
      } catch (error) {
        const before = this.#failed.get(shard)?.error as Error | undefined;
        this.#failed.set(shard, { epoch, error });
        if (before?.message !== (error as Error).message)
          this.#logger.warn({ err: error, shard }, "could not open a shard, trying again");
        await new Promise<void>((resolve) => this.#clock.after(RETRY_OPEN_AFTER_MS, resolve));
      } finally {
        cancel();
      }
    }
    return false;
  }

  /** Says what an opening waits for, because requests to servers are repeated without end. */
  #reportSlow({ shard, hold: { epoch, isLost, obstacle } }: OwnedShard): void {
    if (isLost) return;
    const waitsFor = obstacle?.message ?? "its log and its tables are read";
    const message = `shard ${shard} is not open after ${SLOW_OPEN_MS / 1_000} seconds: ${waitsFor}`;
    const error = new MemoryError("unavailable", message, {}, { cause: obstacle });
    this.#failed.set(shard, { epoch, error });
    this.#logger.warn({ err: error, shard }, "a shard opens slowly");
  }

  /** Opens a tier. If it lacks only what an operator has given up, it opens without that. */
  async #openTier(tier: ShardedPlugin, owned: OwnedShard): Promise<void> {
    try {
      await tier.openShard(owned);
    } catch (error) {
      const loss = lossOf(error);
      if (loss === undefined || !this.#accepted.get(owned.shard)?.has(loss)) throw error;
      await tier.openShard({ ...owned, acceptLoss: true });
    }
  }

  /** Opens a tier of a served shard again, without the tables that are known to be damaged now. Other tiers are served. */
  #giveUpDamage(shard: number, tier: ShardedPlugin): void {
    const givenUp = partsOf(tier.damageOf(shard));
    void this.#inTurn(shard, async () => {
      const owned = this.#serving.get(shard);
      if (owned === undefined) return;
      this.#serving.delete(shard);
      await tier.closeShard(shard).catch(this.#logUnflushed(shard));
      await this.#untilDone(owned, () => this.#openTier(tier, { ...owned, givenUp }));
    });
  }

  /** Serves the shard until its rows are flushed, so that closing it has little left to write. */
  async #handOver(shard: number): Promise<void> {
    const flush = (tier: ShardedPlugin) => tier.flushShard(shard).catch(this.#logUnflushed(shard));
    await Promise.all(this.#servers.tiers.map(flush));
    await this.#close(shard);
  }

  /** Returns a handler of failed flushes. The log has the rows, and the next opening flushes them. */
  #logUnflushed(shard: number): (error: unknown) => void {
    return (error) =>
      this.#logger.warn({ err: error, shard }, "could not close a shard cleanly, its log has the rows");
  }

  async #close(shard: number): Promise<void> {
    this.#forgetProblems(shard);
    this.#serving.delete(shard);
    await this.#servers.bus.removeShard(shard);
    await this.#closeTiers(shard);
  }

  #forgetProblems(shard: number): void {
    this.#failed.delete(shard);
    this.#accepted.delete(shard);
  }

  /** Resolves when no tier is open, so that no other plugin of the same epoch writes beside the next one. */
  async #closeTiers(shard: number): Promise<void> {
    const closed = await Promise.allSettled(this.#servers.tiers.map((tier) => tier.closeShard(shard)));
    const failed = closed.find(({ status }) => status === "rejected");
    if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
  }
}

/** Returns the message of a loss that can be accepted. */
function lossOf(error: unknown): string | undefined {
  return isMemoryError(error) && error.detail.remedy === "--accept-loss" ? error.message : undefined;
}

/** Returns the names of the parts that an error is about. */
function partsOf(error: MemoryError | undefined): readonly string[] {
  return String(error?.detail.parts ?? "").split(",");
}
