import { randomUUID } from "node:crypto";
import type { Log, LogKeeper, LogRecovery } from "@membus/disk";
import { MemoryError, type MonotonicClock, silentLogger, systemClock } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import { jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { onTestFinished } from "vitest";
import { Keeper, type LogUnderTest } from "../../plugins/disk/test/log-suite/log-under-test.js";
import { type StreamLogOptions, streamLog } from "../src/index.js";
import { TestHold } from "./test-hold.js";

type Options = Omit<StreamLogOptions, "name"> & {
  readonly clock?: MonotonicClock;
  readonly logger?: (hold: TestHold) => Logger;
};

export interface Opened {
  readonly log: Log;
  readonly hold: TestHold;
  /** Records that opening has passed on, such as `1:text`. */
  readonly records: string[];
}

/** A new log on these servers, which owners open one after the other. Its streams are deleted after the test. */
export class LogPlace implements LogUnderTest {
  readonly name = `log-${randomUUID().slice(0, 8)}`;
  readonly keeper = new Keeper();
  /** Number of the first record that is not stored elsewhere. */
  nextSeqMin = 1;
  readonly #connection: NatsConnection;
  readonly #options: Options;
  #epoch = 0;

  constructor(connection: NatsConnection, options: Options = {}) {
    this.#connection = connection;
    this.#options = options;
    onTestFinished(async () => {
      for (const name of await this.partNames()) await this.removePart(name);
    });
  }

  open(recovery: LogRecovery, limits: object): Promise<Log> {
    return this.#open(new TestHold(++this.#epoch), recovery, this.#connection, limits);
  }

  /** Opens the log as the next owner. An earlier owner is not closed. */
  async take(connection = this.#connection, options: Options = {}): Promise<Opened> {
    const hold = new TestHold(++this.#epoch);
    const records: string[] = [];
    const onRecord = (seq: number, payload: Uint8Array): void => {
      records.push(`${seq}:${Buffer.from(payload)}`);
    };
    const recovery = { nextSeqMin: this.nextSeqMin, onRecord, keeper: this.#keeperOf(hold) };
    const log = await this.#open(hold, recovery, connection, options);
    onTestFinished(async () => {
      hold.lose("the test has ended");
      await log.close().catch(() => undefined);
    });
    return { log, hold, records };
  }

  async partNames(): Promise<string[]> {
    const { streams } = await jetstreamManager(this.#connection, { checkAPI: false });
    const names: string[] = [];
    for await (const name of streams.names(`log.${this.name}.*`)) names.push(name);
    return names;
  }

  async removePart(name: string): Promise<void> {
    const { streams } = await jetstreamManager(this.#connection, { checkAPI: false });
    await streams.delete(name);
  }

  /** Returns the newest stream of the log. */
  async newest() {
    const { streams } = await jetstreamManager(this.#connection, { checkAPI: false });
    return streams.info(this.keeper.kept!.at(-1)!.name);
  }

  #open(hold: TestHold, recovery: LogRecovery, connection: NatsConnection, options: Options): Promise<Log> {
    const { clock, logger, ...all } = { ...this.#options, ...options, name: this.name };
    return streamLog(all, { connection, hold, ...(clock && { clock }) })("", recovery, {
      clock: systemClock,
      logger: logger?.(hold) ?? silentLogger,
    });
  }

  /** Refuses the lists of earlier owners, like the manifest of a shard. */
  #keeperOf(hold: TestHold): LogKeeper {
    const { keeper } = this;
    return {
      kept: keeper.kept,
      keep: async (parts) => {
        if (hold.epoch === this.#epoch) return keeper.keep(parts);
        hold.lose("another owner has the manifest");
        throw new MemoryError("unavailable", "the shard is lost");
      },
    };
  }
}
