import { randomUUID } from "node:crypto";
import type { MetadataValue } from "@membus/protocol";
import { canonicalText, type Trust } from "@membus/protocol/records";
import type { ChatMessage } from "../../model/index.js";
import { splitText } from "../../split-text.js";
import type { CallContext } from "../call-context.js";
import type { MainAndQuarantine } from "../main-and-quarantine.js";
import type { NamespaceView } from "../namespace-view.js";
import type { RecordOutcome } from "../outcome.js";
import { isMessage, toUtterances, type Utterance } from "../record-input.js";
import { isStatement } from "../statement.js";
import { extractFacts, type GivenFields } from "./extract.js";
import { type Candidate, type EntrySettings, FACT_LENGTH_MAX } from "./fact.js";
import { recordFacts } from "./record-facts.js";

/** Number of preceding utterances that are the context of a fact. */
const CONTEXT_COUNT = 2;
/** Maximum length of each in characters. */
const CONTEXT_LENGTH_MAX = 2_000;

/** Options for the inputs. */
export interface InputFields {
  readonly infer: boolean;
  readonly category?: string | undefined;
  readonly metadata?: Readonly<Record<string, MetadataValue>> | undefined;
  readonly trust?: Trust | undefined;
  readonly sources?: readonly string[] | undefined;
  readonly at?: number | undefined;
  readonly group?: string | undefined;
  readonly statementsOnly?: boolean | undefined;
}

/**
 * Records inputs as facts. With a model, facts are extracted from messages. Otherwise each input becomes a
 * fact.
 */
export async function recordInputs(
  namespaces: MainAndQuarantine,
  inputs: readonly (string | ChatMessage)[],
  { infer, trust, at, group, statementsOnly, ...fields }: InputFields,
  isForgotten: () => Promise<boolean>,
  context: CallContext,
): Promise<RecordOutcome[]> {
  const { model, ...withoutModel } = context;
  const settings = entryGroup(inputs, group);
  const given = { ...fields, validFrom: at ?? context.clock.now(), settings };
  const utterances = toUtterances(inputs, trust);
  const literal = () => literalCandidates(namespaces, utterances, given, statementsOnly === true);
  if (!infer || model === undefined)
    return recordCandidates(namespaces, literal(), isForgotten, withoutModel);
  // A text that is too long for a fact has several facts, such as a message.
  const isExtracted = inputs.some(isMessage) || utterances.some(({ text }) => text.length > FACT_LENGTH_MAX);
  const candidates = isExtracted ? await extractFacts(model, utterances, given, context) : literal();
  return recordCandidates(namespaces, candidates, isForgotten, context);
}

/** Returns the group of the facts. Several messages without a group get a new one. */
function entryGroup(inputs: readonly (string | ChatMessage)[], group: string | undefined): EntrySettings {
  if (group !== undefined) return { group };
  return inputs.filter(isMessage).length > 1 ? { group: randomUUID() } : {};
}

/**
 * Returns a candidate for each utterance, and several for one that is too long for a fact. In a group, the
 * preceding utterances of the call are the context of a candidate, also those that are left out.
 */
function literalCandidates(
  namespaces: MainAndQuarantine,
  utterances: readonly Utterance[],
  given: GivenFields,
  statementsOnly: boolean,
): Candidate[] {
  const earlier = new Map<NamespaceView, string[]>();
  return utterances.flatMap((utterance) => {
    const { text, trust, speaker, at = given.validFrom } = utterance;
    const named = text === "" || speaker === undefined ? text : `${speaker}: ${text}`;
    const view = namespaces.for(trust);
    const before = earlier.get(view) ?? [];
    earlier.set(view, [...before, ...contextText(named)].slice(-CONTEXT_COUNT));
    if (statementsOnly && text !== "" && !isStatement(utterance)) return [];
    const settings = { ...given.settings, ...contextOf(before, given.settings?.group) };
    const parts = named.length <= FACT_LENGTH_MAX ? [named] : splitText(named, FACT_LENGTH_MAX);
    return parts.map((part) => ({ ...given, validFrom: at, text: part, trust, speaker, settings }));
  });
}

/** Long texts are left out, because they hide the short one that they are the context of. */
function contextText(text: string): string[] {
  const canonical = canonicalText(text);
  return canonical === "" || canonical.length > CONTEXT_LENGTH_MAX ? [] : [canonical];
}

function contextOf(
  texts: readonly string[],
  group: string | null | undefined,
): { readonly context?: string } {
  return group == null || texts.length === 0 ? {} : { context: texts.join("\n") };
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
