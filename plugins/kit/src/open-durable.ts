import { type Log, withFreedSpace } from "@membus/disk";
import { type Clock, MemoryError, parseScopeId, type Scope } from "@membus/protocol";
import type { PluginServices } from "@membus/protocol/plugin";
import {
  announceErasure,
  Backlog,
  checkParts,
  createLogJournal,
  damageError,
  type ErasureState,
  ErasureTracker,
  eraseOwner,
  Flusher,
  type FolderReport,
  type Journal,
  type LogRecord,
  latestTime,
  moveReplies,
  newestForgotten,
  type OperationMemory,
  type Recovered,
  recover,
  snapshot,
  storedUsage,
  verifyOpen,
} from "./journal/index.js";
import type { ResolvedKitOptions } from "./kit-options.js";
import { BodyCache, KnownScopes, LatestScopes, PartitionLoader, StoredVectors } from "./lifecycle/index.js";
import {
  FolderManifest,
  type Markers,
  type Owner,
  type SpaceReserve,
  type TierPlace,
} from "./place/index.js";
import type { ReadUsage } from "./quotas/index.js";
import type { Partition } from "./search/index.js";
import { type Storage, tenantDamaged } from "./storage.js";

export interface DurableState {
  readonly storage: Storage;
  readonly markers: Markers;
  readonly flusher: Flusher;
  readonly journal: Journal;
  readonly bodies: BodyCache;
  /** Undefined if the storage cannot be searched for vectors. */
  readonly vectors: StoredVectors | undefined;
  readonly newestAt: number;
  /** Whether nothing was ever stored. */
  readonly isNew: boolean;
  readonly latest: LatestScopes;
  /** Loads the stored rows of a scope, and the rows that are not flushed yet, into an empty partition. */
  load(scope: string, partition: Partition): Promise<void>;
  mayUnload(scope: string): boolean;
  /** @throws {MemoryError} `unavailable` for a tenant with damaged files. */
  checkTenant(tenant: string): void;
  /** See `KitPlugin.damage`. */
  damage(): MemoryError | undefined;
  /** Erases all removed data of a tenant from disk. */
  erase(tenant: string): Promise<void>;
  /** See `KitPlugin`. */
  snapshot(target: string): Promise<void>;
  /** See `KitPlugin.verifyOpen`. */
  verify(): Promise<FolderReport>;
  /** Owners with an erasure that was started and not completed. */
  readonly erasing: readonly Owner[];
  /** Makes the next open erase the owner, unless it was erased before. */
  announceErasure(owner: Owner): Promise<void>;
  /**
   * Runs `remove`, which removes all entries of an owner, and then erases them from disk. After a crash, the
   * next open continues.
   */
  eraseOwner<T>(owner: Owner, remove: () => Promise<T>): Promise<T>;
  /** Erasure state of a forget's bytes. */
  erasureOf(seq: number, at: number): Promise<ErasureState>;
  /** Flushes if background work has filled a large part of the backlog. */
  waitForCapacity(): Promise<void>;
  /** @throws {MemoryError} `unsupported` for a storage that cannot list its tenants. */
  tenants(): readonly string[];
  scopes(tenant: string): Promise<Iterable<Scope>>;
  readonly readUsage: ReadUsage;
  /** Runs a task that frees space. On a full disk it may use the disk reserve. */
  withFreedSpace<T>(task: () => Promise<T>): Promise<T>;
  /** Restores the disk reserve if there is enough space. */
  restoreReserve(): Promise<void>;
  /** Checks whether the log can be written, and reopens it if possible. */
  probe(): Promise<void>;
  /** Runs the storage's maintenance between flushes. */
  maintain(): Promise<void>;
  stats(): Readonly<Record<string, number | string>>;
  close(): Promise<void>;
}

interface DurableContext {
  readonly services: PluginServices;
  readonly options: ResolvedKitOptions;
  readonly operations: OperationMemory;
}

/** Place of a durable tier, and how to open it. */
export interface DurableParts {
  openPlace(services: PluginServices): Promise<TierPlace>;
  /** Opens a tier without its missing parts, and sets parts of another tier aside. */
  readonly acceptLoss: boolean;
}

/**
 * Takes the place of a durable tier, opens its storage, and recovers from a crash. It also works on a full
 * disk.
 */
export async function openDurable(
  { openPlace, acceptLoss }: DurableParts,
  context: DurableContext,
): Promise<DurableState> {
  const place = await openPlace(context.services);
  try {
    return await withFreedSpace(
      () => place.reserve.releaseAll(),
      () => openOnce({ place, acceptLoss }, context),
    );
  } catch (error) {
    await place.release();
    throw error;
  }
}

interface PlaceParts {
  readonly place: TierPlace;
  readonly acceptLoss: boolean;
}

