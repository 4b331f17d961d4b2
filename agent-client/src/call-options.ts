import {
  type Ack,
  choiceOption,
  integerOption,
  LIMITS,
  type MemoryTier,
  type OptionRule,
  optionalOption,
  readableId,
  resolveOptions,
  TIERS,
} from "@membus/protocol";
import { retryTimeoutOption, timeoutOption } from "./client-options.js";

/** Options of one request. The content of the request is its first argument, with the protocol's names. */
export interface CallOptions {
  /** Overrides the client's `timeoutMs`. */
  readonly timeoutMs?: number | undefined;
  /** Overrides the client's `retryTimeoutMs`. */
  readonly retryTimeoutMs?: number | undefined;
  /**
   * Aborting it rejects the call with the signal's reason. A request that was already sent may still take
   * effect.
   */
  readonly signal?: AbortSignal | undefined;
}

export interface WriteOptions extends CallOptions {
  /**
   * Idempotency key, 1..120 printable characters. A repeated call with the same id takes effect once and
   * returns the same result (clause RETRY-1), also from another process. By default each call has a new id.
   */
  readonly id?: string | undefined;
}

export interface StoreOptions extends WriteOptions {
  /** "stored" replies when the entries are durable and embedded, "queued" when they are durable. */
  readonly ack?: Ack | undefined;
  /** Features that the host must have. Otherwise it returns `unsupported` and stores nothing. */
  readonly requires?: readonly string[] | undefined;
}

export interface RememberOptions extends StoreOptions {
  /** @default "working" */
  readonly tier?: MemoryTier | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Lifetime of the entry in seconds, unlimited if 0 or null. */
  readonly ttl?: number | null | undefined;
  /** Importance, 0..1, also for an existing entry. Sent as `importance`. */
  readonly score?: number | undefined;
}

export interface EntriesOptions extends CallOptions {
  /**
   * Number of entries, or items of a list, per request, 1..1000.
   * @default 100
   */
  readonly pageSize?: number | undefined;
}

export const ENTRIES_DEFAULTS = Object.freeze({ pageSize: 100 });

export interface RecallOptions extends CallOptions {
  /** Queries only this tier. */
  readonly tier?: MemoryTier | undefined;
}

export interface ResolvedCallOptions {
  readonly timeoutMs: number;
  readonly retryTimeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Maximum length of an id. A split store appends its part numbers, and the limit of the protocol is 128
 * characters.
 */
const ID_LENGTH_MAX = 120;

function signalOption(value: unknown, name: string): void {
  if (!(value instanceof AbortSignal)) throw new TypeError(`${name} must be an AbortSignal`);
}

function idOption(id: unknown, name: string): void {
  if (readableId({ id }) === null || (id as string).length > ID_LENGTH_MAX) {
    throw new TypeError(`${name} must be 1..${ID_LENGTH_MAX} printable characters`);
  }
}

function namesOption(value: unknown, name: string): void {
  if (!Array.isArray(value) || !value.every((item) => typeof item === "string" && item !== "")) {
    throw new TypeError(`${name} must be a list of non-empty strings`);
  }
}

/** Accepts any value, because the host validates fields of the entry. */
const checkedByHost: OptionRule = () => {};

const CALL_RULES = {
  timeoutMs: timeoutOption,
  retryTimeoutMs: retryTimeoutOption,
  signal: optionalOption(signalOption),
};
const WRITE_RULES = { ...CALL_RULES, id: optionalOption(idOption) };
const STORE_RULES = {
  ...WRITE_RULES,
  ack: optionalOption(choiceOption("stored", "queued")),
  requires: optionalOption(namesOption),
};

/** Defaults that a call takes from its client. */
type CallDefaults = Pick<ResolvedCallOptions, "timeoutMs" | "retryTimeoutMs">;

/** Returns a function that validates the options of one method. Throws TypeErrors like `resolveOptions`. */
function createResolver<T extends CallOptions>(
  rules: { readonly [K in keyof T]-?: OptionRule },
  defaults: Partial<T> = {},
): (input: T, client: CallDefaults) => T & ResolvedCallOptions {
  return (input, { timeoutMs, retryTimeoutMs }) =>
    resolveOptions<T>(input, { ...(defaults as T), timeoutMs, retryTimeoutMs }, rules) as T &
      ResolvedCallOptions;
}

export const resolveCallOptions = createResolver<CallOptions>(CALL_RULES);
export const resolveWriteOptions = createResolver<WriteOptions>(WRITE_RULES);
export const resolveStoreOptions = createResolver<StoreOptions>(STORE_RULES);
export const resolveRecallOptions = createResolver<RecallOptions>({
  ...CALL_RULES,
  tier: optionalOption(choiceOption(...TIERS)),
});
export const resolveRememberOptions = createResolver<RememberOptions>({
  ...STORE_RULES,
  tier: checkedByHost,
  tags: checkedByHost,
  ttl: checkedByHost,
  score: checkedByHost,
});
export const resolveEntriesOptions = createResolver<EntriesOptions>(
  { ...CALL_RULES, pageSize: integerOption(1, LIMITS.retrieveLimit) },
  ENTRIES_DEFAULTS,
) as (input: EntriesOptions, client: CallDefaults) => ResolvedCallOptions & typeof ENTRIES_DEFAULTS;
