import { integerOption, LIMITS, resolveOptions } from "@membus/protocol";
import { INBOX_PREFIX_DEFAULT, inboxPrefixOption } from "../subject.js";

export interface LocalBusOptions {
  /**
   * Maximum size of a message with its headers. Bytes, 1..67108864.
   * @default 1048576
   */
  readonly maxPayloadBytes?: number;
  /**
   * Subject prefix of replies to requests.
   * @default "_INBOX"
   */
  readonly inboxPrefix?: string;
  /**
   * Maximum number of queued messages of one subscription. Further messages are dropped, logged and counted.
   * 1..1000000.
   * @default 65536
   */
  readonly pendingMessages?: number;
  /**
   * Maximum bytes of queued messages of one subscription, like `pendingMessages`. 1..1073741824.
   * @default 67108864
   */
  readonly pendingBytes?: number;
  /**
   * Time that `close` waits for running callbacks. Milliseconds, 1..600000.
   * @default 10000
   */
  readonly closeTimeoutMs?: number;
}

export type ResolvedLocalBusOptions = Readonly<Required<LocalBusOptions>>;

export const LOCAL_BUS_DEFAULTS: ResolvedLocalBusOptions = Object.freeze({
  maxPayloadBytes: 1024 * 1024,
  inboxPrefix: INBOX_PREFIX_DEFAULT,
  pendingMessages: 65_536,
  pendingBytes: 64 * 1024 * 1024,
  closeTimeoutMs: 10_000,
});

/**
 * Resolves the options of a local bus.
 *
 * @throws {TypeError} for an unknown option or a value out of range.
 */
export function resolveLocalBusOptions(input: LocalBusOptions): ResolvedLocalBusOptions {
  return resolveOptions(input, LOCAL_BUS_DEFAULTS, {
    maxPayloadBytes: integerOption(1, LIMITS.messageBytes),
    inboxPrefix: inboxPrefixOption,
    pendingMessages: integerOption(1, 1_000_000),
    pendingBytes: integerOption(1, 1024 * 1024 * 1024),
    closeTimeoutMs: integerOption(1, 600_000),
  });
}
