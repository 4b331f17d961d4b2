import { rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { type ClusterIdentity, readStatus } from "@membus/cluster";
import { createDirectory } from "@membus/disk";
import { MemoryError, monotonicClock, TIERS } from "@membus/protocol";
import type { Embedder } from "@membus/protocol/plugin";
import { asAuthHost } from "../auth/auth-host.js";
import { type BackupReport, backUpFrom } from "../backup/back-up.js";
import { CLUSTER_COPY } from "../backup/backup-folder.js";
import { refusePartial, restore } from "../backup/restore.js";
import { withSnapshot } from "../backup/staged-snapshot.js";
import { tierFolders } from "../backup/tier-folders.js";
import { composeProviders } from "../compose/compose-host.js";
import type { Config } from "../config/config-schema.js";
import { type CopyReport, copyEntries } from "../copy/copy-entries.js";
import type { EntryStore } from "../copy/entry-store.js";
import { type FolderOptions, withFolderStore } from "../copy/folder-store.js";
import { requireNewTenants } from "../copy/require-new-tenants.js";
import { createLogger } from "../logger.js";
import type { OnProgress } from "../terminal/task-progress.js";
import { clusterStore } from "./cluster-store.js";
import { type ClusterAccess, withCluster } from "./with-cluster.js";

export interface ClusterBackupOptions {
  readonly folder: string;
  readonly keep?: number | undefined;
  readonly onProgress: OnProgress;
}

/**
 * Copies all entries of a cluster into a data folder and backs it up. A host restores it like the backup of a folder.
 * @throws {MemoryError} `unavailable` if no host of the cluster runs. Else as in `copyEntries` and `backUpFrom`.
 */
export async function backUpCluster(
  config: Config,
  { folder, keep, onProgress }: ClusterBackupOptions,
): Promise<BackupReport> {
  const copy = join(folder, CLUSTER_COPY);
  const source = async <T>(use: (data: string) => Promise<T>): Promise<T> => {
    await rm(copy, { recursive: true, force: true });
    await createDirectory(copy);
    try {
      await inCluster(config, (cluster, options) =>
        withFolderStore(copy, options, (target) => copyEntries(cluster, target, onProgress)),
      );
      return await withSnapshot(copy, use);
    } finally {
      await rm(copy, { recursive: true, force: true });
    }
  };
  return backUpFrom(source, { folder, keep, onProgress });
}

export interface IntoClusterOptions {
  /** Adds entries to tenants that have entries already. */
  readonly isMerge: boolean;
  readonly onProgress: OnProgress;
}

/**
 * Copies all entries of a data folder that no host serves into a cluster.
 * @throws {MemoryError} `conflict` for a tenant that has entries in the cluster, unless they are merged, and `unavailable` if no host of the
 * cluster runs. Else as in `copyEntries`.
 */
export async function migrateToCluster(
  config: Config,
  data: string,
  { isMerge, onProgress }: IntoClusterOptions,
): Promise<CopyReport> {
  await requireOwnFolder(data);
  return inCluster(config, (cluster, options) =>
    withFolderStore(data, options, (source) => fill(cluster, source, { isMerge, onProgress })),
  );
}

/**
 * Copies all entries of a backup into a cluster, by way of a temporary data folder beside it.
 * @param temporary a folder for nothing else, on a disk with space for the backup. An interrupted call leaves it, and the next removes it.
 */
export async function restoreIntoCluster(
  config: Config,
  backup: string,
  temporary: string,
  options: IntoClusterOptions,
): Promise<CopyReport> {
  await rm(temporary, { recursive: true, force: true });
  try {
    return await inCluster(config, async (cluster, folderOptions) => {
      await restore(backup, temporary, options.onProgress);
      await requireOwnFolder(temporary);
      return withFolderStore(temporary, folderOptions, (source) => fill(cluster, source, options));
    });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function fill(
  cluster: EntryStore,
  source: EntryStore,
  { isMerge, onProgress }: IntoClusterOptions,
): Promise<CopyReport> {
  if (!isMerge) await requireNewTenants(source, cluster);
  return copyEntries(source, cluster, onProgress);
}

/** @throws {TypeError} for a partial folder, one without tiers, and one with a tier that another plugin wrote. */
async function requireOwnFolder(data: string): Promise<void> {
  await refusePartial(data);
  const other = (await tierFolders(data)).find((folder) => !TIERS.some((tier) => tier === basename(folder)));
  if (other !== undefined)
    throw new TypeError(`${other} was written by another plugin, and a cluster has only the built-in ones`);
}

/**
 * Runs `use` with the cluster, and the options of folders that entries are copied from or to.
 * @throws {TypeError} if this command has another embedder.
 * @throws {MemoryError} `unavailable` if no host runs. Else as in `withCluster`.
 */
async function inCluster<T>(
  config: Config,
  use: (cluster: EntryStore, options: FolderOptions) => Promise<T>,
): Promise<T> {
  const logger = createLogger(config.log_level);
  const { embedder } = await composeProviders(config, process.env, logger);
  return withCluster(
    config,
    async (access) => {
      requireEmbedder(access.identity, embedder);
      await requireHosts(access);
      const { maxPayloadBytes } = access.bus;
      return use(clusterStore(access), { config, embedder, logger, maxPayloadBytes });
    },
    asAuthHost,
  );
}

/** A host that is late for this many leases was killed. A host that is only late may still answer. */
const LATE_LEASES_MAX = 6;

/** Without a host all requests would be repeated for minutes. */
async function requireHosts({ bucket, identity, logger }: ClusterAccess): Promise<void> {
  const { hosts } = await readStatus(bucket, identity, { clock: monotonicClock, logger });
  const lateMaxS = (LATE_LEASES_MAX * identity.leaseMs) / 1_000;
  if (hosts.every(({ state, renewedS }) => state === "stopped" || renewedS > lateMaxS))
    throw new MemoryError(
      "unavailable",
      "no host of the cluster runs: start one with `membus up --cluster URLS`",
    );
}

/** Another embedder could not keep the vectors. */
function requireEmbedder({ embedder: wanted }: ClusterIdentity, embedder: Embedder | undefined): void {
  if ((embedder?.id ?? null) === wanted) return;
  const message = `the cluster has the embedder ${wanted ?? "none"}, and this command ${embedder?.id ?? "none"}: correct \`embedder\``;
  throw new TypeError(message);
}
