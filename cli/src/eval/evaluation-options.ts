import {
  option,
  optionSet,
  parseOptions,
  type ResolvedOptionsOf,
  RetrieveModeSchema,
} from "@membus/protocol";

export const EvaluationOptionsSchema = optionSet({
  tier: option.tier().default("episodic"),
  mode: option.choice(...RetrieveModeSchema.options).default("hybrid"),
  /** "session": the documents of a session become one. */
  unit: option.choice("document", "session").default("document"),
  /**
   * Store each `conv` in its own namespace. Otherwise all documents share one, and every question searches
   * all of it.
   */
  namespaces: option.boolean().default(true),
  /** Use the `session` of a document as its group. */
  groups: option.boolean().default(true),
  /** Use the `date` of a document as its `occurred_at`. */
  dates: option.boolean().default(true),
  /** Number of preceding documents of the session that are stored as context. */
  contextTurns: option.integer(0, 20).default(2),
  /** Also score questions with `main: false`, if they name documents. */
  all: option.boolean().default(false),
});

/** How documents become entries, and questions become requests. */
export interface EvaluationOptions extends ResolvedOptionsOf<typeof EvaluationOptionsSchema> {}

export const EVALUATION_DEFAULTS: EvaluationOptions = parseOptions(EvaluationOptionsSchema, {});
