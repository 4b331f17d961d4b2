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

/** How one request is sent. What it says is its first argument, in the protocol's own names. */
export interface CallOptions {
  /** Instead of the client's. */
  readonly timeoutMs?: number | undefined;
  /** Instead of the client's. */
  readonly retryTimeoutMs?: number | undefined;
  /** Once aborted, the call rejects with the signal's reason; what was sent may still have its effect. */
  readonly signal?: AbortSignal | undefined;
}

export interface WriteOptions extends CallOptions {
  /**
   * Idempotency key, 1..120 printable characters: the same call again with the same id has one effect and gets the
   * same result (clause RETRY-1), also from another process. Without it each call has its own.
   */
  readonly id?: string | undefined;
}

export interface StoreOptions extends WriteOptions {
  /** "stored" answers when the entries are durable and embedded, "queued" when they are durable. */
  readonly ack?: Ack | undefined;
  /** Features that the host must have: it answers `unsupported` otherwise, and stores nothing. */
  readonly requires?: readonly string[] | undefined;
}

export interface RememberOptions extends StoreOptions {
  /** @default "working" */
  readonly tier?: MemoryTier | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Seconds until the entry ends; 0 and null: never. */
  readonly ttl?: number | null | undefined;
  /** How important it is, 0..1, also where the entry exists already: sent as `importance`. */
  readonly score?: number | undefined;
}

export interface EntriesOptions extends CallOptions {
  /**
   * Entries, or items of a list, asked for at a time, 1..1000.
   * @default 100
   */
  readonly pageSize?: number | undefined;
}

export const ENTRIES_DEFAULTS = Object.freeze({ pageSize: 100 });

export interface RecallOptions extends CallOptions {
  /** Asks this tier alone. */
  readonly tier?: MemoryTier | undefined;
}

export interface ResolvedCallOptions {
  readonly timeoutMs: number;
  readonly retryTimeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Parts of a split store append their number to the id, which has at most 128 characters. */
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
    throw new TypeError(`${name} must be a list of names`);
  }
}

/** Values that belong to the entry are judged by the host. */
const ofEntry: OptionRule = () => {};

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

/** What a call takes from its client. */
type CallDefaults = Pick<ResolvedCallOptions, "timeoutMs" | "retryTimeoutMs">;

/** Checks the options of one method: TypeErrors as of `resolveOptions`. */
function resolver<T extends CallOptions>(
  rules: { readonly [K in keyof T]-?: OptionRule },
  defaults: Partial<T> = {},
): (input: T, client: CallDefaults) => T & ResolvedCallOptions {
  return (input, { timeoutMs, retryTimeoutMs }) =>
    resolveOptions<T>(input, { ...(defaults as T), timeoutMs, retryTimeoutMs }, rules) as T &
      ResolvedCallOptions;
}

export const resolveCallOptions = resolver<CallOptions>(CALL_RULES);
export const resolveWriteOptions = resolver<WriteOptions>(WRITE_RULES);
export const resolveStoreOptions = resolver<StoreOptions>(STORE_RULES);
export const resolveRecallOptions = resolver<RecallOptions>({
  ...CALL_RULES,
  tier: optionalOption(choiceOption(...TIERS)),
});
export const resolveRememberOptions = resolver<RememberOptions>({
  ...STORE_RULES,
  tier: ofEntry,
  tags: ofEntry,
  ttl: ofEntry,
  score: ofEntry,
});
export const resolveEntriesOptions = resolver<EntriesOptions>(
  { ...CALL_RULES, pageSize: integerOption(1, LIMITS.retrieveLimit) },
  ENTRIES_DEFAULTS,
) as (input: EntriesOptions, client: CallDefaults) => ResolvedCallOptions & typeof ENTRIES_DEFAULTS;
