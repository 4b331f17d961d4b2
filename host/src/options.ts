import {
  booleanOption,
  DEFAULT_PREFIX,
  integerOption,
  isSubjectPrefix,
  isToken,
  type OptionRule,
  resolveOptions,
} from "@membus/protocol";
import type { AccessRule } from "./access-rules.js";
import { accessRulesOption } from "./access-rules-option.js";
import { inboxPrefixesOption } from "./inbox-prefixes-option.js";
import { type RateQuotas, ratesOption } from "./rates/index.js";

export interface HostOptions {
  /**
   * Leading tokens of every subject.
   * @default "a2e"
   */
  readonly prefix?: string;
  /**
   * Tenants to serve: names, or `["*"]` for all tenants that the NATS permissions allow.
   * @default ["*"]
   */
  readonly tenants?: readonly string[];
  /**
   * Prefixes that a reply subject must start with, followed by a dot. `{tenant}` and `{agent}`, at most one
   * per token, are replaced with the caller's own tokens. A request with another reply subject is dropped and
   * counted, because a reply would be published where the caller has no permission.
   * @default ["_INBOX", "_INBOX_{agent}"]
   */
  readonly inboxPrefixes?: readonly string[];
  /**
   * Access rules, at most 1,000. A request that no rule allows is refused with `unauthorized`. An empty list
   * allows everything.
   * @default []
   */
  readonly rules?: readonly AccessRule[];
  /**
   * Timeout of one plugin call in milliseconds, 1..600000. Its entries, or its tier, are then reported as
   * `timeout`. The request's own deadline may be shorter.
   * @default 30000
   */
  readonly pluginTimeoutMs?: number;
  /**
   * Maximum concurrent retrieves and status requests per plugin, 1..10000.
   * @default 32
   */
  readonly pluginReadConcurrency?: number;
  /**
   * Maximum concurrent stores and forgets per plugin, 1..10000. High, because a log writes all waiting
   * records together.
   * @default 256
   */
  readonly pluginWriteConcurrency?: number;
  /**
   * Maximum queued calls per plugin, for reads and writes each, 1..1000000. Further calls are refused with
   * `overloaded`.
   * @default 1024
   */
  readonly queueCountMax?: number;
  /**
   * Maximum concurrent requests, 1..1000000. Further requests are refused with `overloaded`.
   * @default 1024
   */
  readonly inFlightCountMax?: number;
  /**
   * Maximum bytes of all concurrent requests, 1024..2^40. A larger request is served only if no other request
   * is running.
   * @default 67108864
   */
  readonly inFlightBytesMax?: number;
  /**
   * Maximum concurrent requests of one agent, 1..1000000.
   * @default 256
   */
  readonly agentInFlightCountMax?: number;
  /**
   * Maximum bytes of all concurrent requests of one agent, 1024..2^40. A larger request is served only if the
   * agent has no other request running.
   * @default 16777216
   */
  readonly agentInFlightBytesMax?: number;
  /**
   * Rate limits of agents and tenants, per second. Further requests are refused with `overloaded`.
   * @default {}
   */
  readonly rates?: RateQuotas;
  /**
   * Interval between maintenance runs (expiry, compaction) in milliseconds, 10..3600000.
   * @default 1000
   */
  readonly maintainIntervalMs?: number;
  /**
   * Time that `stop` waits for running requests, in milliseconds, 1..600000. The remaining requests are
   * answered with `unavailable`.
   * @default 10000
   */
  readonly drainTimeoutMs?: number;
  /**
   * Time that `stop` waits for each plugin to close, in milliseconds, 1..3600000.
   * @default 60000
   */
  readonly closeTimeoutMs?: number;
  /**
   * Time that `start` waits for replies of other hosts, in milliseconds, 10..60000.
   * @default 250
   */
  readonly discoveryWaitMs?: number;
  /**
   * Whether events are published.
   * @default true
   */
  readonly events?: boolean;
  /**
   * Maximum events per second, 1..10000000. Further events are dropped and counted.
   * @default 10000
   */
  readonly eventsPerSecondMax?: number;
  /**
   * Size of the embedding cache in bytes, 1..2^40. It holds the most recently used vectors: about 21,000 with
   * 128 dimensions, or 9,000 with 384. A size below one vector disables the cache.
   * @default 16777216
   */
  readonly embedderCacheBytesMax?: number;
  /**
   * Maximum concurrent embedder calls, 1..1000. Up to 1,024 more calls are queued and batched.
   * @default 8
   */
  readonly embedderConcurrency?: number;
}

