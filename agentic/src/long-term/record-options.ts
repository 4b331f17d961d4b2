import {
  booleanOption,
  choiceOption,
  isJsonObject,
  type MetadataValue,
  type OptionRule,
  optionalOption,
  type ResolvedOptions,
  resolveOptions,
  type Trust,
  TrustSchema,
} from "@membus/protocol";
import { signalOption } from "../option-rules.js";
import { sourcesOption } from "../sources.js";
import { fractionOption, timeOption } from "./long-term-options.js";

export interface RecordOptions {
  /**
   * With a model: facts are found in messages, and it decides how they stand to what is known. Without one, or with false,
   * texts and messages are kept as they are.
   * @default true
   */
  readonly infer?: boolean | undefined;
  /**
   * False: the work is written down and done later, and event ids are returned at once.
   * @default true
   */
  readonly wait?: boolean | undefined;
  readonly category?: string | undefined;
  /** Beside what a fact has of itself. */
  readonly metadata?: Readonly<Record<string, MetadataValue>> | undefined;
  /** Whose word it is. Absent: the user's for a text; for a message what its role says. */
  readonly trust?: Trust | undefined;
  /** Unix seconds: since when it is true. Absent: now. */
  readonly at?: number | undefined;
  /**
   * Key hashes of what the facts are derived from, such as the messages (`messageSources`), 1..64: a forget of those with
   * `cascade` takes the facts, too. A fact that is known from other sources has those of both, the newest 64; one that was
   * told without sources keeps none. A host that knows no sources refuses them.
   */
  readonly sources?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

export const RECORD_DEFAULTS = Object.freeze({ infer: true, wait: true });

export type ResolvedRecordOptions = ResolvedOptions<Pick<RecordOptions, "infer" | "wait">> &
  Omit<RecordOptions, "infer" | "wait">;

/** What facts have of themselves. */
const OWN_METADATA = ["kind", "about", "category", "trust", "valid_from", "valid_until", "superseded_by"];

const metadataOption: OptionRule = (value, name) => {
  if (!isJsonObject(value)) throw new TypeError(`${name} must be an object`);
  const own = Object.keys(value).find((field) => OWN_METADATA.includes(field));
  if (own !== undefined) throw new TypeError(`${name} may not have \`${own}\`, which is set here`);
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
   * How well it went, 0..1: the score of the trajectory.
   * @default 1
   */
  readonly value?: number | undefined;
  /** A word for how it ended, such as "solved". */
  readonly outcome?: string | undefined;
  /** Absent: the user's for a text; for messages the weakest of their roles. */
  readonly trust?: Trust | undefined;
  /** As of `record`. @default true */
  readonly infer?: boolean | undefined;
  /** As of `record`. */
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

/** Of `recordToolCalls`. */
export type ToolCallOptions = Pick<RecordOptions, "sources" | "signal">;

/** @throws {TypeError} for an unknown option or a value out of range. */
export function resolveToolCallOptions(input: ToolCallOptions): ToolCallOptions {
  const rules = { sources: optionalOption(sourcesOption), signal: optionalOption(signalOption) };
  return resolveOptions<ToolCallOptions>(input, {}, rules);
}