/** Opens the tier once. On failure its storage is closed. */
async function openOnce({ place, acceptLoss }: PlaceParts, context: DurableContext): Promise<DurableState> {
  const { tier, logger } = context.services;
  const manifest = await FolderManifest.open(place.manifest, tier);
  const keptContentId = (name: string) => manifest.part(name)?.contentId;
  const storage = place.createStorage({ id: manifest.facts.id, keptContentId });
  try {
    const present = await checkParts(storage.parts, manifest, { acceptLoss, logger });
    await storage.open();
    const hasStored = present.some(({ owner }) => owner !== undefined);
    return await recoverTier({ storage, place, acceptLoss, manifest, hasStored }, context);
  } catch (error) {
    await storage.close();
    throw error;
  }
}

interface OpenedParts extends PlaceParts {
  readonly storage: Storage;
  readonly manifest: FolderManifest;
  /** Whether the storage holds any row. */
  readonly hasStored: boolean;
}

async function recoverTier(
  opened: OpenedParts,
  { services, options, operations }: DurableContext,
): Promise<DurableState> {
  const { storage, manifest, place } = opened;
  const { clock, logger } = services;
  const backlog = new Backlog({ countMax: options.backlogCountMax, bytesMax: options.backlogBytesMax });
  const latest = new LatestScopes(options.preloadCount);
  const loader = new PartitionLoader(storage);
  const erasure = new ErasureTracker(options.eraseWithinS, manifest.facts.erased);
  const targets = { backlog, operations, latest, erasure };
  const { log, newestAt, flushedSeq } = await recoverInto(targets, opened, clock);
  const bodies = storedBodies(storage, options);
  backlog.pinBodies(bodies);
  const known = knownScopes(storage, backlog, options);
  let latestAt = newestAt;
  const flusher: Flusher = new Flusher(
    options,
    {
      ...{ log, storage, backlog, clock, manifest, erasure, logger },
      stored: (rowIds) => bodies.unpin(rowIds),
      oldestRemembered: () => operations.oldestSeq(clock.now()),
      moveReplies: (before) => moveReplies(before, { log, journal, operations, clock, waitForCapacity }),
      newestAt: () => Math.max(latestAt, clock.now()),
      latestScopes: () => latest.ids,
    },
    flushedSeq,
  );
  const appended = (record: LogRecord, seq: number): void => {
    latestAt = Math.max(latestAt, latestTime(record));
    const newest = newestForgotten(record);
    if (newest > 0) erasure.addForget(seq, newest, record.at);
    latest.add(record.scope);
    if (record.rows.length > 0) known.add(record.scope);
    flusher.recordAdded();
  };
  if (backlog.recordCount > 0) flusher.recordAdded();
  const journal = createLogJournal({ log, backlog, reserve: place.reserve, appended });
  const tenants = () => tenantsOf(storage, backlog);
  const waitForCapacity = () => flushLarge(backlog, options, flusher);
  return {
    ...{ storage, flusher, bodies, newestAt, latest, journal, waitForCapacity, tenants },
    vectors: storage.vectors && new StoredVectors({ vectors: storage.vectors, backlog }),
    ...{ markers: place.markers, isNew: log.nextSeq <= 1, erasing: manifest.facts.erasing },
    announceErasure: (owner) => announceErasure(owner, manifest),
    eraseOwner: (owner, remove) => eraseOwner(owner, remove, { manifest, latest, flusher, storage }),
    load: (scope, partition) => loadKnown(scope, partition, { known, loader, backlog }),
    mayUnload: (scope) => !backlog.has(scope),
    ...{ scopes: (tenant) => known.all(tenant), readUsage: storedUsage({ storage, backlog, flusher }) },
    withFreedSpace: (task) => withFreedSpace(() => place.reserve.release(), task),
    ...{ restoreReserve: () => place.reserve.restore(), probe: () => log.probe() },
    async maintain() {
      await flusher.maintain().finally(() => known.refresh(backlog.scopes));
      await log.check();
    },
    checkTenant: (tenant) => checkTenant(storage, tenant),
    damage: () => damageError(storage.damagedParts ?? [], manifest),
    erase: (tenant) => flusher.erase(tenant),
    erasureOf: (seq, at) => erasureOf(log, erasure.stateOf(seq, at)),
    snapshot: (target) => snapshot(target, { place, log, storage, manifest, flusher, logger }),
    verify: () => verifyOpen({ manifest, storage, flusher, log }),
    stats: () => ({
      ...statsOf(storage, loader, place.reserve, known),
      ...journalStats(log, backlog, flusher),
    }),
    // Flushing the rest saves the next start the work.
    close: () =>
      closeAll([...[flusher, log, storage].map((part) => () => part.close()), () => place.release()]),
  };
}

