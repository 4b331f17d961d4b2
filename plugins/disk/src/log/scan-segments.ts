import { basename } from "node:path";
import { readHeader, readRecords, type SegmentHole } from "./inspect-segment.js";
import type { LogPart, OnRecord } from "./log.js";
import { type LogFile, type OpenLogFile, useLogFile } from "./log-file.js";
import type { MissingRange } from "./missing-range.js";
import { readBytes, scanBuffer } from "./scan.js";
import { Segment } from "./segment.js";
import type { SegmentFile } from "./segment-files.js";
import { SEGMENT_HEADER_BYTES } from "./segment-header.js";
import { readableFrames } from "./torn-tail.js";

export interface SegmentScanOptions {
  /** Records below this number are stored elsewhere. */
  readonly nextSeqMin: number;
  /** Expected parts of the log according to its keeper. Undefined without a keeper. */
  readonly kept: readonly LogPart[] | undefined;
  readonly openFile: OpenLogFile;
  readonly onRecord?: OnRecord | undefined;
  /** Receives each segment after it was read. */
  readonly onSegment?: ((found: FoundSegment) => void) | undefined;
}

/** Segment file of this log with its readable contents. */
export interface FoundSegment {
  readonly source: SegmentFile;
  readonly fileBytes: number;
  /** Undefined if the header is unreadable and cannot be restored. */
  readonly segment: Segment | undefined;
  readonly hasHeader: boolean;
  /** Whether a record after the header is readable. Not checked for a kept part. */
  readonly holdsRecords: boolean;
  readonly isNewest: boolean;
  holes: readonly SegmentHole[];
}

export interface SegmentScan {
  readonly found: readonly FoundSegment[];
  /** Files of another log. */
  readonly foreign: readonly SegmentFile[];
  readonly losses: readonly MissingRange[];
  /** Number of readable records. */
  readonly readableCount: number;
}

/** Reads all segments, passes on their records and reports missing ranges. Changes nothing. */
export async function scanSegments(
  files: readonly SegmentFile[],
  options: SegmentScanOptions,
): Promise<SegmentScan> {
  const all: FoundSegment[] = [];
  for (const source of files) all.push(await findSegment(source, source === files.at(-1), options));
  const reader = new Reader(
    all.filter((each) => !isForeign(each, options.kept)),
    options,
  );
  const found = await reader.readAll();
  const foreign = all.filter((each) => !found.includes(each)).map(({ source }) => source);
  const missing = options.kept === undefined ? [] : findMissing(found, options.kept, options.nextSeqMin);
  const losses = [...reader.losses, ...missing].sort((a, b) => a.seq - b.seq);
  return { found, foreign, losses, readableCount: reader.readableCount };
}

/** Returns whether a newest segment is too small for any record, because a crash interrupted its creation. */
export function isUnfinished({ isNewest, segment, fileBytes }: FoundSegment): boolean {
  return isNewest && segment === undefined && fileBytes <= SEGMENT_HEADER_BYTES;
}

function findSegment(
  source: SegmentFile,
  isNewest: boolean,
  { kept, openFile }: SegmentScanOptions,
): Promise<FoundSegment> {
  return useLogFile(openFile(source.path, "r"), async (file) => {
    const fileBytes = await file.size();
    const header = await readHeader(file, source);
    const part = kept?.find(({ name }) => name === basename(source.path));
    const salt = part?.id;
    const isRestorable = header === undefined && salt !== undefined && fileBytes > SEGMENT_HEADER_BYTES;
    const { firstSeq } = source;
    const restored = () => new Segment(source.path, { firstSeq, salt: salt!, continuesFrom: firstSeq });
    const segment = isRestorable ? restored() : header;
    const holdsRecords = part === undefined && header !== undefined && (await isAnyReadable(file, header));
    const facts = { source, fileBytes, segment, hasHeader: header !== undefined, holdsRecords, isNewest };
    return { ...facts, holes: [] };
  });
}

/**
 * Returns whether a file belongs to another log. This is the case for a file in the place of a kept part with
 * another id. A file with records after the last kept part or between two is also foreign, because parts
 * are kept before records are written. A file before the first kept part may hold stored records that
 * were about to be removed.
 */
function isForeign(
  { source, segment, holdsRecords }: FoundSegment,
  kept: SegmentScanOptions["kept"],
): boolean {
  const [first] = kept ?? [];
  if (first === undefined || segment === undefined) return false;
  const known = kept!.find(({ name }) => name === basename(source.path));
  if (known !== undefined) return known.id !== segment.salt;
  return basename(source.path) > first.name && holdsRecords;
}

/**
 * Returns whether any record is readable. A crash may leave bytes after a header before the part is kept, but
 * no record.
 */
async function isAnyReadable(file: LogFile, { salt, firstSeq }: Segment): Promise<boolean> {
  // Starts one byte earlier, because the search expects something before the first frame.
  const offset = SEGMENT_HEADER_BYTES - 1;
  const bytes = await readBytes(file, offset, await file.size());
  const [found] = readableFrames({ bytes, offset, seq: firstSeq - 1, salt });
  return found !== undefined;
}

