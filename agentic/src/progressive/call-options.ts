import {
  choiceOption,
  integerOption,
  LIMITS,
  type OptionRule,
  optionalOption,
  resolveOptions,
  stringOption,
} from "@membus/protocol";
import { MessageContentSchema } from "@membus/protocol/records";
import { signalOption } from "../option-rules.js";
import { type DeleteAllOptions, LIST_DEFAULTS, type ListOptions } from "./listing.js";
import { TASK_TYPES } from "./memory-record.js";
import { OFFLOAD_DEFAULTS, type OffloadOptions, type ReloadOptions } from "./offload.js";
import type { ReplyOptions } from "./reply.js";
import { RETRIEVE_DEFAULTS, type RetrieveOptions } from "./retrieve.js";
import type { SummarizeOptions } from "./summarize.js";
import { TARGET_LENGTH_MAX } from "./targets.js";
import { MESSAGES_MAX } from "./tools/history-memory.js";

/** Maximum number of targets of a call. */
const TARGETS_MAX = 64;

/** @throws {TypeError} for the first invalid message. */
export function messagesOption(value: unknown, name: string): void {
  if (!Array.isArray(value) || value.length === 0 || value.length > MESSAGES_MAX) {
    throw new TypeError(`${name} must be a list of 1..${MESSAGES_MAX} messages`);
  }
  const ids = new Set<unknown>();
  for (const [index, message] of value.entries()) {
    const parsed = MessageContentSchema.safeParse(message);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      throw new TypeError(`${name}[${index}].${issue?.path.join(".")}: ${issue?.message}`);
    }
    const { id } = parsed.data;
    if (typeof id === "string" && ids.has(id)) throw new TypeError(`${name}: two messages have the id ${id}`);
    ids.add(id);
  }
}

function targetsOption(value: unknown, name: string): void {
  if (!Array.isArray(value) || value.length === 0 || value.length > TARGETS_MAX) {
    throw new TypeError(`${name} must be a list of 1..${TARGETS_MAX} names`);
  }
  for (const [index, target] of value.entries()) {
    stringOption(target, `${name}[${index}]`);
    if ((target as string).length > TARGET_LENGTH_MAX) {
      throw new TypeError(`${name}[${index}] must be at most ${TARGET_LENGTH_MAX} characters`);
    }
  }
}

function idOption(value: unknown, name: string): void {
  stringOption(value, name);
  if ((value as string).length > LIMITS.idLength) {
    throw new TypeError(`${name} must be at most ${LIMITS.idLength} characters`);
  }
}

function idsOption(value: unknown, name: string): void {
  if (!Array.isArray(value) || value.length === 0 || value.length > LIMITS.retrieveLimit) {
    throw new TypeError(`${name} must be a list of 1..${LIMITS.retrieveLimit} ids`);
  }
  for (const [index, id] of value.entries()) stringOption(id, `${name}[${index}]`);
}

const CALL_RULES = { targets: optionalOption(targetsOption), signal: optionalOption(signalOption) };
const TYPE_RULES = { ...CALL_RULES, memoryType: optionalOption(choiceOption("auto", ...TASK_TYPES)) };
const LIMIT_RULE = integerOption(1, LIMITS.retrieveLimit);

/** Returns a function that validates the options of a call, with TypeErrors as `resolveOptions`. */
function resolver<T extends object>(
  rules: { readonly [K in keyof T]-?: OptionRule },
  defaults: Partial<T> = {},
) {
  return (input: T): Readonly<T> => resolveOptions<T>(input, defaults as T, rules);
}

export const resolveSummarizeOptions = resolver<SummarizeOptions>({
  ...TYPE_RULES,
  messages: messagesOption,
  conversation: optionalOption(idOption),
});

const resolveRetrieve = resolver<RetrieveOptions>(
  {
    ...TYPE_RULES,
    query: optionalOption(stringOption),
    messages: optionalOption(messagesOption),
    limit: LIMIT_RULE,
  },
  RETRIEVE_DEFAULTS,
);

export function resolveRetrieveOptions(input: RetrieveOptions): RetrieveOptions {
  const resolved = resolveRetrieve(input);
  exactlyOne(resolved, "query", "messages");
  return resolved;
}

export const resolveReplyOptions = resolver<ReplyOptions>({ ...CALL_RULES, messages: messagesOption });

export const resolveOffloadOptions = resolver<OffloadOptions>(
  {
    conversation: optionalOption(idOption),
    keepRecent: integerOption(0, MESSAGES_MAX),
    bytesMin: integerOption(0, 1_000_000),
    previewLength: integerOption(0, 2_000),
    signal: optionalOption(signalOption),
  },
  OFFLOAD_DEFAULTS,
) as (input: OffloadOptions) => OffloadOptions & typeof OFFLOAD_DEFAULTS;

const resolveReload = resolver<ReloadOptions>({
  query: optionalOption(stringOption),
  ids: optionalOption(idsOption),
  limit: optionalOption(LIMIT_RULE),
  signal: optionalOption(signalOption),
});

export function resolveReloadOptions(input: ReloadOptions): ReloadOptions {
  const resolved = resolveReload(input);
  exactlyOne(resolved, "query", "ids");
  return resolved;
}

export const resolveListOptions = resolver<ListOptions>(
  { ...CALL_RULES, limit: integerOption(1, 100_000) },
  LIST_DEFAULTS,
);

export const resolveDeleteAllOptions = resolver<DeleteAllOptions>(CALL_RULES);

function exactlyOne<T extends object>(input: T, one: keyof T & string, other: keyof T & string): void {
  if ((input[one] === undefined) === (input[other] === undefined)) {
    throw new TypeError(`set exactly one of \`${one}\` and \`${other}\``);
  }
}