/** Adds what keeps the bytes in the log. Copies of damaged files may have them even if the log does not. */
async function erasureOf(log: Log, state: ErasureState): Promise<ErasureState> {
  if (await log.hasSetAside()) return { waitsFor: "files_set_aside" };
  return "eraseBy" in state && log.stats.waitsForServer ? { waitsFor: "replica_down" } : state;
}

function statsOf(storage: Storage, loader: PartitionLoader, reserve: SpaceReserve, known: KnownScopes) {
  return { ...storage.stats(), ...loader.stats, ...reserve.stats, known_scopes: known.count };
}

interface RecoveryTargets {
  readonly backlog: Backlog;
  readonly operations: OperationMemory;
  readonly erasure: ErasureTracker;
  readonly latest: LatestScopes;
}

function recoverInto(
  { latest, ...targets }: RecoveryTargets,
  { storage, hasStored, acceptLoss, place, manifest }: OpenedParts,
  clock: Clock,
): Promise<Recovered> {
  return recover(
    {
      ...{ ...targets, storage, hasStored, acceptLoss, clock },
      openLog: (recovery) => place.openLog({ ...recovery, acceptLoss }),
      written: (scope) => latest.add(scope),
    },
    manifest,
  );
}

function storedBodies(storage: Storage, { bodyCacheBytes: cacheBytes }: ResolvedKitOptions): BodyCache {
  return new BodyCache({ cacheBytes }, (scope, rowIds) => storage.readBodies(scope, rowIds));
}

function checkTenant(storage: Storage, tenant: string): void {
  if (storage.damagedTenants?.has(tenant)) throw tenantDamaged();
}

/** Returns the tenants with rows in storage or in the backlog, sorted. */
function tenantsOf(storage: Storage, backlog: Backlog): readonly string[] {
  const stored = storage.tenants?.();
  if (stored === undefined)
    throw new MemoryError("unsupported", "the storage of this tier cannot list its tenants");
  const waiting = [...backlog.scopes].map((scope) => parseScopeId(scope).tenant);
  return [...new Set([...stored, ...waiting])].sort();
}

function knownScopes(
  storage: Storage,
  backlog: Backlog,
  { knownScopeCountMax }: ResolvedKitOptions,
): KnownScopes {
  const known = new KnownScopes(knownScopeCountMax, async (tenant) => {
    checkTenant(storage, tenant);
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

/** Loads a scope. The storage is not queried if the scope is known to be empty. */
async function loadKnown(
  scope: string,
  partition: Partition,
  { known, loader, backlog }: LoadParts,
): Promise<void> {
  if (!known.mayHaveRows(scope)) return;
  // The backlog is read before the storage: rows that are flushed in between appear twice, never zero times.
  const { rows, removed } = backlog.ofScope(scope);
  await loader.load(scope, partition, removed);
  for (const row of rows) partition.add(row);
  // Lists all scopes of the tenant once, because more of them may be requested that do not exist.
  if (partition.columns.count === 0) known.readInBackground(scope);
}

async function flushLarge(backlog: Backlog, options: ResolvedKitOptions, flusher: Flusher): Promise<void> {
  if (isBacklogLarge(backlog, options)) await flusher.flush();
}

/**
 * Returns whether the backlog is so large that background work should not add to it. Stores need the
 * remaining capacity.
 */
function isBacklogLarge(backlog: Backlog, options: ResolvedKitOptions): boolean {
  return backlog.isLarge || Math.max(backlog.rowCount, backlog.recordCount) > options.flushCount;
}

function journalStats(log: Log, backlog: Backlog, flusher: Flusher): Record<string, number | string> {
  const { sizeBytes, segmentCount, nextSeq, failed } = log.stats;
  return {
    failed: failed ? 1 : 0,
    ...serverStats(log.stats),
    backlog_rows: backlog.rowCount,
    backlog_bytes: backlog.sizeBytes,
    flushed_seq: flusher.flushedSeq,
    ...flusher.stats,
    log_bytes: sizeBytes,
    log_segments: segmentCount,
    log_next_seq: nextSeq,
  };
}

/** Figures of a log on servers. None for a log in files. */
function serverStats({
  stalled,
  waitsForServer,
  absentServers,
}: Log["stats"]): Record<string, number | string> {
  return {
    ...(stalled !== undefined && { log_stalled: stalled ? 1 : 0 }),
    ...(waitsForServer !== undefined && { log_waits_for_server: waitsForServer ? 1 : 0 }),
    ...(absentServers !== undefined && {
      log_servers_down: absentServers.length,
      log_servers_down_names: absentServers.join(", "),
    }),
  };
}

/** Closes every part, even if others fail. */
async function closeAll(steps: readonly (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) await step().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}
