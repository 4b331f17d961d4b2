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

/** What is known of one segment file: only what is durable in it. */
export class Segment {
  readonly path: string;
  readonly firstSeq: number;
  readonly continuesFrom: number;
  readonly salt: number;
  /** Not all of its records were checked when it was opened. */
  isSkimmed = false;
  /** Its records are as small as they get. */
  isCompact = false;
  #sizeBytes = SEGMENT_HEADER_BYTES;
  /** Where each record begins; 0 for one that is gone. 32 bits suffice: options bound a segment to less than 4 GiB. */
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

  /** As `LogKeeper` knows it. */
  get part(): LogPart {
    return { name: basename(this.path), id: this.salt };
  }

  /** Forgets its records: they are read again. */
  reset(): void {
    this.isSkimmed = false;
    this.#count = 0;
    this.#sizeBytes = SEGMENT_HEADER_BYTES;
  }

  /** Takes note of a record that was found at the end. */
  addRecord(frameBytes: number): void {
    this.#addOffset(this.#sizeBytes);
    this.#sizeBytes += frameBytes;
  }

  /** Takes note of bytes at the end that cannot be read, and of the number of the record that follows them. */
  addHole({ end, nextSeq }: { readonly end: number; readonly nextSeq: number }): void {
    while (this.nextSeq < nextSeq) this.#addOffset(0);
    this.#sizeBytes = end;
  }

  /** Takes note of a group that was written at the end. */
  addGroup(group: RecordGroup): void {
    for (const offset of group.offsets) this.#addOffset(this.#sizeBytes + offset);
    this.#sizeBytes += group.sizeBytes;
  }

  /** Where the frame of a record begins, and ends at the latest; undefined when the record is not in this segment. */
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
 * Creates an empty segment that survives power loss with its name, before any record is in it: so a damaged header
 * in a file without room for a record means that it was being created.
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

/** Creates a segment to be opened later. */
export async function createClosedSegment(
  directory: string,
  position: SegmentPosition,
  openFile: OpenLogFile,
): Promise<Segment> {
  const { segment, file } = await createSegment(directory, position, openFile);
  await file.close();
  return segment;
}
