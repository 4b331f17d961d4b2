import { MemoryError } from "@membus/protocol";
import { FRAME_HEADER_BYTES } from "./frame.js";
import type { OnRecord } from "./log.js";
import { type LogFile, type OpenLogFile, useLogFile } from "./log-file.js";
import { readBytes, type ScannedFile, scanFrames, skimFrames } from "./scan.js";
import { Segment } from "./segment.js";
import type { SegmentFile } from "./segment-files.js";
import { decodeSegmentHeader, SEGMENT_FORMAT, SEGMENT_HEADER_BYTES } from "./segment-header.js";
import { isTornTail } from "./torn-tail.js";

export interface SegmentInspection {
  /** The readable records from the start; undefined when not even the header is readable. */
  readonly segment: Segment | undefined;
  readonly fileBytes: number;
  /** Why what is not readable must have been acknowledged; undefined when all is readable or was never acknowledged. */
  readonly damage: string | undefined;
}

export interface InspectionOptions {
  /** Only this one can have an unacknowledged end: older ones were synced before it. */
  readonly isNewest: boolean;
  /** Whether everything in it is stored elsewhere: its records are then only skimmed, unless they look damaged. */
  readonly isStored: boolean;
}

export interface InspectionDependencies {
  readonly openFile: OpenLogFile;
  /** A `scanBuffer`. */
  readonly buffer: Buffer;
  readonly onRecord?: OnRecord;
}

/** Reads a segment file, passing its records on. */
export function inspectSegment(
  source: SegmentFile,
  { isNewest, isStored }: InspectionOptions,
  { openFile, buffer, onRecord }: InspectionDependencies,
): Promise<SegmentInspection> {
  return useLogFile(openFile(source.path, "r"), async (file) => {
    const scanned = { file, buffer };
    const fileBytes = await file.size();
    const segment = await readHeader(file, source);
    if (segment === undefined) {
      const isUnfinished = isNewest && fileBytes <= SEGMENT_HEADER_BYTES;
      return {
        segment,
        fileBytes,
        damage: isUnfinished ? undefined : "the header is damaged, or of another segment",
      };
    }
    if (isStored) {
      const skimmed = await skim(scanned, { source, fileBytes, onRecord });
      if (skimmed !== undefined) return { segment: skimmed, fileBytes, damage: undefined };
    }
    await scanFrames(scanned, segment, fileBytes, ({ seq, payload }) => {
      segment.addRecord(FRAME_HEADER_BYTES + payload.length);
      onRecord?.(seq, payload);
    });
    const isSound = segment.sizeBytes === fileBytes || (isNewest && (await isTorn(file, segment, fileBytes)));
    return {
      segment,
      fileBytes,
      damage: isSound ? undefined : "the record is damaged, and it was acknowledged",
    };
  });
}

/** @returns the segment without its records; undefined when its header is damaged or not of this file's name. */
async function readHeader(file: LogFile, source: SegmentFile): Promise<Segment | undefined> {
  const header = decodeSegmentHeader(await readBytes(file, 0, SEGMENT_HEADER_BYTES));
  if (header !== undefined && header.format !== SEGMENT_FORMAT) {
    const message = `${source.path} has log format ${header.format}; this version reads ${SEGMENT_FORMAT}`;
    throw new MemoryError("unsupported", message, { file: source.path, format: header.format });
  }
  return header?.firstSeq === source.firstSeq ? new Segment(source.path, header) : undefined;
}

/** @returns the segment; undefined when its records are not what they should be, as far as skimming tells. */
async function skim(
  scanned: ScannedFile,
  { source, fileBytes, onRecord }: { source: SegmentFile; fileBytes: number; onRecord: OnRecord | undefined },
): Promise<Segment | undefined> {
  const segment = (await readHeader(scanned.file, source))!;
  try {
    await skimFrames(scanned, segment, fileBytes, (seq, beginning, { frameBytes, isChecked }) => {
      segment.addRecord(frameBytes);
      segment.isSkimmed ||= !isChecked;
      onRecord?.(seq, beginning);
    });
  } catch {
    return undefined;
  }
  return segment.sizeBytes === fileBytes ? segment : undefined;
}

async function isTorn(file: LogFile, segment: Segment, fileBytes: number): Promise<boolean> {
  const offset = segment.sizeBytes;
  const bytes = await readBytes(file, offset, fileBytes);
  return isTornTail({ bytes, offset, seq: segment.nextSeq, salt: segment.salt });
}
