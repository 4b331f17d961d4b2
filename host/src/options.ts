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
   * Tenants to serve: names, or `["*"]` for all that the bus lets through.
   * @default ["*"]
   */
  readonly tenants?: readonly string[];
  /**
   * Prefixes that a reply subject must start with, followed by a dot. `{tenant}` and `{agent}`, one per
   * token, are replaced with the caller's own tokens. A request with another reply subject is dropped and
   * counted, because answering it would publish where the caller has no permission.
   * @default ["_INBOX", "_INBOX_{agent}"]
   */
  readonly inboxPrefixes?: readonly string[];
  /**
   * Who may do what: what no rule allows is refused with `unauthorized`. At most 1,000; without any, everybody may do
   * everything.
   * @default []
   */
  readonly rules?: readonly AccessRule[];
  /**
   * Longest time that one plugin call may take before its entries, or its tier, are reported as `timeout`; the
   * request's own deadline may be shorter. Milliseconds, 1..600000.
   * @default 30000
   */
  readonly pluginTimeoutMs?: number;
  /**
   * Retrieves and status requests under way at once in one plugin, 1..10000.
   * @default 32
   */
  readonly pluginReadConcurrency?: number;
  /**
   * Stores and forgets under way at once in one plugin, 1..10000. High, because a log writes together what waits together.
   * @default 256
   */
  readonly pluginWriteConcurrency?: number;
  /**
   * Calls that wait for a place in one plugin, reads and writes each, 1..1000000. Further ones are `overloaded`.
   * @default 1024
   */
  readonly queueCountMax?: number;
  /**
   * Requests under way at once, 1..1000000. Further ones are `overloaded`.
   * @default 1024
   */
  readonly inFlightCountMax?: number;
  /**
   * Bytes of the requests under way at once, 1024..2^40. A single larger request is served when nothing else is.
   * @default 67108864
   */
  readonly inFlightBytesMax?: number;
  /**
   * Requests of one agent under way at once, 1..1000000.
   * @default 256
   */
  readonly agentInFlightCountMax?: number;
  /**
   * Bytes of the requests of one agent under way at once, 1024..2^40. A single larger request is served when the agent has no
   * other.
   * @default 16777216
   */
  readonly agentInFlightBytesMax?: number;
  /**
   * What agents and tenants may ask for in a second. Further requests are `overloaded`.
   * @default {}
   */
  readonly rates?: RateQuotas;
  /**
   * Time between two rounds of maintenance (expiry, compaction). Milliseconds, 10..3600000.
   * @default 1000
   */
  readonly maintainIntervalMs?: number;
  /**
   * How long `stop` waits for the requests under way; those left are answered `unavailable`. Milliseconds, 1..600000.
   * @default 10000
   */
  readonly drainTimeoutMs?: number;
  /**
   * How long `stop` waits for each plugin to close. Milliseconds, 1..3600000.
   * @default 60000
   */
  readonly closeTimeoutMs?: number;
  /**
   * How long `start` waits for the answers of other hosts. Milliseconds, 10..60000.
   * @default 250
   */
  readonly discoveryWaitMs?: number;
  /**
   * Whether events are published.
   * @default true
   */
  readonly events?: boolean;
  /**
   * Events a second; further ones are dropped and counted, 1..10000000.
   * @default 10000
   */
  readonly eventsPerSecondMax?: number;
  /**
   * Bytes of the vectors that are kept for texts embedded before, those used last: about 21,000 of 128 components, or
   * 9,000 of 384. 1..2^40; too few for one vector keep none.
   * @default 16777216
   */
  readonly embedderCacheBytesMax?: number;
  /**
   * Calls of the embedder under way at once, 1..1000. Up to 1,024 more wait, and are put together.
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

/** @throws {TypeError} for an unknown option or a value out of range. */
export function resolveHostOptions(input: HostOptions): ResolvedHostOptions {
  return resolveOptions(withOwnLists(input), HOST_DEFAULTS, {
    prefix: prefixOption,
    tenants: listOption("tenant names, or `*` alone", (text, { length }) =>
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

/** Lists are copied, so that a caller who changes his own later changes nothing here. */
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
    throw new TypeError(`${name} must be tokens of A-Z a-z 0-9 _ - with dots between, got ${String(value)}`);
  }
}

function listOption(what: string, holds: (text: string, list: readonly unknown[]) => boolean): OptionRule {
  return (value, name) => {
    const list: readonly unknown[] = Array.isArray(value) ? value : [];
    if (list.length === 0 || !list.every((item) => typeof item === "string" && holds(item, list))) {
      throw new TypeError(`${name} must be a list of one or more ${what}`);
    }
  };
}
