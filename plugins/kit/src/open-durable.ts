import type { Log, OpenLog } from "@membus/disk";
import type { PluginServices, Scope } from "@membus/protocol";
import {
  Backlog,
  createLogJournal,
  Flusher,
  type Journal,
  type LogRecord,
  latestTime,
  type OperationMemory,
  type OwnDirectory,
  ownDirectory,
  readFlushMarker,
  recover,
} from "./journal/index.js";
import type { ResolvedKitOptions } from "./kit-options.js";
import { BodyCache, KnownScopes, LatestScopes, PartitionLoader } from "./lifecycle/index.js";
import type { Partition } from "./search/index.js";
import type { Storage, StoragePlace } from "./storage.js";

export interface DurableState {
  readonly storage: Storage;
  readonly directory: string;
  readonly flusher: Flusher;
  readonly journal: Journal;
  readonly bodies: BodyCache;
  readonly newestAt: number;
  /** Whether nothing was ever stored. */
  readonly isNew: boolean;
  readonly latest: LatestScopes;
  /** Takes what is stored of a scope, and what storage does not hold yet, into an empty partition. */
  load(scope: string, partition: Partition): Promise<void>;
  mayLeave(scope: string): boolean;
  /** Flushes where background work has written a good part of what may wait for it. */
  roomToWrite(): Promise<void>;
  scopes(tenant: string): Promise<Iterable<Scope>>;
  /** Storage's upkeep, between flushes. */
  maintain(): Promise<void>;
  stats(): Readonly<Record<string, number | string>>;
  close(): Promise<void>;
}

interface DurableContext {
  readonly services: PluginServices;
  readonly options: ResolvedKitOptions;
  readonly operations: OperationMemory;
}

/** What a plugin gives a durable tier. */
export interface DurableParts {
  storage(place: StoragePlace): Storage;
  readonly openLog: OpenLog;
}

/** Dimensions of the vectors of a host that has no embedder; there are none. */
const DIMENSIONS_WITHOUT_EMBEDDER = 128;

/** Takes the directory of a durable tier, opens its storage, and takes up what a crash left. A failure closes all. */
export async function openDurable(parts: DurableParts, context: DurableContext): Promise<DurableState> {
  const { services } = context;
  const directory = await ownDirectory(services);
  const closings = [() => directory.release()];
  try {
    const storage = parts.storage(placeOf(directory.path, services));
    closings.unshift(() => storage.close());
    await storage.open();
    return await takeUp({ storage, openLog: parts.openLog, directory }, context);
  } catch (error) {
    await closeAll(closings);
    throw error;
  }
}

function placeOf(directory: string, { embedder, clock, logger }: PluginServices): StoragePlace {
  const { dimensions = DIMENSIONS_WITHOUT_EMBEDDER, id = "" } = embedder ?? {};
  return { directory, dimensions, embedder: id, clock, logger };
}

interface OpenedParts {
  readonly storage: Storage;
  readonly openLog: OpenLog;
  readonly directory: OwnDirectory;
}

async function takeUp(
  { storage, openLog, directory: { path: directory, release } }: OpenedParts,
  { services, options, operations }: DurableContext,
): Promise<DurableState> {
  const { clock, logger } = services;
  const backlog = new Backlog({ countMax: options.backlogCountMax, bytesMax: options.backlogBytesMax });
  const marker = await readFlushMarker(directory);
  const latest = new LatestScopes(options.preloadCount);
  const loader = new PartitionLoader(storage);
  const { log, newestAt } = await recover(
    {
      storage,
      openLog: (recovery) => openLog(directory, recovery, services),
      backlog,
      operations,
      written: (scope) => latest.add(scope),
    },
    marker,
  );
  const bodies = new BodyCache({ cacheBytes: options.bodyCacheBytes }, (scope, rowIds) =>
    storage.readBodies(scope, rowIds),
  );
  backlog.pinBodies(bodies);
  const isNew = log.nextSeq <= 1;
  const known = new KnownScopes((tenant) => storage.scopes(tenant));
  known.refresh(backlog.scopes);
  let latestAt = newestAt;
  const flusher = new Flusher(
    options,
    {
      ...{ log, storage, backlog, clock, directory, logger },
      stored: (rowIds) => bodies.unpin(rowIds),
      oldestRemembered: () => operations.oldestSeq(clock.now()),
      newestAt: () => Math.max(latestAt, clock.now()),
      latestScopes: () => latest.ids,
    },
    marker.flushedSeq,
  );
  const appended = (record: LogRecord): void => {
    latestAt = Math.max(latestAt, latestTime(record));
    latest.add(record.scope);
    if (record.rows.length > 0) known.add(record.scope);
    flusher.notice();
  };
  if (backlog.recordCount > 0) flusher.notice();
  return {
    ...{ storage, directory, flusher, bodies, newestAt, latest, isNew },
    journal: createLogJournal({ log, backlog, appended }),
    load: (scope, partition) => loadKnown(scope, partition, { known, loader, backlog }),
    mayLeave: (scope) => !backlog.has(scope),
    async roomToWrite() {
      if (isMuch(backlog, options)) await flusher.flush();
    },
    scopes: (tenant) => known.all(tenant),
    async maintain() {
      await flusher.maintain();
      known.refresh(backlog.scopes);
      await log.check();
    },
    stats: () => ({ ...storage.stats(), ...loader.stats, ...journalStats(log, backlog, flusher) }),
    async close() {
      // Flushing what is left spares the next start the work.
      const closings = [flusher, log, storage].map((part) => () => part.close());
      await closeAll([...closings, release]);
    },
  };
}

interface LoadParts {
  readonly known: KnownScopes;
  readonly loader: PartitionLoader;
  readonly backlog: Backlog;
}

/** Storage is not asked for a scope that it surely has nothing of. */
async function loadKnown(
  scope: string,
  partition: Partition,
  { known, loader, backlog }: LoadParts,
): Promise<void> {
  if (!known.mayHold(scope)) return;
  // Before storage is read: what is flushed in between is seen twice, never not at all.
  const { rows, removed } = backlog.ofScope(scope);
  await loader.load(scope, partition, removed);
  for (const row of rows) partition.add(row);
  // One look at all of the tenant, as more may be looked for in vain.
  if (partition.columns.count === 0) known.learn(scope);
}

/** So much waits to be flushed that background work should not add to it: stores need the room. */
function isMuch(backlog: Backlog, options: ResolvedKitOptions): boolean {
  const { flushCount, backlogCountMax, backlogBytesMax } = options;
  return (
    backlog.rowCount > Math.min(flushCount, backlogCountMax / 4) || backlog.sizeBytes > backlogBytesMax / 4
  );
}

function journalStats(log: Log, backlog: Backlog, flusher: Flusher): Record<string, number> {
  const { sizeBytes, segmentCount, nextSeq } = log.stats;
  return {
    backlog_rows: backlog.rowCount,
    backlog_bytes: backlog.sizeBytes,
    flushed_seq: flusher.flushedSeq,
    log_bytes: sizeBytes,
    log_segments: segmentCount,
    log_next_seq: nextSeq,
  };
}

/** Each part is closed whatever the others do. */
async function closeAll(steps: readonly (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) await step().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}