function findMissing(
  found: readonly FoundSegment[],
  kept: readonly LogPart[],
  nextSeqMin: number,
): MissingRange[] {
  const last = kept.at(-1);
  const newest = found.findLast(({ segment }) => segment !== undefined)?.segment;
  if (last === undefined) return [];
  if (newest !== undefined && newest.part.name >= last.name) {
    if (newest.nextSeq >= nextSeqMin) return [];
    const reason = `it ends before record ${nextSeqMin}, although later records were written`;
    return [missingRange("damaged", newest.path, { offset: newest.sizeBytes, seq: nextSeqMin, reason })];
  }
  const complete = found.filter((each) => !isUnfinished(each));
  const missingParts = kept.filter(
    ({ name }) => !complete.some(({ source }) => basename(source.path) === name),
  );
  const names = missingParts.map(({ name }) => name).join(", ");
  const seq = newest?.nextSeq ?? Math.min(nextSeqMin, firstSeqOf(last));
  return [missingRange("missing", last.name, { seq, reason: `the log has lost the segments ${names}` })];
}

function firstSeqOf({ name }: LogPart): number {
  return Number.parseInt(name, 10);
}

/** Reads all segments, and compares the start of each with the end of the previous one. */
class Reader {
  readonly losses: MissingRange[] = [];
  readableCount = 0;
  readonly #found: readonly FoundSegment[];
  readonly #options: SegmentScanOptions;
  readonly #buffer = scanBuffer();
  /** Record that the next segment must continue from. Undefined if unknown. */
  #expected: number | undefined;

  constructor(found: readonly FoundSegment[], options: SegmentScanOptions) {
    this.#found = found;
    this.#options = options;
    // Trimmed records at the front are stored, but only a keeper can confirm that they existed.
    if (options.kept !== undefined && options.kept.length > 0) this.#expected = options.nextSeqMin;
  }

  /** @returns the segments that follow one another. */
  async readAll(): Promise<FoundSegment[]> {
    const own: FoundSegment[] = [];
    for (const [index, found] of this.#found.entries()) {
      const next = this.#found[index + 1];
      const isFirst = index === 0;
      // A segment that starts before the end of the previous one belongs to another log.
      if (!isFirst && found.hasHeader && found.segment!.continuesFrom < (this.#expected ?? 0)) continue;
      own.push(found);
      if (found.segment === undefined) this.#skip(found, next);
      else await this.#read(found, found.segment, next);
      this.#options.onSegment?.(found);
    }
    return own;
  }

  #skip(found: FoundSegment, next: FoundSegment | undefined): void {
    if (isUnfinished(found)) return;
    const { source } = found;
    const seq = this.#expected ?? source.firstSeq;
    const nextSeq = next?.segment?.continuesFrom ?? next?.source.firstSeq;
    const reason = "the header is damaged or belongs to another segment";
    this.losses.push(missingRange("damaged", source.path, { seq, nextSeq, reason }));
    this.#expected = nextSeq;
  }

  async #read(found: FoundSegment, segment: Segment, next: FoundSegment | undefined): Promise<void> {
    const { openFile, onRecord, nextSeqMin } = this.#options;
    if (found.hasHeader) this.#compare(segment, found === this.#found[0]);
    const isStored = next !== undefined && next.source.firstSeq <= nextSeqMin;
    const { holes, count } = await useLogFile(openFile(segment.path, "r"), (file) =>
      readRecords({ file, buffer: this.#buffer }, segment, {
        // A header is durable before a record is written, so only damage leaves a file without one.
        mayBeTorn: next === undefined && found.hasHeader,
        isStored,
        onRecord,
      }),
    );
    this.readableCount += count;
    const end = next?.segment?.continuesFrom ?? next?.source.firstSeq;
    found.holes = holes.map((hole) => ({ ...hole, nextSeq: hole.nextSeq ?? end }));
    for (const { begin: offset, seq, nextSeq } of found.holes) {
      const reason = "the record is damaged, although it was acknowledged";
      this.losses.push(missingRange("damaged", segment.path, { offset, seq, nextSeq, reason }));
    }
    this.#expected = holes.some(({ nextSeq }) => nextSeq === undefined) ? end : segment.nextSeq;
  }

  #compare({ path, continuesFrom }: Segment, isFirst: boolean): void {
    const seq = this.#expected;
    if (seq === undefined || continuesFrom <= seq) return;
    const before = isFirst
      ? `but storage has only records below ${seq}`
      : `but the previous segment ends at ${seq}`;
    const between = (this.#options.kept ?? []).filter((part) => isBetween(part, seq, continuesFrom));
    const names = between.length === 0 ? "" : `. Missing: ${between.map(({ name }) => name).join(", ")}`;
    const reason = `the segment continues from record ${continuesFrom}, ${before}${names}`;
    this.losses.push(missingRange("missing", path, { seq, nextSeq: continuesFrom, reason }));
  }
}

function isBetween(part: LogPart, seq: number, continuesFrom: number): boolean {
  const firstSeq = firstSeqOf(part);
  return firstSeq >= seq && firstSeq < continuesFrom;
}

type RangeLocation = Pick<MissingRange, "seq" | "reason"> & { offset?: number; nextSeq?: number | undefined };

function missingRange(
  kind: MissingRange["kind"],
  file: string,
  { offset = 0, nextSeq, ...rest }: RangeLocation,
): MissingRange {
  return { kind, file, offset, nextSeq, ...rest };
}
