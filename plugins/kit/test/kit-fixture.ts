import { existsSync, readFileSync } from "node:fs";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { FileLogOptions, LogRecovery } from "@membus/disk";
import type { MemoryTier } from "@membus/protocol";
import type { Embedder, Logger, MemoryChange, PluginServices, Reranker } from "@membus/protocol/plugin";
import { onTestFinished } from "vitest";
import { type FileLog, openFileLog } from "../../disk/src/log/file-log.js";
import type { OpenLogFile } from "../../disk/src/log/log-file.js";
import {
  type Analyzer,
  type KitOptions,
  KitPlugin,
  type Retention,
  type Storage,
  type StorageQuotaOptions,
} from "../src/index.js";
import { KIT_DEFAULTS } from "../src/kit-options.js";
import { MemoryStorage } from "./memory-storage.js";
import { ScriptedEmbedder } from "./scripted-embedder.js";
import { TestClock } from "./test-clock.js";

const cleanups: (() => Promise<unknown>)[] = [];

/** Closes logs and removes directories: after a test, and between the runs of a property. */
export async function cleanUp(): Promise<void> {
  for (const next of cleanups.splice(0).reverse()) await next();
}

function cleanUpWith(cleanup: () => Promise<unknown>): void {
  cleanups.push(cleanup);
  onTestFinished(cleanUp);
}

async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "membus-kit-"));
  cleanUpWith(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }));
  return directory;
}

export interface Report {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  readonly fields: object;
}

function recordingLogger(): Logger & { readonly reports: Report[] } {
  const reports: Report[] = [];
  const keep = (level: Report["level"]) => (fields: object, message: string) => {
    reports.push({ level, message, fields });
  };
  return { reports, debug: keep("debug"), info: keep("info"), warn: keep("warn"), error: keep("error") };
}

export interface KitSetup {
  readonly tier?: MemoryTier;
  readonly options?: KitOptions;
  readonly log?: FileLogOptions;
  readonly quotas?: StorageQuotaOptions;
  /** null: a host without an embedder. */
  readonly embedder?: Embedder | null;
  readonly reranker?: Reranker;
  readonly analyzer?: Analyzer;
  readonly clock?: TestClock;
  readonly storage?: MemoryStorage;
  readonly directory?: string;
  /** Wraps the storage of the plugin. */
  readonly wrapStorage?: (storage: MemoryStorage) => Storage;
  readonly openFile?: OpenLogFile;
  readonly retention?: () => Retention;
}

/** Services of a host, with a record of the notifications. */
export function testServices(setup: KitSetup, clock: TestClock) {
  const changes: (MemoryChange & { readonly agent: string })[] = [];
  const logger = recordingLogger();
  const embedder = setup.embedder === undefined ? new ScriptedEmbedder() : setup.embedder;
  const services: PluginServices = {
    tier: setup.tier ?? "episodic",
    clock,
    logger,
    ...(embedder === null ? {} : { embedder }),
    ...(setup.reranker && { reranker: setup.reranker }),
    notify: (change, agent) => changes.push({ ...change, agent }),
  };
  return { services, changes, logger };
}

/** A durable kit plugin over a log in a temporary directory and a storage in memory. */
export class TestKit {
  plugin!: KitPlugin;
  log!: FileLog;
  changes!: (MemoryChange & { readonly agent: string })[];
  logger!: ReturnType<typeof recordingLogger>;
  #isMarking = false;

  private constructor(
    public setup: KitSetup,
    public clock: TestClock,
    public storage: MemoryStorage,
    public directory: string,
  ) {}

  static async open(setup: KitSetup = {}): Promise<TestKit> {
    const { clock = new TestClock(), storage = new MemoryStorage(8) } = setup;
    const kit = new TestKit(setup, clock, storage, setup.directory ?? (await temporaryDirectory()));
    await kit.#start();
    return kit;
  }

