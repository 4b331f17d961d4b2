import type { MetadataValue } from "@membus/protocol";
import type { Trust } from "@membus/protocol/records";
import type { ChatMessage } from "../../model/index.js";
import type { CallContext } from "../call-context.js";
import type { MainAndQuarantine } from "../main-and-quarantine.js";
import type { RecordOutcome } from "../outcome.js";
import { isMessage, toUtterances, type Utterance } from "../record-input.js";
import { extractFacts } from "./extract.js";
import type { Candidate } from "./fact.js";
import { recordFacts } from "./record-facts.js";

/** Options for the inputs. */
export interface InputFields {
  readonly infer: boolean;
  readonly category?: string | undefined;
  readonly metadata?: Readonly<Record<string, MetadataValue>> | undefined;
  readonly trust?: Trust | undefined;
  readonly sources?: readonly string[] | undefined;
  readonly at?: number | undefined;
}

/**
 * Records inputs as facts. With a model, facts are extracted from messages. Otherwise each input becomes a
 * fact.
 */
export async function recordInputs(
  namespaces: MainAndQuarantine,
  inputs: readonly (string | ChatMessage)[],
  { infer, trust, at, ...fields }: InputFields,
  isForgotten: () => Promise<boolean>,
  context: CallContext,
): Promise<RecordOutcome[]> {
  const { model, ...withoutModel } = context;
  const given = { ...fields, validFrom: at ?? context.clock.now() };
  if (!infer || model === undefined) {
    const candidates = toUtterances(inputs, trust).map(({ text, trust: utteranceTrust }) => ({
      ...given,
      text,
      trust: utteranceTrust,
    }));
    return recordCandidates(namespaces, candidates, isForgotten, withoutModel);
  }
  const hasMessages = inputs.some(isMessage);
  const utterances = toUtterances(inputs, trust);
  const candidates = hasMessages
    ? await extractFacts(model, utterances, given, context)
    : utterances.map((one: Utterance): Candidate => ({ ...given, text: one.text, trust: one.trust }));
  return recordCandidates(namespaces, candidates, isForgotten, context);
}

/** Records each candidate in the main namespace or in quarantine, depending on its trust. */
export async function recordCandidates(
  namespaces: MainAndQuarantine,
  candidates: readonly Candidate[],
  isForgotten: () => Promise<boolean>,
  context: CallContext,
): Promise<RecordOutcome[]> {
  const outcomes = new Map<Candidate, RecordOutcome>();
  for (const view of namespaces.all) {
    const own = candidates.filter(({ trust }) => namespaces.for(trust) === view);
    const written = await recordFacts(view, own, isForgotten, context);
    const isQuarantine = view === namespaces.quarantine;
    for (const [n, outcome] of written.entries()) {
      const isKept = isQuarantine && outcome.outcome !== "refused";
      outcomes.set(own[n]!, isKept ? { ...outcome, quarantined: true } : outcome);
    }
  }
  return candidates.map((candidate) => outcomes.get(candidate)!);
}
