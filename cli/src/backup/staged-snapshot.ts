import { randomBytes } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { createDirectory, isMissingFile, linkFile, linkTree, lockDirectory } from "@membus/disk";
import type { KitPlugin } from "@membus/plugin-kit";
import { MemoryError, type MemoryPlugin, systemClock } from "@membus/protocol";
import { auditSecretPath } from "../audit/audit-secret.js";
import type { ComposedPlugins } from "../compose/compose-plugins.js";
import { askHost } from "../control/ask-host.js";
import type { ControlCommand } from "../control/control-server.js";

/** A folder in the data folder, where its files stand once more for as long as they are copied. */
const STAGED = /^snapshot\.[0-9a-f]{8}$/;
/** Of a tier's folder, what is of the process that has it, was being written, or was set aside. */
const LEFT_OUT = /^(lock(\.[0-9a-f]{8})?|\.tmp.*|.+\.new|.+\.corrupt(-\d+)?|.+\.foreign-\d+)$/;

type SnapshotPlugin = Pick<KitPlugin, "snapshot">;

/** The command of a host by which others get a snapshot of what it serves; it stands until they are done with it. */
export function snapshotCommand(tiers: ComposedPlugins, data: string): ControlCommand {
  return (_args, answer) =>
    staged(data, async (folder) => {
      for (const [tier, directory] of Object.entries(tiers.dataDirectories)) {
        const plugin = tiers.plugins[tier as keyof ComposedPlugins["plugins"]];
        if (!hasSnapshot(plugin)) throw notCopied(tier);
        await plugin.snapshot(join(data, folder, relative(data, directory)));
      }
      await linkSecret(data, folder);
      await answer({ folder });
    });
}

/**
 * Runs `use` with a snapshot of a data folder, which is gone afterwards: the host's that serves it, or without one its
 * files, while no host can open it. Nobody may write to its files.
 * @throws {TypeError} where there is no data folder; {MemoryError} `conflict` where a process has it that does not answer.
 */
export async function withSnapshot<T>(data: string, use: (snapshot: string) => Promise<T>): Promise<T> {
  const asked = await askHost(data, { cmd: "snapshot" }, (result) => {
    return use(join(data, (result as { folder: string }).folder));
  });
  if (asked !== undefined) return asked.used;
  const tiers = await tierFolders(data);
  return whileLocked(tiers, async () => {
    await removeStaged(data);
    return staged(data, async (folder) => {
      const isWanted = (name: string) => !LEFT_OUT.test(name);
      for (const tier of tiers) await linkTree(tier, join(data, folder, relative(data, tier)), isWanted);
      await linkSecret(data, folder);
      return use(join(data, folder));
    });
  });
}

/** Removes what a killed process has left of snapshots: it keeps the bytes of what is forgotten. */
export async function removeStaged(data: string): Promise<void> {
  for (const name of await namesIn(data)) {
    if (STAGED.test(name)) await rm(join(data, name), { recursive: true, force: true });
  }
}

/**
 * The folders of a data folder in which tiers keep what they have.
 * @throws {TypeError} where there are none.
 */
export async function tierFolders(data: string): Promise<string[]> {
  const entries = await readdir(data, { withFileTypes: true }).catch((error: unknown) => {
    if (isMissingFile(error)) return [];
    throw error;
  });
  const folders = entries.filter(({ name }) => !STAGED.test(name) && name !== "lost+found");
  const tiers = folders.flatMap((entry) => (entry.isDirectory() ? join(data, entry.name) : []));
  if (tiers.length === 0) throw new TypeError(`${data} is not a data folder: nothing is kept there`);
  return tiers;
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

function notCopied(tier: string): MemoryError {
  const message = `the plugin of the ${tier} tier cannot be copied while it serves: stop the host for it`;
  return new MemoryError("unsupported", message, { tier });
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: unknown) => {
    if (isMissingFile(error)) return [];
    throw error;
  });
}
