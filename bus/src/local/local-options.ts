import { LIMITS, type OptionsOf, option, optionSet, type ResolvedOptionsOf } from "@membus/protocol";
import { InboxPrefixSchema } from "../subject.js";

const MIB = 1024 * 1024;

export const LocalBusOptionsSchema = optionSet({
  /** Maximum size of a message with its headers, in bytes. */
  maxPayloadBytes: option.integer(1, LIMITS.messageBytes).default(MIB),
  /** Subject prefix of replies to requests. */
  inboxPrefix: InboxPrefixSchema.default("_INBOX"),
  /** Maximum queued messages of one subscription. Further messages are dropped, logged and counted. */
  pendingMessages: option.integer(1, 1_000_000).default(65_536),
  /** Maximum bytes of queued messages of one subscription, like `pendingMessages`. */
  pendingBytes: option.integer(1, 1024 * MIB).default(64 * MIB),
  /** Time that `close` waits for running callbacks, in milliseconds. */
  closeTimeoutMs: option.integer(1, 600_000).default(10_000),
});

export interface LocalBusOptions extends OptionsOf<typeof LocalBusOptionsSchema> {}
export interface ResolvedLocalBusOptions extends ResolvedOptionsOf<typeof LocalBusOptionsSchema> {}
