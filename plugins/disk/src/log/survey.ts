import { basename } from "node:path";
import { readHeader, readRecords, type SegmentHole } from "./inspect-segment.js";
import type { LogPart, OnRecord } from "./log.js";
import { type LogFile, type OpenLogFile, useLogFile } from "./log-file.js";
import type { LogLoss } from "./loss.js";
import { readBytes, scanBuffer } from "./scan.js";
import { Segment } from "./segment.js";
import type { SegmentFile } from "./segment-files.js";
import { SEGMENT_HEADER_BYTES } from "./segment-header.js";
import { readableFrames } from "./torn-tail.js";

export interface SurveyOptions {
  /** Records below are stored elsewhere. */
  readonly nextSeqMin: number;
  /** What the log consists of, as its keeper knows it; undefined where nobody does. */
  readonly kept: readonly LogPart[] | undefined;
  readonly openFile: OpenLogFile;
  readonly onRecord?: OnRecord | undefined;
}

/** A segment file of this log, with what can be read of it. */
export interface FoundSegment {
  readonly source: SegmentFile;
  readonly fileBytes: number;
  /** Undefined when the header cannot be read, nor made again. */
  readonly segment: Segment | undefined;
  readonly hasHeader: boolean;
  /** Something behind the header can be read; not looked for in a part that is kept. */
  readonly holdsRecords: boolean;
  readonly isNewest: boolean;
  holes: readonly SegmentHole[];
}

export interface Survey {
  readonly found: readonly FoundSegment[];
  /** Files of another log. */
  readonly foreign: readonly SegmentFile[];
  readonly losses: readonly LogLoss[];
  /** Records that can be read. */
  readonly readableCount: number;
}

