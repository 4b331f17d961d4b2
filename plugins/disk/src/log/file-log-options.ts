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
   * What an acknowledged append survives. After power loss a "process" log may lack its latest records, or have a
   * hole that only `repair` opens.
   * @default "disk"
   */
  readonly durability?: Durability | undefined;
  /**
   * Size from which a segment file is followed by a new one, in bytes, 4 KiB..1 GiB. Whole segments are trimmed.
   * @default 16777216
   */
  readonly segmentBytes?: number | undefined;
  /**
   * Largest payload of one record, in bytes, 1..256 MiB.
   * @default 67108864
   */
  readonly recordBytesMax?: number | undefined;
  /**
   * Payload bytes waiting to become durable from which appends are refused, 1..1 GiB. One record may pass it.
   * @default 67108864
   */
  readonly queueBytesMax?: number | undefined;
  /**
   * Number of records waiting to become durable from which appends are refused, 1..1000000.
   * @default 65536
   */
  readonly queueCountMax?: number | undefined;
  /**
   * Lowest sequence number to give out: one above the highest whose effect is stored elsewhere. Numbers are then not
   * given out twice, even if the end of the log is gone.
   * @default 1
   */
  readonly nextSeqMin?: number | undefined;
  /**
   * Opens a corrupt log: keeps every record that can be read, also behind the damage, and a copy of each damaged file
   * as it was, named `*.corrupt-<n>`. These hold memories that only a forget with `purge` reaches: delete them when done
   * with them.
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

/** @throws {TypeError} for an unknown option or a value out of range. */
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
