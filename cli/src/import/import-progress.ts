import { readFile, rename, rm, stat, writeFile } from "node:fs/promises";

/** How far an import of a file has got: all lines before `line` are stored or counted as failed. */
export interface ImportProgress {
  /** Tells one state of the file from another. */
  readonly file: { readonly sizeBytes: number; readonly modifiedMs: number };
  readonly line: number;
  readonly stored: number;
  readonly failed: Readonly<Record<string, number>>;
}

export function progressPath(path: string): string {
  return `${path}.membus-import`;
}

/** The state of an import that was interrupted, if the file has not changed since; else its beginning. */
export async function readProgress(path: string): Promise<ImportProgress> {
  const { size, mtimeMs } = await stat(path);
  const beginning = { file: { sizeBytes: size, modifiedMs: mtimeMs }, line: 0, stored: 0, failed: {} };
  try {
    const saved = JSON.parse(await readFile(progressPath(path), "utf8")) as ImportProgress;
    const same = saved.file.sizeBytes === size && saved.file.modifiedMs === mtimeMs;
    return same ? saved : beginning;
  } catch {
    return beginning;
  }
}

export async function saveProgress(path: string, progress: ImportProgress): Promise<void> {
  const target = progressPath(path);
  await writeFile(`${target}.new`, JSON.stringify(progress));
  await rename(`${target}.new`, target);
}

export async function clearProgress(path: string): Promise<void> {
  await rm(progressPath(path), { force: true });
}
