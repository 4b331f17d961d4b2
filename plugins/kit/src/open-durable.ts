import { DiskReserve, type Log, type OpenLog, withRoom } from "@membus/disk";
import type { PluginServices, Scope } from "@membus/protocol";
import {
  announceErasure,
  Backlog,
  checkParts,
  createLogJournal,
  Erasure,
  type ErasureState,
  eraseOwner,
  Flusher,
  FolderManifest,
  type Journal,
  type LogRecord,
  latestTime,
  moveReplies,
  newestForgotten,
  type OperationMemory,
  type OwnDirectory,
  type Owner,
  ownDirectory,
  type Recovered,
  recover,
  snapshot,
  storedHoldings,
} from "./journal/index.js";
import type { ResolvedKitOptions } from "./kit-options.js";
import { BodyCache, KnownScopes, LatestScopes, PartitionLoader } from "./lifecycle/index.js";
import type { ReadHoldings } from "./quotas/index.js";
import type { Partition } from "./search/index.js";
import { type Storage, type StoragePlace, tenantDamaged } from "./storage.js";

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
  /** @throws {MemoryError} `unavailable` for a tenant whose files are damaged. */
  admit(tenant: string): void;
  /** Nothing of a tenant's that is gone is left on disk. */
  erase(tenant: string): Promise<void>;
  /** See `KitPlugin`. */
  snapshot(target: string): Promise<void>;
  /** Owners whose erasure was begun, and not ended. */
  readonly erasing: readonly Owner[];
  /** The next opening erases an owner, if nobody does before. */
  announceErasure(owner: Owner): Promise<void>;
  /** Runs `remove`, which takes all entries of an owner, and then leaves nothing of it on disk. A crash is made up for. */
  eraseOwner<T>(owner: Owner, remove: () => Promise<T>): Promise<T>;
  /** What became of the bytes that a forget took; undefined while copies that a repair made may hold them. */
  erasureOf(seq: number, at: number): Promise<ErasureState | undefined>;
  /** Flushes where background work has written a good part of what may wait for it. */
  roomToWrite(): Promise<void>;
  scopes(tenant: string): Promise<Iterable<Scope>>;
  readonly readHoldings: ReadHoldings;
  /** What frees room has some, on a full disk too. */
  withRoom<T>(task: () => Promise<T>): Promise<T>;
  /** Takes back the room that is kept for this, where there is as much. */
  reserveRoom(): Promise<void>;
  /** Whether the log can be written, or can be again. */
  probe(): Promise<void>;
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
  /** Opens a folder without the parts that are missing, and sets those of another aside. */
  readonly acceptLoss: boolean;
}

/** Dimensions of the vectors of a host that has no embedder; there are none. */
const DIMENSIONS_WITHOUT_EMBEDDER = 128;

/** Takes the directory of a durable tier, opens its storage, and takes up what a crash left; on a full disk too. */
export async function openDurable(parts: DurableParts, context: DurableContext): Promise<DurableState> {
  const { services, options } = context;
  const reserve = await DiskReserve.find(services.dataDirectory ?? "", options.diskReserveBytes);
  return withRoom(
    () => reserve.releaseAll(),
    () => openOnce(parts, context, reserve),
  );
}

/** A failure closes all. */
async function openOnce(
  parts: DurableParts,
  context: DurableContext,
  reserve: DiskReserve,
): Promise<DurableState> {
  const { services } = context;
  const { openLog, acceptLoss } = parts;
  const directory = await ownDirectory(services);
  const closings = [() => directory.release()];
  try {
    const manifest = await FolderManifest.read(directory.path, services);
    const place = placeOf(directory.path, services);
    const storage = parts.storage({ ...place, keptContentId: (name) => manifest.part(name)?.contentId });
    closings.unshift(() => storage.close());
    const present = await checkParts(storage.parts, manifest, { acceptLoss, logger: services.logger });
    await storage.open();
    const hasStored = present.some(({ owner }) => owner !== undefined);
    const opened = { storage, openLog, acceptLoss, directory, manifest, hasStored, reserve };
    return await takeUp(opened, context);
  } catch (error) {
    await closeAll(closings);
    throw error;
  }
}

function placeOf(directory: string, { embedder, clock, logger }: PluginServices): StoragePlace {
  const { dimensions = DIMENSIONS_WITHOUT_EMBEDDER, id = "" } = embedder ?? {};
  return { directory, dimensions, embedder: id, clock, logger };
}

interface OpenedParts extends Omit<DurableParts, "storage"> {
  readonly storage: Storage;
  readonly directory: OwnDirectory;
  readonly manifest: FolderManifest;
  readonly reserve: DiskReserve;
  /** Whether storage holds anything. */
  readonly hasStored: boolean;
}

