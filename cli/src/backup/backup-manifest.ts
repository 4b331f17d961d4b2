import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { isAbsolute, join, normalize } from "node:path";
import { isMissingFile } from "@membus/disk";
import { MemoryError } from "@membus/protocol";

/** A file of a backup, as it was in the data folder. */
export interface BackupFile {
  /** Path relative to the data folder. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly mtimeMs: number;
  readonly sha256: string;
}

/** Contents of a backup. The manifest is written last, so a backup that has one is complete. */
export interface BackupManifest {
  readonly format: 1;
  /** ISO 8601. The backup contains all entries acknowledged before this time. */
  readonly takenAt: string;
  /** Names of the tier folders. Each has at least one file. */
  readonly tiers: readonly string[];
  readonly files: readonly BackupFile[];
}

/** The written form of a manifest. */
interface WrittenManifest extends BackupManifest {
  /** SHA-256 of the JSON text of the other fields, in their order. */
  readonly sha256: string;
}

export const MANIFEST = "backup.json";

/**
 * Reads the manifest of a backup. Returns undefined if it is absent.
 * @throws {MemoryError} `runtime_error` if it is damaged or was edited, or if it lacks the files of a tier.
 * `unsupported` if it was written by a later version.
 */
export async function readManifest(folder: string): Promise<BackupManifest | undefined> {
  const path = join(folder, MANIFEST);
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (isMissingFile(error) || (error as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const found = parse(text);
  if (found?.format !== undefined && found.format !== 1) {
    throw new MemoryError(
      "unsupported",
      `${path} was written by a later version of membus: use that version`,
      { path },
    );
  }
  if (found === undefined || !isWhole(found)) {
    throw new MemoryError("runtime_error", `${path} is damaged`, { reason: "backup_damaged", path });
  }
  return found as BackupManifest;
}

export async function writeManifest(folder: string, manifest: BackupManifest): Promise<void> {
  const written: WrittenManifest = { ...manifest, sha256: checksumOf(manifest) };
  const text = `${JSON.stringify(written, undefined, 1)}\n`;
  await writeFile(join(folder, MANIFEST), text, { mode: 0o600, flag: "wx", flush: true });
}

export function sizeOf({ files }: BackupManifest): number {
  return files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

function checksumOf(manifest: BackupManifest): string {
  return createHash("sha256").update(JSON.stringify(manifest)).digest("hex");
}

function parse(text: string): Partial<WrittenManifest> | undefined {
  try {
    return (JSON.parse(text) as Partial<WrittenManifest> | null) ?? undefined;
  } catch {
    return undefined;
  }
}

function isWhole({ sha256, ...found }: Partial<WrittenManifest>): boolean {
  const { format, takenAt, tiers, files } = found;
  const hasForm = format === 1 && typeof takenAt === "string" && Array.isArray(tiers) && Array.isArray(files);
  if (!hasForm || !files.every(isFile) || sha256 !== checksumOf(found as BackupManifest)) return false;
  return tiers.every((tier) => files.some(({ path }) => path.startsWith(`${tier}/`)));
}

function isFile({ path, sizeBytes, sha256 }: Partial<BackupFile>): boolean {
  const isInside = typeof path === "string" && !isAbsolute(path) && !normalize(path).startsWith("..");
  return isInside && Number.isSafeInteger(sizeBytes) && /^[0-9a-f]{64}$/.test(sha256 ?? "");
}
