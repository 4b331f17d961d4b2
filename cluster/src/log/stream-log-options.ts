import { type OptionsOf, option, optionSet, type ResolvedOptionsOf } from "@membus/protocol";

const MIB = 1024 * 1024;

export const StreamLogOptionsSchema = optionSet({
  /** Beginning of the names of the log's streams. No other log has it. */
  name: option.token(),
  /** Servers that store each record. */
  replicas: option.integer(1, 5).default(3),
  /** Size from which a new segment is started, in bytes. Only whole segments are trimmed. */
  segmentBytes: option.integer(4096, 1024 * MIB).default(64 * MIB),
  /** Age from which a lazy rotation starts a new segment. A fifth of `eraseWithinS` suffices. */
  segmentS: option.integer(0, 86_400).default(60),
  /** Maximum number of segments. The second half of them is for rotations that an erasure forces. */
  segmentCountMax: option.integer(4, 128).default(16),
  /** Maximum payload of one record, in bytes. */
  recordBytesMax: option.integer(1, 256 * MIB).default(64 * MIB),
  /** Maximum payload bytes of queued records. Further appends are refused. One record may exceed the limit. */
  queueBytesMax: option.integer(1, 1024 * MIB).default(64 * MIB),
  /** Maximum number of queued records. Further appends are refused. */
  queueCountMax: option.integer(1, 1_000_000).default(65_536),
  /** Time limit of one request. A request without an answer is repeated. */
  requestTimeoutMs: option.integer(100, 60_000).default(2_000),
});

export interface StreamLogOptions extends OptionsOf<typeof StreamLogOptionsSchema> {}
export interface ResolvedStreamLogOptions extends ResolvedOptionsOf<typeof StreamLogOptionsSchema> {}
