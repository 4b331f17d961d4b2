import { randomBytes } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { createDirectory, isMissingFile, linkFile, linkTree, lockDirectory } from "@membus/disk";
import type { KitPlugin } from "@membus/plugin-kit";
import { MemoryError, systemClock } from "@membus/protocol";
import type { MemoryPlugin } from "@membus/protocol/plugin";
import { auditSecretPath } from "../audit/audit-secret.js";
import type { ComposedPlugins } from "../compose/compose-plugins.js";
import { sendToHost } from "../control/control-client.js";
import type { ControlCommand } from "../control/control-server.js";
import { tierFolders, unservedFolders } from "./tier-folders.js";

/** A subfolder of the data folder with hard links to its files, which exists while they are copied. */
const STAGED = /^snapshot\.[0-9a-f]{8}$/;
/** Files of a tier that are not copied: locks, drafts and files that were set aside. */
const LEFT_OUT = /^(lock(\.[0-9a-f]{8})?|\.tmp.*|.+\.new|.+\.corrupt(-\d+)?|.+\.foreign-\d+)$/;

type SnapshotPlugin = Pick<KitPlugin, "snapshot">;

/**
 * Returns the host command that creates a snapshot of the data folder. The snapshot exists until the client
 * disconnects. It includes the folders of tiers that this host does not serve, which are locked until then.
 */
export function snapshotCommand(tiers: ComposedPlugins, data: string): ControlCommand {
  return (_args, answer) =>
    staged(data, async (folder) => {
      for (const [tier, directory] of Object.entries(tiers.dataDirectories)) {
        const plugin = tiers.plugins[tier as keyof ComposedPlugins["plugins"]];
        if (!hasSnapshot(plugin)) throw snapshotUnsupported(tier);
        await plugin.snapshot(join(data, folder, relative(data, directory)));
      }
      const unserved = await unservedFolders(data, tiers.dataDirectories);
      await whileLocked(unserved, async () => {
        await linkFolders(unserved, data, folder);
        await linkSecret(data, folder);
        await answer({ folder });
      });
    });
}

/**
 * Runs `use` with a snapshot of a data folder and deletes it afterwards. If a host serves the folder, the
 * host creates the snapshot. Otherwise the files are linked while the folder is locked. `use` must not write
 * to the files.
 * @throws {TypeError} if there is no data folder.
 * @throws {MemoryError} `conflict` if a process holds the folder but does not respond.
 */
export async function withSnapshot<T>(data: string, use: (snapshot: string) => Promise<T>): Promise<T> {
  const served = await sendToHost(data, { cmd: "snapshot" }, (result) => {
    return use(join(data, (result as { folder: string }).folder));
  });
  if (served !== undefined) return served.used;
  const tiers = await tierFolders(data);
  return whileLocked(tiers, async () => {
    await removeStaged(data);
    return staged(data, async (folder) => {
      await linkFolders(tiers, data, folder);
      await linkSecret(data, folder);
      return use(join(data, folder));
    });
  });
}

/** Links the files of locked tier folders into a snapshot. */
async function linkFolders(tiers: readonly string[], data: string, folder: string): Promise<void> {
  const isCopied = (name: string) => !LEFT_OUT.test(name);
  for (const tier of tiers) await linkTree(tier, join(data, folder, relative(data, tier)), isCopied);
}

/** Removes snapshots left by a killed process, because they retain the bytes of forgotten entries. */
export async function removeStaged(data: string): Promise<void> {
  for (const name of await namesIn(data)) {
    if (STAGED.test(name)) await rm(join(data, name), { recursive: true, force: true });
  }
}

async function staged<T>(data: string, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = `snapshot.${randomBytes(4).toString("hex")}`;
  try {
    await createDirectory(join(data, folder));
    return await use(folder);
  } finally {
    await rm(join(data, folder), { recursive: true, force: true });
  }
}

async function whileLocked<T>(folders: readonly string[], task: () => Promise<T>): Promise<T> {
  const [first, ...rest] = folders;
  if (first === undefined) return task();
  const lock = await lockDirectory(first, { clock: systemClock });
  try {
    return await whileLocked(rest, task);
  } finally {
    await lock.release();
  }
}

async function linkSecret(data: string, folder: string): Promise<void> {
  await linkFile(auditSecretPath(data), auditSecretPath(join(data, folder))).catch((error: unknown) => {
    if (!isMissingFile(error)) throw error;
  });
}

function hasSnapshot(plugin: MemoryPlugin | undefined): plugin is MemoryPlugin & SnapshotPlugin {
  return typeof (plugin as Partial<SnapshotPlugin> | undefined)?.snapshot === "function";
}

function snapshotUnsupported(tier: string): MemoryError {
  const message = `the plugin of the ${tier} tier cannot be copied while the host runs: stop the host first`;
  return new MemoryError("unsupported", message, { tier });
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: unknown) => {
    if (isMissingFile(error)) return [];
    throw error;
  });
}
