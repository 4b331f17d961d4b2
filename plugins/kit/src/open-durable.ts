import type { PluginServices } from "@membus/protocol";
import { scopeId } from "@membus/protocol";
import { Backlog } from "./journal/backlog.js";
import { Folder } from "./journal/fold.js";
import { readFoldMarker } from "./journal/fold-marker.js";
import type { Journal } from "./journal/journal.js";
import { createLogJournal } from "./journal/log-journal.js";
import type { OperationMemory } from "./journal/operation-memory.js";
import { recover } from "./journal/recover.js";
import type { ResolvedKitOptions } from "./kit-options.js";
import type { DurableParts } from "./kit-plugin.js";
import type { Partition } from "./partition/partition.js";
import { BodyCache } from "./residency/body-cache.js";
import type { Storage } from "./storage.js";

export interface DurableState {
  readonly storage: Storage;
  readonly folder: Folder;
  readonly journal: Journal;
  readonly bodies: BodyCache;
  readonly newestAt: number;
  /** Fills an empty partition with what is stored of a scope, and with what storage does not hold yet. */
  load(scope: string, empty: Partition): Promise<Partition>;
  mayLeave(scope: string): boolean;
  scopes(): Promise<Iterable<string>>;
  stats(): Readonly<Record<string, number | string>>;
  close(): Promise<void>;
}

interface DurableContext {
  readonly services: PluginServices;
  readonly options: ResolvedKitOptions;
  readonly operations: OperationMemory;
}

/** Opens log and storage of a durable tier, takes up what a crash left, and sets up their fold. */
export async function openDurable(parts: DurableParts, context: DurableContext): Promise<DurableState> {
  const { storage, log, directory } = parts;
  const { services, options, operations } = context;
  const backlog = new Backlog({ countMax: options.backlogCountMax, bytesMax: options.backlogBytesMax });
  const marker = await readFoldMarker(directory);
  const { newestAt } = await recover({ log, storage, backlog, operations }, marker);
  const bodies = new BodyCache({ cacheBytes: options.bodyCacheBytes }, (scope, rowIds) =>
    storage.readBodies(scope, rowIds),
  );
  backlog.pinBodies(bodies);
  const { clock } = services;
  const folder = new Folder(
    options,
    {
      ...{ log, storage, backlog, clock, directory, logger: services.logger },
      stored: (rowIds) => bodies.unpin(rowIds),
      oldestRemembered: () => operations.oldestSeq(clock.now()),
      newestAt: () => Math.max(newestAt, clock.now()),
    },
    marker.foldedSeq,
  );
  if (backlog.recordCount > 0) folder.notice();
  return {
    ...{ storage, folder, bodies, newestAt },
    journal: createLogJournal({ log, backlog, appended: () => folder.notice() }),
    load: (scope, empty) => loadPartition({ storage, backlog, scope }, empty),
    mayLeave: (scope) => !backlog.has(scope),
    scopes: async () =>
      [...(await storage.scopes()).map(scopeId), ...backlog.scopes].filter((id) => id !== ""),
    stats: () => ({ ...storage.stats(), ...backlogStats(backlog, folder), ...logStats(parts) }),
    close: () => closeDurable(parts, folder),
  };
}

/** What the backlog holds is read before storage: what is folded in between is seen twice, never not at all. */
async function loadPartition(
  { storage, backlog, scope }: { storage: Storage; backlog: Backlog; scope: string },
  partition: Partition,
): Promise<Partition> {
  const { rows, removed } = backlog.ofScope(scope);
  partition.load(await storage.load(scope), (rowId) => removed.has(rowId));
  for (const row of rows) partition.add(row);
  return partition;
}

function backlogStats(backlog: Backlog, folder: Folder): Record<string, number> {
  return {
    backlog_rows: backlog.rowCount,
    backlog_bytes: backlog.sizeBytes,
    folded_seq: folder.foldedSeq,
  };
}

function logStats({ log }: DurableParts): Record<string, number> {
  const { sizeBytes, segmentCount, nextSeq } = log.stats;
  return { log_bytes: sizeBytes, log_segments: segmentCount, log_next_seq: nextSeq };
}

/** Folds what is left, so that the next start has nothing to do; each part is closed whatever the others do. */
async function closeDurable(parts: DurableParts, folder: Folder): Promise<void> {
  const steps = [
    () => folder.close(),
    () => parts.log.close(),
    () => parts.storage.close(),
    () => parts.release?.() ?? Promise.resolve(),
  ];
  const failures: unknown[] = [];
  for (const step of steps) await step().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}
