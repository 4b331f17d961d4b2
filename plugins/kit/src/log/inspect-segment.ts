import { MemoryError } from "@membus/protocol";
import { FRAME_HEADER_BYTES } from "./frame.js";
import type { OnRecord } from "./log.js";
import { type LogFile, type OpenLogFile, useLogFile } from "./log-file.js";
import { readBytes, scanFrames } from "./scan.js";
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

/**
 * Reads a whole segment file, passing its records on. Only the newest can have an unacknowledged end: older ones were
 * synced before it.
 */
export function inspectSegment(
  source: SegmentFile,
  isNewest: boolean,
  { openFile, onRecord }: { readonly openFile: OpenLogFile; readonly onRecord?: OnRecord },
): Promise<SegmentInspection> {
  return useLogFile(openFile(source.path, "r"), async (file) => {
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
    await scanFrames(file, segment, fileBytes, ({ seq, payload }) => {
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

async function isTorn(file: LogFile, segment: Segment, fileBytes: number): Promise<boolean> {
  const offset = segment.sizeBytes;
  const bytes = await readBytes(file, offset, fileBytes);
  return isTornTail({ bytes, offset, seq: segment.nextSeq, salt: segment.salt });
}
