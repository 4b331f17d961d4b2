import { canonicalText } from "@membus/protocol/records";
import { z } from "zod";
import { type ChatModel, generateObject, loadPrompt } from "../../model/index.js";
import { newestSources } from "../../sources.js";
import type { CallContext } from "../call-context.js";
import type { NamespaceView } from "../namespace-view.js";
import { WRITTEN_FACT_LENGTH_MAX } from "./extract.js";
import {
  type Candidate,
  type Fact,
  hasNewDetail,
  hasOtherDetail,
  isLowerTrust,
  lowestTrust,
  mayContain,
  normalizedWords,
  sharedDetails,
  sharedWords,
  shareWord,
} from "./fact.js";
import { lookUp } from "./look-up.js";
import { type ComparedCandidate, type Plan, planDuplicate, planNew } from "./plan.js";
import { dayOf } from "./resolve-dates.js";

/** Returns a plan for each candidate. */
export async function decide(
  view: NamespaceView,
  found: readonly ComparedCandidate[],
  context: CallContext,
): Promise<Plan[]> {
  const compared = context.model === undefined ? found : found.map(withRelated);
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
 * Puts known facts with the same names and numbers first, and leaves out those without a word in common. Words
 * about the same situation count if no others do. A small model relates a statement to any known fact.
 */
function withRelated(compared: ComparedCandidate): ComparedCandidate {
  const { text } = compared.pending.candidate;
  const related = compared.neighbours.filter((fact) => sharedWords(text, fact.text) > 0);
  const sharing = related.filter((fact) => shareWord(text, fact.text));
  const details = (fact: Fact) => sharedDetails(text, fact.text);
  const neighbours = (sharing.length > 0 ? sharing : related).toSorted((a, b) => details(b) - details(a));
  return { ...compared, neighbours };
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

/** Maximum number of news in one question, and of known facts shown with them. */
const NEWS_COUNT_MAX = 20;
const KNOWN_COUNT_MAX = 60;
/** Longer texts are shown in part. */
const SHOWN_LENGTH_MAX = 400;

const DecisionSchema = z.object({
  news: z.int().min(0).max(99_999).describe("The number of the news item."),
  fact: z
    .int()
    .min(0)
    .max(99_999)
    .nullable()
    .describe("The number of the known fact below the news item, or null if it is new."),
  outcome: z.enum(["new", "duplicate", "superseded", "updated", "extended"]),
  text: z
    .string()
    .max(WRITTEN_FACT_LENGTH_MAX)
    .nullable()
    .describe("Only for updated and extended: the text to store. Otherwise null."),
});
type Decision = z.infer<typeof DecisionSchema>;

/** Schema of the answer about at most 20 news. */
export const DecisionsSchema = z.object({ decisions: z.array(DecisionSchema).max(NEWS_COUNT_MAX) });

const EXAMPLE = {
  decisions: [
    { news: 1, fact: 2, outcome: "superseded" as const, text: null },
    { news: 2, fact: null, outcome: "new" as const, text: null },
  ],
};

/** News, each with known facts, and the right decisions. */
const DEMONSTRATION = {
  question: loadPrompt("decide-facts-example"),
  answer: DecisionsSchema.parse(JSON.parse(loadPrompt("decide-facts-answer"))),
};

/** Decides about all candidates, at most 20 in one question. */
async function askModel(
  model: ChatModel,
  compared: readonly ComparedCandidate[],
  context: CallContext,
): Promise<Plan[]> {
  const plans: Plan[] = [];
  for (let from = 0; from < compared.length; from += NEWS_COUNT_MAX) {
    plans.push(...(await askAbout(model, compared.slice(from, from + NEWS_COUNT_MAX), context)));
  }
  return plans;
}

/**
 * Asks one question. The model gets short numbers as ids. Candidates that the answer omits, or relates to
 * unknown facts, are new.
 */
async function askAbout(
  model: ChatModel,
  compared: readonly ComparedCandidate[],
  context: CallContext,
): Promise<Plan[]> {
  const countMax = Math.floor(KNOWN_COUNT_MAX / compared.length);
  const shown = compared.map(({ neighbours }) => neighbours.slice(0, countMax));
  const news = compared.flatMap(({ pending: { candidate } }, n) => [
    shownLine("news", n + 1, candidate.validFrom, candidate.text),
    ...shown[n]!.map(({ metadata, entry, text }, m) =>
      shownLine("fact", m + 1, metadata.valid_from ?? entry.occurred_at, text),
    ),
  ]);
  const answer = await generateObject(
    model,
    {
      messages: [
        {
          role: "system",
          content: loadPrompt("decide-facts", { about: JSON.stringify(context.options.subject) }),
        },
        { role: "user", content: news.join("\n") },
      ],
      demonstration: DEMONSTRATION,
      schema: DecisionsSchema,
      example: EXAMPLE,
      name: "decisions",
      temperature: 0,
      signal: context.signal,
    },
    context.meter,
  );
  return compared.map((one, n) => {
    const decision = answer.decisions.find(({ news }) => news === n + 1);
    const target = decision?.fact == null ? undefined : shown[n]![decision.fact - 1];
    return planOf(one, decision, target);
  });
}

function shownLine(name: "fact" | "news", number: number, time: number, text: string): string {
  return JSON.stringify({
    [name]: number,
    date: dayOf(time),
    text: text.slice(0, SHOWN_LENGTH_MAX).toWellFormed(),
  });
}

/**
 * Converts a decision to a plan. A fact is not changed by a candidate with lower trust. Nothing is lost: a
 * candidate with a new name or number is no duplicate. A merged text must keep the names and numbers of both.
 */
function planOf(compared: ComparedCandidate, decision: Decision | undefined, target: Fact | undefined): Plan {
  const { pending, slot } = compared;
  const { candidate } = pending;
  if (decision === undefined || target === undefined || decision.outcome === "new") return planNew(compared);
  if (decision.outcome === "duplicate") {
    const isDuplicate = pending.writtenId === undefined && mayContain(target.text, candidate.text);
    if (isDuplicate) return planDuplicate(compared, target);
    if (!hasOtherDetail(candidate.text, target.text)) return planNew(compared);
  }
  if (isLowerTrust(candidate.trust, target.metadata.trust)) return planNew(compared);
  const outcome = decision.outcome === "duplicate" ? "superseded" : decision.outcome;
  const plain = { pending, outcome, candidate, slot, target };
  if (outcome === "superseded" || pending.writtenId !== undefined) return plain;
  const merged = canonicalText(decision.text ?? "");
  const isMerged =
    merged !== "" && target.text.length <= SHOWN_LENGTH_MAX && !hasNewDetail(candidate.text, merged);
  if (outcome === "updated" && !isMerged) return plain;
  if (outcome === "updated") return mergedPlan(compared, outcome, target, merged);
  // Without a text that contains both, both stay.
  const isWhole = isMerged && !hasNewDetail(target.text, merged);
  return isWhole ? mergedPlan(compared, outcome, target, merged) : planNew(compared);
}

function mergedPlan(
  compared: ComparedCandidate,
  outcome: "updated" | "extended",
  target: Fact,
  text: string,
): Plan {
  const { pending, slot } = compared;
  if (text === target.text) return planDuplicate(compared, target);
  return { pending, outcome, candidate: mergedCandidate(pending.candidate, target, text), slot, target };
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
