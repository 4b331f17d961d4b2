import { canonicalText } from "@membus/protocol/records";
import { z } from "zod";
import { type ChatModel, generateObject, loadPrompt } from "../../model/index.js";
import { newestSources } from "../../sources.js";
import type { CallContext } from "../call-context.js";
import type { NamespaceView } from "../namespace-view.js";
import {
  type Candidate,
  FACT_LENGTH_MAX,
  type Fact,
  isLowerTrust,
  lowestTrust,
  normalizedWords,
} from "./fact.js";
import { lookUp } from "./look-up.js";
import { type ComparedCandidate, type Plan, planDuplicate, planNew } from "./plan.js";

/** Returns a plan for each candidate. */
export async function decide(
  view: NamespaceView,
  compared: readonly ComparedCandidate[],
  context: CallContext,
): Promise<Plan[]> {
  const plans = new Map(compared.map((one) => [one, planWithoutModel(one, context.model !== undefined)]));
  const open = compared.filter((one) => plans.get(one) === undefined);
  if (context.model !== undefined && open.length > 0) {
    const modelPlans = await askModel(context.model, open, context);
    for (const plan of await withSlots(view, modelPlans, context)) {
      plans.set(open.find(({ pending }) => pending === plan.pending)!, plan);
    }
  }
  return compared.map((one) => plans.get(one)!);
}

/**
 * Returns the plan, or undefined if only a model can decide. Without a model, similar facts are kept, because
 * their difference may matter.
 */
function planWithoutModel(compared: ComparedCandidate, hasModel: boolean): Plan | undefined {
  const { pending, slot, neighbours } = compared;
  if (slot.current !== undefined && slot.current.id !== pending.writtenId) {
    return planDuplicate(compared, slot.current);
  }
  if (neighbours.length === 0) return planNew(compared);
  if (hasModel) return undefined;
  const words = normalizedWords(pending.candidate.text);
  const same = neighbours.find(({ text }) => words !== "" && normalizedWords(text) === words);
  if (same !== undefined) return planDuplicate(compared, same);
  return planNew(
    compared,
    neighbours.map(({ id, text, entry }) => ({ id, text, score: entry.score })),
  );
}

const DecisionsSchema = z.object({
  decisions: z.array(
    z.object({
      news: z.int().describe("The number of the news item."),
      outcome: z.enum(["new", "updated", "extended", "duplicate", "superseded"]),
      fact: z.string().nullable().describe("The id of the known fact that it relates to. null if it is new."),
      text: z
        .string()
        .nullable()
        .describe("For updated and extended: the text of the fact to store. Otherwise null."),
    }),
  ),
});
type Decision = z.infer<typeof DecisionsSchema>["decisions"][number];

/**
 * Asks one question about all candidates. Candidates that the answer omits, or relates to unknown facts, are
 * new.
 */
async function askModel(
  model: ChatModel,
  compared: readonly ComparedCandidate[],
  context: CallContext,
): Promise<Plan[]> {
  const facts = new Map<string, Fact>();
  for (const { neighbours } of compared) for (const fact of neighbours) facts.set(fact.id, fact);
  const names = new Map([...facts.values()].map((fact, n) => [`F${n + 1}`, fact]));
  const content = loadPrompt("decide-facts", {
    about: JSON.stringify(context.options.subject),
    facts: [...names].map(([id, { text }]) => JSON.stringify({ id, text })).join("\n"),
    news: compared
      .map(({ pending }, n) => JSON.stringify({ news: n + 1, text: pending.candidate.text }))
      .join("\n"),
  });
  const answer = await generateObject(
    model,
    {
      messages: [{ role: "user", content }],
      schema: DecisionsSchema,
      name: "decisions",
      temperature: 0,
      signal: context.signal,
    },
    context.meter,
  );
  return compared.map((one, n) => {
    const decision = answer.decisions.find(({ news }) => news === n + 1);
    return planOf(one, decision, decision?.fact == null ? undefined : names.get(decision.fact));
  });
}

/** Converts a decision to a plan. A fact is not changed by a candidate with lower trust. */
function planOf(compared: ComparedCandidate, decision: Decision | undefined, target: Fact | undefined): Plan {
  const { pending, slot } = compared;
  if (decision === undefined || target === undefined || decision.outcome === "new") return planNew(compared);
  if (decision.outcome === "duplicate") {
    return pending.writtenId === undefined ? planDuplicate(compared, target) : planNew(compared);
  }
  if (isLowerTrust(pending.candidate.trust, target.metadata.trust)) return planNew(compared);
  const { outcome } = decision;
  const plain = { pending, outcome, candidate: pending.candidate, slot, target };
  const merged = canonicalText(decision.text ?? "");
  const isMerged = outcome !== "superseded" && merged !== "" && merged.length <= FACT_LENGTH_MAX;
  if (!isMerged || pending.writtenId !== undefined) return plain;
  if (merged === target.text) return planDuplicate(compared, target);
  return { ...plain, candidate: mergedCandidate(pending.candidate, target, merged) };
}

function mergedCandidate(candidate: Candidate, { metadata, entry }: Fact, text: string): Candidate {
  const sources = newestSources([...(entry.sources ?? []), ...(candidate.sources ?? [])]);
  return {
    ...candidate,
    text,
    // The merged text contains the target's text, so it derives from its sources too.
    sources: sources.length === 0 ? undefined : sources,
    trust: lowestTrust([candidate.trust, metadata.trust]),
    category: candidate.category ?? metadata.category,
  };
}

/** Looks up merged texts, because they may already exist as facts. */
async function withSlots(
  view: NamespaceView,
  plans: readonly Plan[],
  { clock }: CallContext,
): Promise<Plan[]> {
  const made = plans.filter(({ candidate, pending }) => candidate.text !== pending.candidate.text);
  const slots = await lookUp(
    view,
    made.map(({ candidate }) => candidate.text),
    clock.now(),
  );
  return plans.map((plan) => ({ ...plan, slot: slots.get(plan.candidate.text) ?? plan.slot }));
}