async function takeUp(
  opened: OpenedParts,
  { services, options, operations }: DurableContext,
): Promise<DurableState> {
  const { storage, manifest, reserve } = opened;
  const { path: directory, release } = opened.directory;
  const { clock, logger } = services;
  const backlog = new Backlog({ countMax: options.backlogCountMax, bytesMax: options.backlogBytesMax });
  const latest = new LatestScopes(options.preloadCount);
  const loader = new PartitionLoader(storage);
  const erasure = new Erasure(options.eraseWithinS, manifest.facts.erased);
  const { log, newestAt, flushedSeq } = await recoverInto(
    { backlog, operations, latest, erasure },
    opened,
    services,
  );
  const bodies = storedBodies(storage, options);
  backlog.pinBodies(bodies);
  const known = knownScopes(storage, backlog, options);
  let latestAt = newestAt;
  const flusher = new Flusher(
    options,
    {
      ...{ log, storage, backlog, clock, manifest, erasure, logger },
      stored: (rowIds) => bodies.unpin(rowIds),
      oldestRemembered: () => operations.oldestSeq(clock.now()),
      moveReplies: (before) => moveReplies(before, { log, journal, operations, clock, roomToWrite }),
      newestAt: () => Math.max(latestAt, clock.now()),
      latestScopes: () => latest.ids,
    },
    flushedSeq,
  );
  const appended = (record: LogRecord, seq: number): void => {
    latestAt = Math.max(latestAt, latestTime(record));
    const newest = newestForgotten(record);
    if (newest > 0) erasure.forgot(seq, newest, record.at);
    latest.add(record.scope);
    if (record.rows.length > 0) known.add(record.scope);
    flusher.notice();
  };
  if (backlog.recordCount > 0) flusher.notice();
  const journal = createLogJournal({ log, backlog, reserve, appended });
  const roomToWrite = async () => {
    if (isMuch(backlog, options)) await flusher.flush();
  };
  return {
    ...{ storage, directory, flusher, bodies, newestAt, latest, journal, roomToWrite },
    ...{ isNew: log.nextSeq <= 1, erasing: manifest.facts.erasing },
    announceErasure: (owner) => announceErasure(owner, manifest),
    eraseOwner: (owner, remove) => eraseOwner(owner, remove, { manifest, latest, flusher, storage }),
    load: (scope, partition) => loadKnown(scope, partition, { known, loader, backlog }),
    mayLeave: (scope) => !backlog.has(scope),
    scopes: (tenant) => known.all(tenant),
    readHoldings: storedHoldings({ storage, backlog, flusher }),
    withRoom: (task) => withRoom(() => reserve.release(), task),
    reserveRoom: () => reserve.restore(),
    probe: () => log.probe(),
    async maintain() {
      await flusher.maintain().finally(() => known.refresh(backlog.scopes));
      await log.check();
    },
    admit: (tenant) => admit(storage, tenant),
    erase: (tenant) => flusher.erase(tenant),
    erasureOf: async (seq, at) => ((await log.hasSetAside()) ? undefined : erasure.stateOf(seq, at)),
    snapshot: (target) => snapshot(target, { directory, log, storage, manifest, flusher }),
    stats: () => ({ ...statsOf(storage, loader, reserve, known), ...journalStats(log, backlog, flusher) }),
    // Flushing what is left spares the next start the work.
    close: () => closeAll([...[flusher, log, storage].map((part) => () => part.close()), release]),
  };
}

function statsOf(storage: Storage, loader: PartitionLoader, reserve: DiskReserve, known: KnownScopes) {
  return { ...storage.stats(), ...loader.stats, ...reserve.stats, known_scopes: known.count };
}

interface RecoveryTargets {
  readonly backlog: Backlog;
  readonly operations: OperationMemory;
  readonly erasure: Erasure;
  readonly latest: LatestScopes;
}

function recoverInto(
  { latest, ...targets }: RecoveryTargets,
  { storage, hasStored, acceptLoss, openLog, directory, manifest }: OpenedParts,
  services: PluginServices,
): Promise<Recovered> {
  return recover(
    {
      ...{ ...targets, storage, hasStored, acceptLoss, clock: services.clock },
      openLog: (recovery) => openLog(directory.path, { ...recovery, acceptLoss }, services),
      written: (scope) => latest.add(scope),
    },
    manifest,
  );
}

function storedBodies(storage: Storage, { bodyCacheBytes: cacheBytes }: ResolvedKitOptions): BodyCache {
  return new BodyCache({ cacheBytes }, (scope, rowIds) => storage.readBodies(scope, rowIds));
}

function admit(storage: Storage, tenant: string): void {
  if (storage.damagedTenants?.has(tenant)) throw tenantDamaged();
}

function knownScopes(
  storage: Storage,
  backlog: Backlog,
  { knownScopeCountMax }: ResolvedKitOptions,
): KnownScopes {
  const known = new KnownScopes(knownScopeCountMax, async (tenant) => {
    admit(storage, tenant);
    return storage.scopes(tenant);
  });
  known.refresh(backlog.scopes);
  return known;
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
    Math.max(backlog.rowCount, backlog.recordCount) > Math.min(flushCount, backlogCountMax / 4) ||
    backlog.sizeBytes > backlogBytesMax / 4
  );
}

function journalStats(log: Log, backlog: Backlog, flusher: Flusher): Record<string, number> {
  const { sizeBytes, segmentCount, nextSeq, failed } = log.stats;
  return {
    failed: failed ? 1 : 0,
    backlog_rows: backlog.rowCount,
    backlog_bytes: backlog.sizeBytes,
    flushed_seq: flusher.flushedSeq,
    ...flusher.stats,
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