/** Reads all segments, passing their records on, and tells what is not there any more. Changes nothing. */
export async function survey(files: readonly SegmentFile[], options: SurveyOptions): Promise<Survey> {
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

/** Nothing was ever in a newest segment that has no room for it: a crash came while it was made. */
export function isUnborn({ isNewest, segment, fileBytes }: FoundSegment): boolean {
  return isNewest && segment === undefined && fileBytes <= SEGMENT_HEADER_BYTES;
}

function findSegment(
  source: SegmentFile,
  isNewest: boolean,
  { kept, openFile }: SurveyOptions,
): Promise<FoundSegment> {
  return useLogFile(openFile(source.path, "r"), async (file) => {
    const fileBytes = await file.size();
    const header = await readHeader(file, source);
    const part = kept?.find(({ name }) => name === basename(source.path));
    const salt = part?.id;
    const isMendable = header === undefined && salt !== undefined && fileBytes > SEGMENT_HEADER_BYTES;
    const { firstSeq } = source;
    const mended = () => new Segment(source.path, { firstSeq, salt: salt!, continuesFrom: firstSeq });
    const segment = isMendable ? mended() : header;
    const holdsRecords = part === undefined && header !== undefined && (await isAnyReadable(file, header));
    const facts = { source, fileBytes, segment, hasHeader: header !== undefined, holdsRecords, isNewest };
    return { ...facts, holes: [] };
  });
}

/**
 * Of another log is what stands in the place of a part that is kept, and what holds records behind the last or between
 * two: ours are kept before they do. In front there may be what is stored and was about to be removed.
 */
function isForeign({ source, segment, holdsRecords }: FoundSegment, kept: SurveyOptions["kept"]): boolean {
  const [first] = kept ?? [];
  if (first === undefined || segment === undefined) return false;
  const known = kept!.find(({ name }) => name === basename(source.path));
  if (known !== undefined) return known.id !== segment.salt;
  return basename(source.path) > first.name && holdsRecords;
}

/** A crash may leave bytes behind a header before the part is kept, but no record. */
async function isAnyReadable(file: LogFile, { salt, firstSeq }: Segment): Promise<boolean> {
  // From a byte earlier: the first frame, too, is looked for behind something.
  const offset = SEGMENT_HEADER_BYTES - 1;
  const bytes = await readBytes(file, offset, await file.size());
  const [found] = readableFrames({ bytes, offset, seq: firstSeq - 1, salt });
  return found !== undefined;
}

function findMissing(
  found: readonly FoundSegment[],
  kept: readonly LogPart[],
  nextSeqMin: number,
): LogLoss[] {
  const last = kept.at(-1);
  const newest = found.findLast(({ segment }) => segment !== undefined)?.segment;
  if (last === undefined) return [];
  if (newest !== undefined && newest.part.name >= last.name) {
    if (newest.nextSeq >= nextSeqMin) return [];
    const reason = `it ends before record ${nextSeqMin}, and it did not`;
    return [loss("damaged", newest.path, { offset: newest.sizeBytes, seq: nextSeqMin, reason })];
  }
  const gone = kept.filter(({ name }) => !found.some(({ source }) => basename(source.path) === name));
  const names = gone.map(({ name }) => name).join(", ");
  const seq = newest?.nextSeq ?? Math.min(nextSeqMin, firstSeqOf(last));
  return [loss("missing", last.name, { seq, reason: `the log has lost its segments ${names}` })];
}

function firstSeqOf({ name }: LogPart): number {
  return Number.parseInt(name, 10);
}

/** Reads segment after segment, and compares where each begins with where the one before ends. */
class Reader {
  readonly losses: LogLoss[] = [];
  readableCount = 0;
  readonly #found: readonly FoundSegment[];
  readonly #options: SurveyOptions;
  readonly #buffer = scanBuffer();
  /** The record that the next segment continues from; undefined where that is not known. */
  #expected: number | undefined;

  constructor(found: readonly FoundSegment[], options: SurveyOptions) {
    this.#found = found;
    this.#options = options;
    // What was trimmed in front is stored, but only a keeper tells that there was a front.
    if (options.kept !== undefined && options.kept.length > 0) this.#expected = options.nextSeqMin;
  }

  /** @returns the segments that follow one another. */
  async readAll(): Promise<FoundSegment[]> {
    const own: FoundSegment[] = [];
    for (const [index, found] of this.#found.entries()) {
      const next = this.#found[index + 1];
      const isFirst = index === 0;
      // One that claims to begin earlier than the one before ends is not from here.
      if (!isFirst && found.hasHeader && found.segment!.continuesFrom < (this.#expected ?? 0)) continue;
      own.push(found);
      if (found.segment === undefined) this.#skip(found, next);
      else await this.#read(found, found.segment, next);
    }
    return own;
  }

  #skip(found: FoundSegment, next: FoundSegment | undefined): void {
    if (isUnborn(found)) return;
    const { source } = found;
    const seq = this.#expected ?? source.firstSeq;
    const nextSeq = next?.segment?.continuesFrom ?? next?.source.firstSeq;
    const reason = "the header is damaged, or of another segment";
    this.losses.push(loss("damaged", source.path, { seq, nextSeq, reason }));
    this.#expected = nextSeq;
  }

  async #read(found: FoundSegment, segment: Segment, next: FoundSegment | undefined): Promise<void> {
    const { openFile, onRecord, nextSeqMin } = this.#options;
    if (found.hasHeader) this.#compare(segment, found === this.#found[0]);
    const isStored = next !== undefined && next.source.firstSeq <= nextSeqMin;
    const { holes, count } = await useLogFile(openFile(segment.path, "r"), (file) =>
      readRecords({ file, buffer: this.#buffer }, segment, {
        isNewest: next === undefined,
        isStored,
        onRecord,
      }),
    );
    this.readableCount += count;
    const end = next?.segment?.continuesFrom ?? next?.source.firstSeq;
    found.holes = holes.map((hole) => ({ ...hole, nextSeq: hole.nextSeq ?? end }));
    for (const { begin: offset, seq, nextSeq } of found.holes) {
      const reason = "the record is damaged, and it was acknowledged";
      this.losses.push(loss("damaged", segment.path, { offset, seq, nextSeq, reason }));
    }
    this.#expected = holes.some(({ nextSeq }) => nextSeq === undefined) ? end : segment.nextSeq;
  }

  #compare({ path, continuesFrom }: Segment, isFirst: boolean): void {
    const seq = this.#expected;
    if (seq === undefined || continuesFrom <= seq) return;
    const before = isFirst ? `storage has those below ${seq}` : `the one before ends at ${seq}`;
    const between = (this.#options.kept ?? []).filter((part) => isBetween(part, seq, continuesFrom));
    const names = between.length === 0 ? "" : `; missing: ${between.map(({ name }) => name).join(", ")}`;
    const reason = `the segment continues from record ${continuesFrom}, ${before}${names}`;
    this.losses.push(loss("missing", path, { seq, nextSeq: continuesFrom, reason }));
  }
}

function isBetween(part: LogPart, seq: number, continuesFrom: number): boolean {
  const firstSeq = firstSeqOf(part);
  return firstSeq >= seq && firstSeq < continuesFrom;
}

type Whereabouts = Pick<LogLoss, "seq" | "reason"> & { offset?: number; nextSeq?: number | undefined };

function loss(kind: LogLoss["kind"], file: string, { offset = 0, nextSeq, ...rest }: Whereabouts): LogLoss {
  return { kind, file, offset, nextSeq, ...rest };
}