  async #start(embedder?: Embedder | null): Promise<void> {
    const setup = embedder === undefined ? this.setup : { ...this.setup, embedder };
    const { services, changes, logger } = testServices(setup, this.clock);
    if (services.embedder !== undefined) this.storage.dimensions = services.embedder.dimensions;
    this.changes = changes;
    this.logger = logger;
    this.plugin = new KitPlugin({
      name: "test-kit",
      version: "0.0.0",
      ...(setup.options === undefined ? {} : { options: setup.options }),
      ...(setup.analyzer === undefined ? {} : { analyzer: setup.analyzer }),
      ...(setup.quotas === undefined ? {} : { quotas: setup.quotas }),
      storage: () => this.setup.wrapStorage?.(this.storage) ?? this.storage,
      openLog: (directory, recovery) => this.#openLog(directory, recovery),
    });
    await this.plugin.open({ ...services, dataDirectory: this.directory });
  }

  async #openLog(directory: string, { nextSeqMin, onRecord }: LogRecovery): Promise<FileLog> {
    const { clock, logger, setup, storage } = this;
    const ports = { clock, logger, ...(setup.openFile === undefined ? {} : { openFile: setup.openFile }) };
    const options = { durability: "process", ...setup.log, nextSeqMin } as const;
    const log = await openFileLog(join(directory, "log"), options, { ...ports, onRecord });
    cleanUpWith(() => log.close().catch(() => undefined));
    this.log = log;
    this.#watch(storage, log);
    return log;
  }

  /** Tracks marker writes of a flush, during which files must not be copied. */
  #watch(storage: MemoryStorage, log: FileLog): void {
    const sync = storage.sync.bind(storage);
    const trim = log.trim.bind(log);
    storage.sync = async () => {
      await sync();
      this.#isMarking = true;
    };
    log.trim = async (before) => {
      const isTrimmed = await trim(before);
      this.#isMarking = false;
      return isTrimmed;
    };
  }

  /** Closes and reopens the plugin, with another embedder if one is given. */
  async reopen(embedder?: Embedder | null): Promise<void> {
    await this.plugin.close();
    await this.#start(embedder);
  }

  /** Closes and reopens the plugin with another embedder or analyzer for the rest of the test. */
  async change(setup: Pick<KitSetup, "embedder" | "analyzer">): Promise<void> {
    this.setup = { ...this.setup, ...setup };
    await this.reopen();
  }

  /** Resolves when every row is of the current generation. */
  async reindexed(): Promise<void> {
    await until(
      () => this.plugin.stats().reindex_state === "done",
      () => this.#state,
    );
  }

  /** Advances the idle time until everything logged is in storage and recorded in the folder. */
  async flush(): Promise<void> {
    await this.#pass(() => this.#isFlushed());
    await until(
      () => this.#markedSeq() === Number(this.plugin.stats().flushed_seq),
      () => this.#state,
    );
  }

  #markedSeq(): number {
    const path = join(this.directory, "folder.json");
    return existsSync(path)
      ? (JSON.parse(readFileSync(path, "utf8")) as { flushedSeq: number }).flushedSeq
      : 0;
  }

  async #pass(isOver: () => boolean): Promise<void> {
    const idleS = (this.setup.options?.flushIdleMs ?? KIT_DEFAULTS.flushIdleMs) / 1000;
    const isSo = (): boolean => {
      if (isOver()) return true;
      this.clock.advance(idleS);
      return false;
    };
    await until(isSo, () => this.#state);
  }

  get #state(): object {
    return { stats: this.plugin.stats(), reports: this.logger.reports, halted: this.storage.isHalted };
  }

  #isFlushed(): boolean {
    const { flushed_seq, log_next_seq } = this.plugin.stats();
    return flushed_seq === Number(log_next_seq) - 1;
  }

  /** Resolves when pending vectors are stored. */
  async backFilled(): Promise<void> {
    await until(
      () => this.plugin.stats().partitions_awaiting_vectors === 0,
      () => this.#state,
    );
  }

  /** Starts a flush and stops it after this number of writes to storage, if it has that many. */
  async flushHalfway(writes: number): Promise<void> {
    this.storage.haltAfter(writes);
    await this.#pass(() => this.storage.isHalted || this.#isFlushed());
  }

  /** Reopens the state that a new process finds after a kill: the files as they are, nothing closed. */
  async crash(embedder?: Embedder | null): Promise<void> {
    this.storage.haltAfter(0);
    await until(
      () => !this.#isMarking,
      () => this.#state,
    );
    const directory = await temporaryDirectory();
    await cp(this.directory, directory, { recursive: true, filter: (path) => basename(path) !== "lock" });
    this.directory = directory;
    this.storage = this.storage.clone();
    this.clock = this.clock.fork();
    await this.#start(embedder);
  }
}

/** Opens a kit plugin in memory. */
export async function openMemoryKit(setup: KitSetup = {}) {
  const clock = setup.clock ?? new TestClock();
  const plugin = new KitPlugin({
    name: "test-memory-kit",
    version: "0.0.0",
    ...(setup.options === undefined ? {} : { options: setup.options }),
    ...(setup.retention === undefined ? {} : { retention: setup.retention }),
  });
  const { services, changes, logger } = testServices({ tier: "working", ...setup }, clock);
  await plugin.open(services);
  return { plugin, clock, changes, logger };
}

/** Waits for a condition that depends on real files. */
async function until(isSo: () => boolean, what: () => unknown): Promise<void> {
  const end = Date.now() + 60_000;
  while (!isSo()) {
    if (Date.now() > end) throw new Error(`condition not met after 60 s: ${JSON.stringify(what())}`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/** Waits for running work without timers. */
export async function settled(turns = 50): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
}
