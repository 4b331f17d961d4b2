import {
  booleanOption,
  choiceOption,
  integerOption,
  type ResolvedOptions,
  resolveOptions,
} from "@membus/protocol";
import type { Durability } from "./log.js";

const MIB = 1024 * 1024;

export interface FileLogOptions {
  /**
   * Durability of an acknowledged append. After power loss a "process" log may lack its latest records, or
   * have a gap that only `repair` accepts.
   * @default "disk"
   */
  readonly durability?: Durability | undefined;
  /**
   * Size from which a new segment file is started, in bytes, 4 KiB..1 GiB. Only whole segments are trimmed.
   * @default 16777216
   */
  readonly segmentBytes?: number | undefined;
  /**
   * Maximum payload of one record, in bytes, 1..256 MiB.
   * @default 67108864
   */
  readonly recordBytesMax?: number | undefined;
  /**
   * Maximum payload bytes of queued records, 1..1 GiB. Further appends are refused. One record may exceed the
   * limit.
   * @default 67108864
   */
  readonly queueBytesMax?: number | undefined;
  /**
   * Maximum number of queued records, 1..1000000. Further appends are refused.
   * @default 65536
   */
  readonly queueCountMax?: number | undefined;
  /**
   * Lowest sequence number to assign: one above the highest number that is stored elsewhere. Numbers
   * are then never assigned twice, even if the end of the log is lost.
   * @default 1
   */
  readonly nextSeqMin?: number | undefined;
  /**
   * Opens a corrupt log. Keeps every readable record, including records after the damage, and a copy of each
   * damaged file, named `*.corrupt-<n>`. The copies contain memories that only a forget with `purge` erases.
   * Delete them when they are no longer needed.
   * @default false
   */
  readonly repair?: boolean | undefined;
}

export type ResolvedFileLogOptions = ResolvedOptions<FileLogOptions>;

export const FILE_LOG_DEFAULTS: ResolvedFileLogOptions = Object.freeze({
  durability: "disk",
  segmentBytes: 16 * MIB,
  recordBytesMax: 64 * MIB,
  queueBytesMax: 64 * MIB,
  queueCountMax: 65_536,
  nextSeqMin: 1,
  repair: false,
});

/** @throws {TypeError} For an unknown option or a value out of range. */
export function resolveFileLogOptions(input: FileLogOptions): ResolvedFileLogOptions {
  return resolveOptions<ResolvedFileLogOptions>(input, FILE_LOG_DEFAULTS, {
    durability: choiceOption("disk", "process"),
    segmentBytes: integerOption(4096, 1024 * MIB),
    recordBytesMax: integerOption(1, 256 * MIB),
    queueBytesMax: integerOption(1, 1024 * MIB),
    queueCountMax: integerOption(1, 1_000_000),
    nextSeqMin: integerOption(1, Number.MAX_SAFE_INTEGER),
    repair: booleanOption,
  });
}
