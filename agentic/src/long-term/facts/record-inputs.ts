import type { MetadataValue, Trust } from "@membus/protocol";
import type { ChatMessage } from "../../model/index.js";
import type { CallContext } from "../call-context.js";
import type { RecordOutcome } from "../outcome.js";
import { isMessage, type Said, saidIn } from "../record-input.js";
import type { Shelves } from "../shelves.js";
import { extractFacts } from "./extract.js";
import type { Candidate } from "./fact.js";
import { recordFacts } from "./record-facts.js";

/** How inputs are to be taken. */
export interface InputFields {
  readonly infer: boolean;
  readonly category?: string | undefined;
  readonly metadata?: Readonly<Record<string, MetadataValue>> | undefined;
  readonly trust?: Trust | undefined;
  readonly sources?: readonly string[] | undefined;
  readonly at?: number | undefined;
}

/** Records inputs as facts: what a model finds in messages, else each as it is. */
export async function recordInputs(
  shelves: Shelves,
  inputs: readonly (string | ChatMessage)[],
  { infer, trust, at, ...fields }: InputFields,
  isForgotten: () => Promise<boolean>,
  context: CallContext,
): Promise<RecordOutcome[]> {
  const { model, ...withoutModel } = context;
  const given = { ...fields, validFrom: at ?? context.clock.now() };
  if (!infer || model === undefined) {
    const candidates = saidIn(inputs, trust).map(({ text, trust: said }) => ({
      ...given,
      text,
      trust: said,
    }));
    return recordCandidates(shelves, candidates, isForgotten, withoutModel);
  }
  const isTalk = inputs.some(isMessage);
  const said = saidIn(inputs, trust);
  const candidates = isTalk
    ? await extractFacts(model, said, given, context)
    : said.map((one: Said): Candidate => ({ ...given, text: one.text, trust: one.trust }));
  return recordCandidates(shelves, candidates, isForgotten, context);
}

/** Each where the word of who said it belongs. */
async function recordCandidates(
  shelves: Shelves,
  candidates: readonly Candidate[],
  isForgotten: () => Promise<boolean>,
  context: CallContext,
): Promise<RecordOutcome[]> {
  const outcomes = new Map<Candidate, RecordOutcome>();
  for (const shelf of shelves.all) {
    const own = candidates.filter(({ trust }) => shelves.for(trust) === shelf);
    const written = await recordFacts(shelf, own, isForgotten, context);
    const isQuarantine = shelf === shelves.quarantine;
    for (const [n, outcome] of written.entries()) {
      const isKept = isQuarantine && outcome.outcome !== "refused";
      outcomes.set(own[n]!, isKept ? { ...outcome, quarantined: true } : outcome);
    }
  }
  return candidates.map((candidate) => outcomes.get(candidate)!);
}
