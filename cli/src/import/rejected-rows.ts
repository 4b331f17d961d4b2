import { appendFile, rm } from "node:fs/promises";
import { resolve } from "node:path";
import type { Failure } from "./store-batch.js";

/** Returns the file with the rejected rows of an import, beside its source. */
export function rejectedPath(path: string): string {
  return `${resolve(path)}.rejected.jsonl`;
}

export async function clearRejected(path: string): Promise<void> {
  await rm(rejectedPath(path), { force: true });
}

/** Adds rows with their line and reason. The file is created with the first row. */
export async function appendRejected(path: string, failures: readonly Failure[]): Promise<void> {
  if (failures.length === 0) return;
  const lines = failures.map(({ item: { line, file }, code, message }) =>
    JSON.stringify({ ...(file !== undefined && { file }), line, code, message }),
  );
  await appendFile(rejectedPath(path), lines.map((line) => `${line}\n`).join(""));
}
