import { renameSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { MemoryError, parseOptions } from "@membus/protocol";
import pLimit from "p-limit";
import { createDirectory, isMissingFile, linkFile, syncDirectory } from "../directory/index.js";
import { compactSegment, draftPathOf, isWorthCompacting } from "./compact-segment.js";
import { type FileLogOptions, FileLogOptionsSchema } from "./file-log-options.js";
import { readFrame } from "./frame.js";
import type { Log, LogPart, LogRecovery, LogServices, LogStats, OpenLog, ShrinkRecord } from "./log.js";
import { asLogErrors, corruptLog } from "./log-error.js";
import { type LogFile, type OpenLogFile, openLogFile, useLogFile } from "./log-file.js";
import { LogWriter } from "./log-writer.js";
import { recoverLog } from "./recovery.js";
import { readBytes, scanBuffer, scanFrames } from "./scan.js";
import type { Segment } from "./segment.js";
import { encodeSegmentHeader, SEGMENT_FORMAT, SEGMENT_HEADER_BYTES } from "./segment-header.js";
import { hasSetAside, removeSetAside } from "./set-aside-files.js";

export interface FileLogDependencies extends LogServices, Partial<Omit<LogRecovery, "nextSeqMin">> {
  /**
   * Function that opens segment files.
   * @default openLogFile
   */
  readonly openFile?: OpenLogFile;
}

/**
 * Opens the log in `directory` and removes an unfinished write at its end. Creates the directory and the log
 * if they are missing. The caller ensures that only one process uses the directory.
 * @throws {MemoryError} `runtime_error` with `file`, `offset` and `losses`, if acknowledged records from
 * `nextSeqMin` on are damaged (`reason: "log_corrupt"`, see `repair`) or missing (`"log_incomplete"`, see
 * `acceptLoss`). `unsupported` for a later format. `unavailable` if the files cannot be read or written.
 * @throws {TypeError} For an invalid option.
 */
export async function openFileLog(
  directory: string,
  options: FileLogOptions,
  dependencies: FileLogDependencies,
): Promise<FileLog> {
  const resolved = parseOptions(FileLogOptionsSchema, options);
  const ports = { openFile: openLogFile, ...dependencies };
  return asLogErrors("failed to open the log", async () => {
    await createDirectory(directory);
    const { acceptLoss = false, keeper } = ports;
    const recovery = { ...resolved, acceptLoss };
    const { segments, cutBytes } = await recoverLog(directory, recovery, { ...ports, kept: keeper?.kept });
    await keeper?.keep(segments.map(({ part }) => part));
    const file = await ports.openFile(segments.at(-1)!.path, "r+");
    const writer = new LogWriter(directory, segments, file, resolved, ports);
    return new FileLog(directory, segments, writer, cutBytes, ports.openFile);
  });
}

/**
 * Returns a function that opens a file log in the subfolder `log` of a tier's directory.
 * @throws {TypeError} For an unknown option or a value out of range.
 */
export function fileLog(options: Omit<FileLogOptions, "nextSeqMin"> = {}): OpenLog {
  parseOptions(FileLogOptionsSchema, options);
  return (directory, { nextSeqMin, ...recovery }, services) =>
    openFileLog(join(directory, "log"), { ...options, nextSeqMin }, { ...services, ...recovery });
}

/** Log of segment files. */
export class FileLog implements Log {
  readonly #directory: string;
  /** Segments in order. The last one is appended to. */
  readonly #segments: Segment[];
  readonly #writer: LogWriter;
  readonly #cutBytes: number;
  readonly #openFile: OpenLogFile;
  readonly #trims = pLimit(1);

  /** Use `openFileLog`. */
  constructor(
    directory: string,
    segments: Segment[],
    writer: LogWriter,
    cutBytes: number,
    openFile: OpenLogFile,
  ) {
    this.#directory = directory;
    this.#segments = segments;
    this.#writer = writer;
    this.#cutBytes = cutBytes;
    this.#openFile = openFile;
  }

  get nextSeq(): number {
    return this.#writer.nextSeq;
  }

  get stats(): LogStats {
    const segments = this.#segments;
    return {
      ...this.#writer.stats,
      firstSeq: (segments.find((segment) => !segment.isEmpty) ?? segments.at(-1)!).firstSeq,
      nextSeq: this.nextSeq,
      sizeBytes: segments.reduce((sum, segment) => sum + segment.sizeBytes, 0),
      segmentCount: segments.length,
      cutBytes: this.#cutBytes,
    };
  }

  append(encode: (seq: number) => Uint8Array): Promise<number> {
    return this.#writer.append(encode);
  }

  onRollback(listener: (firstLostSeq: number) => void): () => void {
    return this.#writer.onRollback(listener);
  }

  async read(seq: number): Promise<Uint8Array> {
    this.#writer.checkNotClosed();
    for (let segment = this.#segmentOf(seq); segment !== undefined; segment = this.#segmentOf(seq)) {
      const read = segment;
      const payload = await this.#withFile(read, (file) => readRecord(file, read, seq));
      if (payload !== undefined) return payload;
      if (this.#segments.includes(read)) throw damagedRecord(read, seq);
    }
    throw new MemoryError(
      "memory_not_found",
      `the log has no record ${seq}. It was trimmed or never acknowledged`,
      { seq },
    );
  }

  async trim(before: number): Promise<boolean> {
    this.#writer.checkNotClosed();
    await this.#trims(() => asLogErrors("failed to trim the log", () => this.#removeBelow(before)));
    return true;
  }

  async compact(before: number, shrink: ShrinkRecord): Promise<void> {
    this.#writer.checkNotClosed();
    await this.#trims(() =>
      asLogErrors("failed to compact the log", () => this.#compactBelow(before, shrink)),
    );
  }

  async removeSetAside(): Promise<void> {
    await asLogErrors("failed to remove the copies of damaged log files", () =>
      removeSetAside(this.#directory),
    );
  }

  hasSetAside(): Promise<boolean> {
    return asLogErrors("failed to read the log", () => hasSetAside(this.#directory));
  }

  async rotate(): Promise<number> {
    const segments = await this.#writer.rotate();
    return segments.at(-1)!.firstSeq;
  }

  segmentFrom(seq: number): number | undefined {
    return this.#segments.find(({ firstSeq }) => firstSeq >= seq)?.firstSeq;
  }

  snapshot(directory: string): Promise<readonly LogPart[]> {
    return this.#trims(async () => {
      const segments = await this.#writer.rotate();
      return asLogErrors("failed to copy the log", async () => {
        await createDirectory(directory);
        for (const { path } of segments.slice(0, -1)) await linkFile(path, join(directory, basename(path)));
        await copyHeader(segments.at(-1)!, directory);
        return segments.map(({ part }) => part);
      });
    });
  }

  probe(): Promise<void> {
    return this.#writer.probe();
  }

  async check(): Promise<void> {
    await this.#trims(async () => {
      const segment = this.#segments.find(({ isSkimmed }) => isSkimmed);
      if (segment !== undefined) await this.#withFile(segment, (file) => checkRecords(file, segment));
    });
  }

  sync(): Promise<void> {
    return this.#writer.sync();
  }

  async close(): Promise<void> {
    const closing = this.#writer.close();
    await this.#trims(() => asLogErrors("failed to close the log", () => closing));
  }

  async #removeBelow(before: number): Promise<void> {
    let isTrimmed = false;
    while (this.#segments.length > 1 && this.#segments[0]!.nextSeq <= before) {
      const oldest = this.#segments.shift()!;
      try {
        await rm(draftPathOf(oldest), { force: true });
        await rm(oldest.path);
      } catch (error) {
        this.#segments.unshift(oldest);
        throw error;
      }
      isTrimmed = true;
    }
    if (isTrimmed) await syncDirectory(this.#directory);
  }

  async #compactBelow(before: number, shrink: ShrinkRecord): Promise<void> {
    const stored = this.#segments.slice(0, -1).filter(({ nextSeq }) => nextSeq <= before);
    for (const segment of stored.filter(isWorthCompacting)) {
      const compact = await compactSegment(segment, shrink, this.#openFile);
      if (compact === undefined) {
        segment.isCompact = true;
        continue;
      }
      // Both happen in one synchronous step, so that a reader of the old file can detect by its segment that
      // it was replaced.
      renameSync(draftPathOf(segment), segment.path);
      this.#segments[this.#segments.indexOf(segment)] = compact;
      await syncDirectory(this.#directory);
    }
  }

  #segmentOf(seq: number): Segment | undefined {
    return this.#segments.find((candidate) => candidate.locate(seq) !== undefined);
  }

  /** @returns the result of `use`, or undefined if the segment was trimmed concurrently. */
  #withFile<T>(segment: Segment, use: (file: LogFile) => Promise<T>): Promise<T | undefined> {
    return asLogErrors("failed to read the log", async () => {
      const file = await this.#openKept(segment);
      return file === undefined ? undefined : useLogFile(file, use);
    });
  }

  async #openKept(segment: Segment): Promise<LogFile | undefined> {
    try {
      return await this.#openFile(segment.path, "r");
    } catch (error) {
      if (isMissingFile(error) && !this.#segments.includes(segment)) return undefined;
      throw error;
    }
  }
}

