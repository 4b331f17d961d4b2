import { z } from "zod";
import { isLowerTrust, type LongTermItem } from "../long-term/index.js";
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

const ResolutionsSchema = z.object({
  decisions: z.array(
    z.object({
      fact: z.string().describe("Id of the fact to decide about."),
      outcome: z.enum(["duplicate", "superseded", "stands"]),
      by: z.string().nullable().describe("Id of the fact that replaces it. null if it stands."),
    }),
  ),
});

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
  const facts = [...group].sort((a, b) => validFromOf(a) - validFromOf(b) || a.created - b.created);
  const names = new Map(facts.map((fact, n) => [`F${n + 1}`, fact]));
  const lines = [...names].map(([id, { text, record, ...fact }]) =>
    JSON.stringify({
      id,
      since: dateOf(validFromOf({ record, ...fact })),
      from: record.metadata.trust,
      text,
    }),
  );
  const content = loadPrompt("consolidate-facts", {
    about: JSON.stringify(subject),
    facts: lines.join("\n"),
  });
  const messages = [{ role: "user" as const, content }];
  const question = { messages, schema: ResolutionsSchema, name: "resolutions", temperature: 0 };
  const { decisions } = await generateObject(model, question, meter);
  const replacements = new Map<FactItem, FactItem>();
  return decisions.flatMap(({ fact: factName, outcome, by: byName }) => {
    const fact = names.get(factName);
    const named = byName === null ? undefined : names.get(byName);
    if (outcome === "stands" || fact === undefined || named === undefined || replacements.has(fact))
      return [];
    const by = finalReplacement(replacements, named);
    if (by === fact) return [];
    const retainedFor = reasonToRetain(outcome, fact, by);
    if (retainedFor === undefined) replacements.set(fact, by);
    return { outcome, fact, by, retainedFor };
  });
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