export type ResolvedHostOptions = Readonly<Required<HostOptions>>;

export const HOST_DEFAULTS: ResolvedHostOptions = Object.freeze({
  prefix: DEFAULT_PREFIX,
  tenants: Object.freeze(["*"]),
  inboxPrefixes: Object.freeze(["_INBOX", "_INBOX_{agent}"]),
  rules: Object.freeze([]),
  pluginTimeoutMs: 30_000,
  pluginReadConcurrency: 32,
  pluginWriteConcurrency: 256,
  queueCountMax: 1_024,
  inFlightCountMax: 1_024,
  inFlightBytesMax: 64 * 1024 * 1024,
  agentInFlightCountMax: 256,
  agentInFlightBytesMax: 16 * 1024 * 1024,
  rates: Object.freeze({}),
  maintainIntervalMs: 1_000,
  drainTimeoutMs: 10_000,
  closeTimeoutMs: 60_000,
  discoveryWaitMs: 250,
  events: true,
  eventsPerSecondMax: 10_000,
  embedderCacheBytesMax: 16 * 1024 * 1024,
  embedderConcurrency: 8,
});

/** @throws {TypeError} For an unknown option or a value out of range. */
export function resolveHostOptions(input: HostOptions): ResolvedHostOptions {
  return resolveOptions(withOwnLists(input), HOST_DEFAULTS, {
    prefix: prefixOption,
    tenants: listOption("tenant names, or only `*`", (text, { length }) =>
      text === "*" ? length === 1 : isToken(text),
    ),
    inboxPrefixes: inboxPrefixesOption,
    rules: accessRulesOption,
    pluginTimeoutMs: integerOption(1, 600_000),
    pluginReadConcurrency: integerOption(1, 10_000),
    pluginWriteConcurrency: integerOption(1, 10_000),
    queueCountMax: integerOption(1, 1_000_000),
    inFlightCountMax: integerOption(1, 1_000_000),
    inFlightBytesMax: integerOption(1_024, 2 ** 40),
    agentInFlightCountMax: integerOption(1, 1_000_000),
    agentInFlightBytesMax: integerOption(1_024, 2 ** 40),
    rates: ratesOption,
    maintainIntervalMs: integerOption(10, 3_600_000),
    drainTimeoutMs: integerOption(1, 600_000),
    closeTimeoutMs: integerOption(1, 3_600_000),
    discoveryWaitMs: integerOption(10, 60_000),
    events: booleanOption,
    eventsPerSecondMax: integerOption(1, 10_000_000),
    embedderCacheBytesMax: integerOption(1, 2 ** 40),
    embedderConcurrency: integerOption(1, 1_000),
  });
}

/** Copies the lists, so that later changes by the caller have no effect. */
function withOwnLists(input: HostOptions): HostOptions {
  const lists: { -readonly [name in "tenants" | "inboxPrefixes" | "rules"]?: HostOptions[name] } = {};
  if (Array.isArray(input.tenants)) lists.tenants = Object.freeze([...input.tenants]);
  if (Array.isArray(input.inboxPrefixes)) lists.inboxPrefixes = Object.freeze([...input.inboxPrefixes]);
  if (Array.isArray(input.rules)) lists.rules = Object.freeze(structuredClone(input.rules));
  const rates = input.rates === undefined ? {} : { rates: Object.freeze(structuredClone(input.rates)) };
  return { ...input, ...lists, ...rates };
}

function prefixOption(value: unknown, name: string): void {
  if (typeof value !== "string" || !isSubjectPrefix(value)) {
    throw new TypeError(`${name} must be tokens of A-Z a-z 0-9 _ - separated by dots, got ${String(value)}`);
  }
}

function listOption(
  description: string,
  isValid: (text: string, list: readonly unknown[]) => boolean,
): OptionRule {
  return (value, name) => {
    const list: readonly unknown[] = Array.isArray(value) ? value : [];
    if (list.length === 0 || !list.every((item) => typeof item === "string" && isValid(item, list))) {
      throw new TypeError(`${name} must be a list of one or more ${description}`);
    }
  };
}