/** Copies the header of the newest segment, which was empty when the snapshot started and may grow since. */
async function copyHeader(
  { path, firstSeq, continuesFrom, salt }: Segment,
  directory: string,
): Promise<void> {
  const header = encodeSegmentHeader({ format: SEGMENT_FORMAT, firstSeq, continuesFrom, salt });
  await writeFile(join(directory, basename(path)), header, { mode: 0o600 });
}

/** Returns undefined if the record is not at the expected position. */
async function readRecord(file: LogFile, segment: Segment, seq: number): Promise<Uint8Array | undefined> {
  const { begin, end } = segment.locate(seq)!;
  const frame = readFrame(await readBytes(file, begin, end), 0, segment.salt);
  return frame?.seq === seq ? frame.payload : undefined;
}

async function checkRecords(file: LogFile, segment: Segment): Promise<void> {
  const { sizeBytes, salt, firstSeq } = segment;
  const begin = { offset: SEGMENT_HEADER_BYTES, seq: firstSeq };
  let seq = firstSeq;
  const end = await scanFrames({ file, buffer: scanBuffer() }, { salt, begin }, sizeBytes, () => seq++);
  segment.isSkimmed = false;
  if (end < sizeBytes) throw damagedRecord(segment, seq);
}

function damagedRecord(segment: Segment, seq: number): MemoryError {
  const offset = segment.locate(seq)!.begin;
  return corruptLog({
    file: segment.path,
    offset,
    seq,
    reason: "the record is damaged and unreadable",
  });
}
