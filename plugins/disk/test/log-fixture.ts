import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isMemoryError, systemClock } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import { expect, onTestFinished } from "vitest";
import { type FileLog, type FileLogDependencies, openFileLog } from "../src/log/file-log.js";
import type { FileLogOptions } from "../src/log/file-log-options.js";
import type { Log } from "../src/log/log.js";

/** Creates an empty directory that is removed after the test. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "membus-log-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
}

export interface Warning {
  readonly fields: Record<string, unknown>;
  readonly message: string;
}

/** Returns a logger that keeps warnings and errors. */
export function recordingLogger(): Logger & { readonly warnings: Warning[] } {
  const warnings: Warning[] = [];
  const keep = (fields: object, message: string): void => {
    warnings.push({ fields: fields as Record<string, unknown>, message });
  };
  const drop = (): void => undefined;
  return { warnings, debug: drop, info: drop, warn: keep, error: keep };
}

export interface OpenOptions
  extends FileLogOptions,
    Pick<FileLogDependencies, "openFile" | "onRecord" | "keeper" | "acceptLoss"> {
  readonly logger?: Logger;
}

/** Opens a log that is closed at the end of the test. */
export async function openLog(directory: string, options: OpenOptions = {}): Promise<FileLog> {
  const { logger = recordingLogger(), openFile, onRecord, keeper, acceptLoss, ...rest } = options;
  const ports = {
    ...{ keeper, acceptLoss },
    ...(openFile === undefined ? {} : { openFile }),
    ...(onRecord === undefined ? {} : { onRecord }),
  };
  const log = await openFileLog(directory, rest, { clock: systemClock, logger, ...ports });
  onTestFinished(() => log.close().catch(() => undefined));
  return log;
}

export function append(log: Log, text: string): Promise<number> {
  return log.append(() => Buffer.from(text));
}

/** Trims the log. Repeats it while a server with a copy of a segment is late. */
export async function trim(log: Log, before: number): Promise<void> {
  await expect.poll(() => log.trim(before)).toBe(true);
}

/** Appends each text in its own group. */
export async function appendEach(log: Log, texts: readonly string[]): Promise<void> {
  for (const text of texts) await append(log, text);
}

/** Returns all records as `seq:text`. Numbers may be missing between segments. */
export async function contents(log: Log): Promise<string[]> {
  const records: string[] = [];
  for (let seq = log.stats.firstSeq; seq < log.nextSeq; seq++) {
    const payload = await log.read(seq).catch((error: unknown) => {
      if (!isMemoryError(error) || error.code !== "memory_not_found") throw error;
    });
    if (payload !== undefined) records.push(`${seq}:${Buffer.from(payload).toString()}`);
  }
  return records;
}

/** Returns the records that opening a directory passes on, and closes the log again. */
export async function reopened(directory: string, options: OpenOptions = {}): Promise<string[]> {
  const records: string[] = [];
  const onRecord = (seq: number, payload: Uint8Array): void => {
    records.push(`${seq}:${Buffer.from(payload).toString()}`);
  };
  const log = await openLog(directory, { ...options, onRecord });
  await log.close();
  return records;
}

export async function segmentNames(directory: string): Promise<string[]> {
  return (await readdir(directory)).filter((name) => name.endsWith(".log")).sort();
}
