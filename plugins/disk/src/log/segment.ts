import { randomBytes } from "node:crypto";
import { basename } from "node:path";
import { syncDirectory } from "../directory/index.js";
import type { RecordGroup } from "./frame.js";
import type { LogPart } from "./log.js";
import type { LogFile, OpenLogFile } from "./log-file.js";
import { segmentPath } from "./segment-files.js";
import {
  encodeSegmentHeader,
  SEGMENT_FORMAT,
  SEGMENT_HEADER_BYTES,
  type SegmentHeader,
} from "./segment-header.js";

export type SegmentPosition = Pick<SegmentHeader, "firstSeq" | "continuesFrom">;

/** Durable contents of one segment file. */
export class Segment {
  readonly path: string;
  readonly firstSeq: number;
  readonly continuesFrom: number;
  readonly salt: number;
  /** Whether some of its records were not checked when it was opened. */
  isSkimmed = false;
  /** Whether its records cannot be compacted further. */
  isCompact = false;
  #sizeBytes = SEGMENT_HEADER_BYTES;
  /**
   * Offset of each record, 0 for a lost one. 32 bits are enough, because the options limit a segment to less
   * than 4 GiB.
   */
  #offsets = new Uint32Array(64);
  #count = 0;

  constructor(path: string, header: Omit<SegmentHeader, "format">) {
    this.path = path;
    this.firstSeq = header.firstSeq;
    this.continuesFrom = header.continuesFrom;
    this.salt = header.salt;
  }

  get nextSeq(): number {
    return this.firstSeq + this.#count;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** Part for `LogKeeper`. */
  get part(): LogPart {
    return { name: basename(this.path), id: this.salt };
  }

  /** Clears its records, so that they can be read again. */
  reset(): void {
    this.isSkimmed = false;
    this.#count = 0;
    this.#sizeBytes = SEGMENT_HEADER_BYTES;
  }

  /** Adds a record that was read at the end. */
  addRecord(frameBytes: number): void {
    this.#addOffset(this.#sizeBytes);
    this.#sizeBytes += frameBytes;
  }

  /** Adds unreadable bytes at the end. `nextSeq` is the number of the record after them. */
  addHole({ end, nextSeq }: { readonly end: number; readonly nextSeq: number }): void {
    while (this.nextSeq < nextSeq) this.#addOffset(0);
    this.#sizeBytes = end;
  }

  /** Adds a group that was written at the end. */
  addGroup(group: RecordGroup): void {
    for (const offset of group.offsets) this.#addOffset(this.#sizeBytes + offset);
    this.#sizeBytes += group.sizeBytes;
  }

  /**
   * Returns the start of a record's frame and its latest possible end, or undefined if the record is not in
   * this segment.
   */
  locate(seq: number): { readonly begin: number; readonly end: number } | undefined {
    if (seq < this.firstSeq || seq >= this.nextSeq) return undefined;
    const index = seq - this.firstSeq;
    const begin = this.#offsets[index]!;
    if (begin === 0) return undefined;
    const isLast = index + 1 === this.#count || this.#offsets[index + 1] === 0;
    return { begin, end: isLast ? this.#sizeBytes : this.#offsets[index + 1]! };
  }

  #addOffset(offset: number): void {
    if (this.#count === this.#offsets.length) {
      const larger = new Uint32Array(2 * this.#count);
      larger.set(this.#offsets);
      this.#offsets = larger;
    }
    this.#offsets[this.#count++] = offset;
  }
}

/**
 * Creates an empty segment and makes it durable with its name before it holds any record. A damaged header in
 * a file without space for a record therefore means that a crash interrupted the creation.
 */
export async function createSegment(
  directory: string,
  position: SegmentPosition,
  openFile: OpenLogFile,
): Promise<{ readonly segment: Segment; readonly file: LogFile }> {
  const header = { format: SEGMENT_FORMAT, salt: randomBytes(4).readUInt32LE(), ...position };
  const path = segmentPath(directory, position.firstSeq);
  const file = await openFile(path, "w+");
  try {
    await file.write(encodeSegmentHeader(header), 0);
    await file.sync();
    await syncDirectory(directory);
  } catch (error) {
    await file.close();
    throw error;
  }
  return { segment: new Segment(path, header), file };
}

/** Creates a segment and closes its file. */
export async function createClosedSegment(
  directory: string,
  position: SegmentPosition,
  openFile: OpenLogFile,
): Promise<Segment> {
  const { segment, file } = await createSegment(directory, position, openFile);
  await file.close();
  return segment;
}
