import { z } from "zod";
import {
  isComparable,
  isLowerTrust,
  type LongTermItem,
  mayContain,
  sharedWords,
  speakerOf,
} from "../long-term/index.js";
import { type ChatModel, type CostMeter, generateObject, loadPrompt } from "../model/index.js";

export type FactItem = LongTermItem & { readonly kind: "fact" };

/** A fact and its replacement. */
export interface Resolution {
  readonly outcome: "duplicate" | "superseded";
  readonly fact: FactItem;
  readonly by: FactItem;
  /** The reason to retain the fact: it has higher trust, or it is the later one. */
  readonly retainedFor?: "trust" | "time" | undefined;
}

/** Maximum number of facts in one question. */
const GROUP_COUNT_MAX = 21;
/** Longer texts are shown in part. */
const SHOWN_LENGTH_MAX = 400;

/** Schema of the answer about the facts of a group. */
export const ResolutionsSchema = z.object({
  decisions: z
    .array(
      z.object({
        fact: z.int().min(0).max(99_999).describe("The number of the fact to decide about."),
        outcome: z.enum(["duplicate", "superseded", "stands"]),
        by: z
          .int()
          .min(0)
          .max(99_999)
          .nullable()
          .describe("The number of the fact that replaces it. null if it stands."),
      }),
    )
    .max(GROUP_COUNT_MAX),
});

const EXAMPLE = {
  decisions: [
    { fact: 1, outcome: "superseded" as const, by: 2 },
    { fact: 2, outcome: "stands" as const, by: null },
  ],
};

/**
 * Returns the model's decisions about similar facts, in order, at most one for each fact. Chains of
 * replacements are resolved and cycles dropped. Decisions about unknown facts are ignored.
 * @throws {ModelError} as `generateObject`.
 */
export async function decideOnGroup(
  model: ChatModel,
  subject: string,
  group: readonly FactItem[],
  meter: CostMeter,
): Promise<Resolution[]> {
  const facts = [...group]
    .slice(0, GROUP_COUNT_MAX)
    .sort((a, b) => validFromOf(a) - validFromOf(b) || a.created - b.created);
  const content = loadPrompt("consolidate-facts", {
    about: JSON.stringify(subject),
    facts: facts.map((fact, n) => shownLine(fact, n + 1)).join("\n"),
  });
  const messages = [{ role: "user" as const, content }];
  const question = {
    messages,
    schema: ResolutionsSchema,
    example: EXAMPLE,
    name: "resolutions",
    temperature: 0,
  };
  const { decisions } = await generateObject(model, question, meter);
  const replacements = new Map<FactItem, FactItem>();
  return decisions.flatMap(({ fact: number, outcome, by: byNumber }) => {
    const fact = facts[number - 1];
    const named = byNumber === null ? undefined : facts[byNumber - 1];
    if (outcome === "stands" || fact === undefined || named === undefined || replacements.has(fact))
      return [];
    const by = finalReplacement(replacements, named);
    if (by === fact || !isReplaceable(outcome, fact, by)) return [];
    const retainedFor = reasonToRetain(outcome, fact, by);
    if (retainedFor === undefined) replacements.set(fact, by);
    return { outcome, fact, by, retainedFor };
  });
}

function shownLine({ text, record, occurredAt }: FactItem, number: number): string {
  return JSON.stringify({
    fact: number,
    since: dateOf(validFromOf({ record, occurredAt })),
    from: record.metadata.trust,
    text: text.slice(0, SHOWN_LENGTH_MAX).toWellFormed(),
  });
}

/**
 * Returns whether nothing is lost: both facts are about the same speaker and share words, and a duplicate has no
 * additional name or number.
 */
function isReplaceable(outcome: Resolution["outcome"], fact: FactItem, by: FactItem): boolean {
  const [one, other] = [fact, by].map(({ text, record }) => ({ text, speaker: speakerOf(record) }));
  return (
    isComparable(one!, other!) &&
    (outcome === "superseded" ? sharedWords(by.text, fact.text) > 0 : mayContain(by.text, fact.text))
  );
}

function finalReplacement(replacements: ReadonlyMap<FactItem, FactItem>, fact: FactItem): FactItem {
  const next = replacements.get(fact);
  return next === undefined ? fact : finalReplacement(replacements, next);
}

/** Returns why a fact is retained: its replacement has lower trust, or a superseding fact is older. */
function reasonToRetain(
  outcome: Resolution["outcome"],
  fact: FactItem,
  by: FactItem,
): Resolution["retainedFor"] | undefined {
  if (isLowerTrust(by.record.metadata.trust, fact.record.metadata.trust)) return "trust";
  return outcome === "superseded" && validFromOf(by) < validFromOf(fact) ? "time" : undefined;
}

/** Returns the time from which the fact is valid, in Unix seconds. */
function validFromOf({ record, occurredAt }: Pick<FactItem, "record" | "occurredAt">): number {
  return record.metadata.valid_from ?? occurredAt;
}

function dateOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
