import {
  LIMITS,
  type MemoryTier,
  type OptionSet,
  type OptionsOf,
  option,
  optionSet,
  parseOptions,
  type ResolvedOptionsOf,
  readableId,
} from "@membus/protocol";
import { RetryTimeoutSchema, TimeoutSchema } from "./client-options.js";

/**
 * Maximum length of an id. A split store appends its part numbers, and the limit of the protocol is 128
 * characters.
 */
const ID_LENGTH_MAX = 120;

/** Accepts any value, because the host validates fields of the entry. */
const checkedByHost = <T>() => option.value<T>(() => true, "").optional();

export const CallOptionsSchema = optionSet({
  /** Overrides the client's `timeoutMs`. */
  timeoutMs: TimeoutSchema.optional(),
  /** Overrides the client's `retryTimeoutMs`. */
  retryTimeoutMs: RetryTimeoutSchema.optional(),
  /**
   * Aborting it rejects the call with the signal's reason. A request that was already sent may still take
   * effect.
   */
  signal: option.signal().optional(),
});

/** Options of one request. The content of the request is its first argument, with the protocol's names. */
export interface CallOptions extends OptionsOf<typeof CallOptionsSchema> {}

export const WriteOptionsSchema = optionSet({
  ...CallOptionsSchema.shape,
  /**
   * Idempotency key, 1..120 printable characters. A repeated call with the same id takes effect once and
   * returns the same result (clause RETRY-1), also from another process. By default each call has a new id.
   */
  id: option
    .value<string>(
      (id) => readableId({ id }) !== null && (id as string).length <= ID_LENGTH_MAX,
      `must be 1..${ID_LENGTH_MAX} printable characters`,
    )
    .optional(),
});

export interface WriteOptions extends OptionsOf<typeof WriteOptionsSchema> {}

/** Options of every call that stores. */
const StoringOptionsSchema = optionSet({
  ...WriteOptionsSchema.shape,
  /** "stored" replies when the entries are durable and embedded, "queued" when they are durable. */
  ack: option.choice("stored", "queued").optional(),
  /** Features that the host must have. Otherwise it returns `unsupported` and stores nothing. */
  requires: option.list(option.text()).optional(),
});

export const StoreOptionsSchema = optionSet({
  ...StoringOptionsSchema.shape,
  /** Whether refused entries are returned as `errors`. Otherwise the call throws if an entry is refused. */
  partial: option.boolean().optional(),
});

export interface StoreOptions extends OptionsOf<typeof StoreOptionsSchema> {}

export const RememberOptionsSchema = optionSet({
  ...StoringOptionsSchema.shape,
  /** Absent: "working". */
  tier: checkedByHost<MemoryTier>(),
  tags: option.list(option.value<string>(() => true, "")).optional(),
  /** Lifetime of the entry in seconds, unlimited if 0 or null. */
  ttl: checkedByHost<number | null>(),
  /** Importance, 0..1, also for an existing entry. Sent as `importance`. */
  score: option.number(0, 1).optional(),
});

export interface RememberOptions extends OptionsOf<typeof RememberOptionsSchema> {}

export const EntriesOptionsSchema = optionSet({
  ...CallOptionsSchema.shape,
  /** Number of entries, or items of a list, per request. */
  pageSize: option.integer(1, LIMITS.retrieveLimit).default(100),
  /** Accepts pages that an index chose the entries of, so that some may be missing. */
  allowApproximate: option.boolean().default(false),
});

export interface EntriesOptions extends OptionsOf<typeof EntriesOptionsSchema> {}

export const RecallOptionsSchema = optionSet({
  ...CallOptionsSchema.shape,
  /** Queries only this tier. */
  tier: option.tier().optional(),
});

export interface RecallOptions extends OptionsOf<typeof RecallOptionsSchema> {}

/** Timeouts that a call takes from its client. */
interface CallDefaults {
  readonly timeoutMs: number;
  readonly retryTimeoutMs: number;
}

export type ResolvedCallOptions = CallOptions & CallDefaults;

/** Returns the options of a call. Throws TypeErrors like `parseOptions`. */
export function parseCallOptions<S extends OptionSet>(
  schema: S,
  input: OptionsOf<NoInfer<S>>,
  client: CallDefaults,
): ResolvedOptionsOf<S> & CallDefaults {
  const options: ResolvedOptionsOf<S> & CallOptions = parseOptions(schema, input);
  const { timeoutMs = client.timeoutMs, retryTimeoutMs = client.retryTimeoutMs } = options;
  return { ...options, timeoutMs, retryTimeoutMs };
}
