import { type OptionsOf, option, optionSet, type ResolvedOptionsOf } from "@membus/protocol";

const MIB = 1024 * 1024;

export const FileLogOptionsSchema = optionSet({
  /**
   * Durability of an acknowledged append. After power loss a "process" log may lack its latest records, or
   * have a gap that only `repair` accepts.
   */
  durability: option.choice("disk", "process").default("disk"),
  /** Size from which a new segment file is started, in bytes. Only whole segments are trimmed. */
  segmentBytes: option.integer(4096, 1024 * MIB).default(16 * MIB),
  /** Maximum payload of one record, in bytes. */
  recordBytesMax: option.integer(1, 256 * MIB).default(64 * MIB),
  /** Maximum payload bytes of queued records. Further appends are refused. One record may exceed the limit. */
  queueBytesMax: option.integer(1, 1024 * MIB).default(64 * MIB),
  /** Maximum number of queued records. Further appends are refused. */
  queueCountMax: option.integer(1, 1_000_000).default(65_536),
  /**
   * Lowest sequence number to assign: one above the highest number that is stored elsewhere. Numbers
   * are then never assigned twice, even if the end of the log is lost.
   */
  nextSeqMin: option.integer(1, Number.MAX_SAFE_INTEGER).default(1),
  /**
   * Opens a corrupt log. Keeps every readable record, including records after the damage, and a copy of each
   * damaged file, named `*.corrupt-<n>`. The copies contain memories that only a forget with `purge` erases.
   * Delete them when they are no longer needed.
   */
  repair: option.boolean().default(false),
});

export interface FileLogOptions extends OptionsOf<typeof FileLogOptionsSchema> {}
export interface ResolvedFileLogOptions extends ResolvedOptionsOf<typeof FileLogOptionsSchema> {}
