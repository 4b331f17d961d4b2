import {
  DEFAULT_PREFIX,
  isToken,
  type OptionsOf,
  option,
  optionSet,
  parseOptions,
  type ResolvedOptionsOf,
} from "@membus/protocol";
import { AccessRulesSchema } from "./access-rules-schema.js";
import { InboxPrefixesSchema } from "./inbox-prefixes-schema.js";
import { RateQuotasSchema } from "./rates/index.js";

const MIB = 1024 * 1024;

const TENANTS_ERROR = "must be a list of one or more tenant names, or only `*`";
const TenantsSchema = option
  .list(
    option.value<string>(
      (name) => name === "*" || (typeof name === "string" && isToken(name)),
      TENANTS_ERROR,
    ),
    1,
  )
  .refine((names) => names.length === 1 || !names.includes("*"), TENANTS_ERROR);

export const HostOptionsSchema = optionSet({
  /** Leading tokens of every subject. */
  prefix: option.subjectPrefix().default(DEFAULT_PREFIX),
  /** Tenants to serve: names, or `["*"]` for all tenants that the NATS permissions allow. */
  tenants: TenantsSchema.default(["*"]),
  /**
   * Prefixes that a reply subject must start with, followed by a dot. `{tenant}` and `{agent}`, at most one
   * per token, are replaced with the caller's own tokens. A request with another reply subject is dropped and
   * counted, because a reply would be published where the caller has no permission.
   */
  inboxPrefixes: InboxPrefixesSchema.default(["_INBOX", "_INBOX_{agent}"]),
  /**
   * Access rules, at most 1,000. A request that no rule allows is refused with `unauthorized`. An empty list
   * allows everything.
   */
  rules: AccessRulesSchema.default([]),
  /**
   * Timeout of one plugin call in milliseconds. Its entries, or its tier, are then reported as
   * `timeout`. The request's own deadline may be shorter.
   */
  pluginTimeoutMs: option.integer(1, 600_000).default(30_000),
  /** Maximum concurrent retrieves and status requests per plugin. */
  pluginReadConcurrency: option.integer(1, 10_000).default(32),
  /**
   * Maximum concurrent stores and forgets per plugin. High, because a log writes all waiting
   * records together.
   */
  pluginWriteConcurrency: option.integer(1, 10_000).default(256),
  /**
   * Maximum queued calls per plugin, for reads and writes each. Further calls are refused with
   * `overloaded`.
   */
  queueCountMax: option.integer(1, 1_000_000).default(1_024),
  /** Maximum concurrent requests. Further requests are refused with `overloaded`. */
  inFlightCountMax: option.integer(1, 1_000_000).default(1_024),
  /**
   * Maximum bytes of all concurrent requests. A larger request is served only if no other request
   * is running.
   */
  inFlightBytesMax: option.integer(1_024, 2 ** 40).default(64 * MIB),
  /** Maximum concurrent requests of one agent. */
  agentInFlightCountMax: option.integer(1, 1_000_000).default(256),
  /**
   * Maximum bytes of all concurrent requests of one agent. A larger request is served only if the
   * agent has no other request running.
   */
  agentInFlightBytesMax: option.integer(1_024, 2 ** 40).default(16 * MIB),
  /** Rate limits of agents and tenants, per second. Further requests are refused with `overloaded`. */
  rates: RateQuotasSchema.default({}),
  /** Interval between maintenance runs (expiry, compaction) in milliseconds. */
  maintainIntervalMs: option.integer(10, 3_600_000).default(1_000),
  /**
   * Time that `stop` waits for running requests, in milliseconds. The remaining requests are
   * answered with `unavailable`.
   */
  drainTimeoutMs: option.integer(1, 600_000).default(10_000),
  /** Time that `stop` waits for each plugin to close, in milliseconds. */
  closeTimeoutMs: option.integer(1, 3_600_000).default(60_000),
  /** Time that `start` waits for replies of other hosts, in milliseconds. */
  discoveryWaitMs: option.integer(10, 60_000).default(250),
  /** Whether events are published. */
  events: option.boolean().default(true),
  /**
   * Maximum events per second. Further events are dropped and counted. A tenth is reserved for the first
   * events of each agent, up to a hundredth of the maximum. A storm of one agent therefore does not use up all.
   */
  eventsPerSecondMax: option.integer(1, 10_000_000).default(10_000),
  /**
   * Size of the embedding cache in bytes. It holds the most recently used vectors: about 21,000 with
   * 128 dimensions, or 9,000 with 384. A size below one vector disables the cache.
   */
  embedderCacheBytesMax: option.integer(1, 2 ** 40).default(16 * MIB),
  /** Maximum concurrent embedder calls. Up to 1,024 more calls are queued and batched. */
  embedderConcurrency: option.integer(1, 1_000).default(8),
});

export interface HostOptions extends OptionsOf<typeof HostOptionsSchema> {}
export interface ResolvedHostOptions extends ResolvedOptionsOf<typeof HostOptionsSchema> {}

export const HOST_DEFAULTS: ResolvedHostOptions = parseOptions(HostOptionsSchema, {});
