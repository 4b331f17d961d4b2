import { canonicalText } from "@membus/protocol";
import { z } from "zod";
import { askFor, type ChatModel, loadPrompt } from "../../model/index.js";
import { newestSources } from "../../sources.js";
import type { CallContext } from "../call-context.js";
import type { NamespaceView } from "../shelf.js";
import { type Candidate, FACT_LENGTH_MAX, type Fact, isWeaker, saidWords, weakest } from "./fact.js";
import { lookUp } from "./look-up.js";
import { type Looked, type Plan, planDuplicate, planNew } from "./plan.js";

/** What is to be done with each candidate. */
export async function decide(shelf: NamespaceView, looked: readonly Looked[], context: CallContext): Promise<Plan[]> {
  const plans = new Map(looked.map((one) => [one, planWithoutModel(one, context.model !== undefined)]));
  const open = looked.filter((one) => plans.get(one) === undefined);
  if (context.model !== undefined && open.length > 0) {
    const asked = await askModel(context.model, open, context);
    for (const plan of await withSlots(shelf, asked, context)) {
      plans.set(open.find(({ pending }) => pending === plan.pending)!, plan);
    }
  }
  return looked.map((one) => plans.get(one)!);
}

/** Undefined where only a model can tell. Without one nothing is dropped for being alike: what differs may matter. */
function planWithoutModel(looked: Looked, hasModel: boolean): Plan | undefined {
  const { pending, slot, neighbours } = looked;
  if (slot.current !== undefined && slot.current.id !== pending.writtenId) {
    return planDuplicate(looked, slot.current);
  }
  if (neighbours.length === 0) return planNew(looked);
  if (hasModel) return undefined;
  const words = saidWords(pending.candidate.text);
  const same = neighbours.find(({ text }) => words !== "" && saidWords(text) === words);
  if (same !== undefined) return planDuplicate(looked, same);
  return planNew(
    looked,
    neighbours.map(({ id, text, entry }) => ({ id, text, score: entry.score })),
  );
}

const DecisionsSchema = z.object({
  decisions: z.array(
    z.object({
      news: z.int().describe("The number of the news."),
      outcome: z.enum(["new", "updated", "extended", "duplicate", "superseded"]),
      fact: z
        .string()
        .nullable()
        .describe("The id of the known fact that it is about; null where it is new."),
      text: z
        .string()
        .nullable()
        .describe("For updated and extended: the fact as it is to be kept. Else null."),
    }),
  ),
});
type Decision = z.infer<typeof DecisionsSchema>["decisions"][number];

/** One question for all. What the answer leaves out, or says of facts that there are not, is new. */
async function askModel(model: ChatModel, looked: readonly Looked[], context: CallContext): Promise<Plan[]> {
  const facts = new Map<string, Fact>();
  for (const { neighbours } of looked) for (const fact of neighbours) facts.set(fact.id, fact);
  const names = new Map([...facts.values()].map((fact, n) => [`F${n + 1}`, fact]));
  const content = loadPrompt("decide-facts", {
    about: JSON.stringify(context.options.about),
    facts: [...names].map(([id, { text }]) => JSON.stringify({ id, text })).join("\n"),
    news: looked
      .map(({ pending }, n) => JSON.stringify({ news: n + 1, text: pending.candidate.text }))
      .join("\n"),
  });
  const answer = await askFor(
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
  return looked.map((one, n) => {
    const decision = answer.decisions.find(({ news }) => news === n + 1);
    return planOf(one, decision, decision?.fact == null ? undefined : names.get(decision.fact));
  });
}

/** A fact is only changed on the word of somebody who counts for as much as who told it. */
function planOf(looked: Looked, decision: Decision | undefined, target: Fact | undefined): Plan {
  const { pending, slot } = looked;
  if (decision === undefined || target === undefined || decision.outcome === "new") return planNew(looked);
  if (decision.outcome === "duplicate") {
    return pending.writtenId === undefined ? planDuplicate(looked, target) : planNew(looked);
  }
  if (isWeaker(pending.candidate.trust, target.metadata.trust)) return planNew(looked);
  const { outcome } = decision;
  const plain = { pending, outcome, candidate: pending.candidate, slot, target };
  const merged = canonicalText(decision.text ?? "");
  const isMerged = outcome !== "superseded" && merged !== "" && merged.length <= FACT_LENGTH_MAX;
  if (!isMerged || pending.writtenId !== undefined) return plain;
  if (merged === target.text) return planDuplicate(looked, target);
  return { ...plain, candidate: mergedCandidate(pending.candidate, target, merged) };
}

function mergedCandidate(candidate: Candidate, { metadata, entry }: Fact, text: string): Candidate {
  const sources = newestSources([...(entry.sources ?? []), ...(candidate.sources ?? [])]);
  return {
    ...candidate,
    text,
    // It says what the target said: what that is from has made it, too.
    sources: sources.length === 0 ? undefined : sources,
    trust: weakest([candidate.trust, metadata.trust]),
    category: candidate.category ?? metadata.category,
  };
}

/** A text that a model has made may be there already, too. */
async function withSlots(shelf: NamespaceView, plans: readonly Plan[], { clock }: CallContext): Promise<Plan[]> {
  const made = plans.filter(({ candidate, pending }) => candidate.text !== pending.candidate.text);
  const slots = await lookUp(
    shelf,
    made.map(({ candidate }) => candidate.text),
    clock.now(),
  );
  return plans.map((plan) => ({ ...plan, slot: slots.get(plan.candidate.text) ?? plan.slot }));
}
