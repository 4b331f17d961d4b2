import { z } from "zod";
import { isWeaker, type LongTermItem } from "../long-term/index.js";
import { askFor, type ChatModel, type CostMeter, loadPrompt } from "../model/index.js";

export type FactItem = LongTermItem & { readonly kind: "fact" };

/** A fact, and the one that is to take its place. */
export interface Resolution {
  readonly outcome: "duplicate" | "superseded";
  readonly fact: FactItem;
  readonly by: FactItem;
  /** Why it stays all the same: its word counts for more, or it is the later one. */
  readonly stays?: "trust" | "time" | undefined;
}

const ResolutionsSchema = z.object({
  decisions: z.array(
    z.object({
      fact: z.string().describe("The id of the fact that it is about."),
      outcome: z.enum(["duplicate", "superseded", "stands"]),
      by: z.string().nullable().describe("The id of the fact that takes its place; null where it stands."),
    }),
  ),
});

/**
 * What the model says of facts that are alike, in its order: each once at most, and none by way of others in its own place.
 * What it says of facts that there are not counts for nothing.
 * @throws {ModelError} as `askFor`.
 */
export async function askAboutGroup(
  model: ChatModel,
  about: string,
  group: readonly FactItem[],
  meter: CostMeter,
): Promise<Resolution[]> {
  const facts = [...group].sort((a, b) => sinceOf(a) - sinceOf(b) || a.created - b.created);
  const names = new Map(facts.map((fact, n) => [`F${n + 1}`, fact]));
  const lines = [...names].map(([id, { text, record, ...fact }]) =>
    JSON.stringify({ id, since: dateOf(sinceOf({ record, ...fact })), from: record.metadata.trust, text }),
  );
  const content = loadPrompt("consolidate-facts", { about: JSON.stringify(about), facts: lines.join("\n") });
  const messages = [{ role: "user" as const, content }];
  const question = { messages, schema: ResolutionsSchema, name: "resolutions", temperature: 0 };
  const { decisions } = await askFor(model, question, meter);
  const places = new Map<FactItem, FactItem>();
  return decisions.flatMap(({ fact: factName, outcome, by: byName }) => {
    const fact = names.get(factName);
    const named = byName === null ? undefined : names.get(byName);
    if (outcome === "stands" || fact === undefined || named === undefined || places.has(fact)) return [];
    const by = lastOf(places, named);
    if (by === fact) return [];
    const stays = whyItStays(outcome, fact, by);
    if (stays === undefined) places.set(fact, by);
    return { outcome, fact, by, stays };
  });
}

function lastOf(places: ReadonlyMap<FactItem, FactItem>, fact: FactItem): FactItem {
  const next = places.get(fact);
  return next === undefined ? fact : lastOf(places, next);
}

/** Nobody's fact goes on the word of somebody who counts for less, and none because of what was true before it. */
function whyItStays(
  outcome: Resolution["outcome"],
  fact: FactItem,
  by: FactItem,
): Resolution["stays"] | undefined {
  if (isWeaker(by.record.metadata.trust, fact.record.metadata.trust)) return "trust";
  return outcome === "superseded" && sinceOf(by) < sinceOf(fact) ? "time" : undefined;
}

/** Unix seconds. */
function sinceOf({ record, occurredAt }: Pick<FactItem, "record" | "occurredAt">): number {
  return record.metadata.valid_from ?? occurredAt;
}

function dateOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
