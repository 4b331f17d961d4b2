import {
  booleanOption,
  choiceOption,
  isJsonObject,
  type MetadataValue,
  type OptionRule,
  optionalOption,
  type ResolvedOptions,
  resolveOptions,
} from "@membus/protocol";
import { type Trust, TrustSchema } from "@membus/protocol/records";
import { signalOption } from "../option-rules.js";
import { sourcesOption } from "../sources.js";
import { fractionOption, timeOption } from "./long-term-options.js";

export interface RecordOptions {
  /**
   * Whether a model extracts facts from messages and decides how they relate to known ones. Without a model,
   * or with false, texts and messages are stored unchanged.
   * @default true
   */
  readonly infer?: boolean | undefined;
  /**
   * Whether to wait for the result. False: the work is queued, and event ids are returned.
   * @default true
   */
  readonly wait?: boolean | undefined;
  readonly category?: string | undefined;
  /** Additional metadata of the facts. */
  readonly metadata?: Readonly<Record<string, MetadataValue>> | undefined;
  /** Trust of the facts. Absent: "user" for a text, by its role for a message. */
  readonly trust?: Trust | undefined;
  /** Unix seconds from which the facts are true. Absent: now. */
  readonly at?: number | undefined;
  /**
   * Key hashes of the entries that the facts are derived from, such as messages (`messageSources`), 1..64. A
   * forget of those with `cascade` then deletes the facts too. A known fact with other sources gets both, the
   * newest 64. A known fact without sources keeps none. A host without support for sources rejects them.
   */
  readonly sources?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

export const RECORD_DEFAULTS = Object.freeze({ infer: true, wait: true });

export type ResolvedRecordOptions = ResolvedOptions<Pick<RecordOptions, "infer" | "wait">> &
  Omit<RecordOptions, "infer" | "wait">;

/** Metadata fields that this package sets. */
const OWN_METADATA = ["kind", "about", "category", "trust", "valid_from", "valid_until", "superseded_by"];

const metadataOption: OptionRule = (value, name) => {
  if (!isJsonObject(value)) throw new TypeError(`${name} must be an object`);
  const own = Object.keys(value).find((field) => OWN_METADATA.includes(field));
  if (own !== undefined) throw new TypeError(`${name} must not contain \`${own}\`, which is reserved`);
};

const categoryOption: OptionRule = (value, name) => {
  if (typeof value !== "string" || value === "" || value.length > 200) {
    throw new TypeError(`${name} must be 1..200 characters`);
  }
};

/** @throws {TypeError} for an unknown option or a value out of range. */
export function resolveRecordOptions(input: RecordOptions): ResolvedRecordOptions {
  return resolveOptions<ResolvedRecordOptions>(input, RECORD_DEFAULTS, {
    infer: booleanOption,
    wait: booleanOption,
    category: optionalOption(categoryOption),
    metadata: optionalOption(metadataOption),
    trust: optionalOption(choiceOption(...TrustSchema.options)),
    at: optionalOption(timeOption),
    sources: optionalOption(sourcesOption),
    signal: optionalOption(signalOption),
  });
}

export interface ExperienceOptions {
  /**
   * Success of the task, 0..1: the score of the trajectory.
   * @default 1
   */
  readonly value?: number | undefined;
  /** Result in a word, such as "solved". */
  readonly outcome?: string | undefined;
  /** Absent: "user" for a text, for messages the lowest trust of their roles. */
  readonly trust?: Trust | undefined;
  /** As in `record`. @default true */
  readonly infer?: boolean | undefined;
  /** As in `record`. */
  readonly sources?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

export const EXPERIENCE_DEFAULTS = Object.freeze({ value: 1, infer: true });

/** @throws {TypeError} for an unknown option or a value out of range. */
export function resolveExperienceOptions(input: ExperienceOptions) {
  return resolveOptions<ResolvedOptions<Pick<ExperienceOptions, "value" | "infer">> & ExperienceOptions>(
    input,
    EXPERIENCE_DEFAULTS,
    {
      value: fractionOption,
      outcome: optionalOption(categoryOption),
      trust: optionalOption(choiceOption(...TrustSchema.options)),
      infer: booleanOption,
      sources: optionalOption(sourcesOption),
      signal: optionalOption(signalOption),
    } as never,
  );
}

/** Options of `recordToolCalls`. */
export type ToolCallOptions = Pick<RecordOptions, "sources" | "signal">;

/** @throws {TypeError} for an unknown option or a value out of range. */
export function resolveToolCallOptions(input: ToolCallOptions): ToolCallOptions {
  const rules = { sources: optionalOption(sourcesOption), signal: optionalOption(signalOption) };
  return resolveOptions<ToolCallOptions>(input, {}, rules);
}
