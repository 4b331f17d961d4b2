import type { AgentMemory } from "@membus/agent-client";
import { type Clock, parseOptions, systemClock } from "@membus/protocol";
import type { Trust } from "@membus/protocol/records";
import { CostMeter } from "../../model/index.js";
import { LongTermOptionsSchema } from "../long-term-options.js";
import { MainAndQuarantine } from "../main-and-quarantine.js";
import type { RecordOutcome } from "../outcome.js";
import type { EntrySettings } from "./fact.js";
import { forgetMark } from "./forget-mark.js";
import { recordCandidates } from "./record-inputs.js";

/** A text to store as a fact, with the settings of its entry. */
export interface FactInput extends EntrySettings {
  readonly text: string;
}

export interface StoreFactsOptions {
  /**
   * Trust of the facts.
   * @default "agent"
   */
  readonly trust?: Trust | undefined;
  /** @default systemClock */
  readonly clock?: Clock | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Stores texts as facts about a subject in the episodic tier, without a model. Facts of `LongTermMemory` with the same text are
 * duplicates. Returns the outcome of each text, in order.
 * @throws {MemoryError} for failures of the bus or the host. An entry that the host rejects is "refused".
 */
export async function storeFacts(
  memory: AgentMemory,
  about: string,
  facts: readonly FactInput[],
  { trust = "agent", clock = systemClock, signal }: StoreFactsOptions = {},
): Promise<RecordOutcome[]> {
  const options = parseOptions(LongTermOptionsSchema, { subject: about });
  const namespaces = new MainAndQuarantine(memory, options);
  const mark = await forgetMark(namespaces.main);
  const isForgotten = async () => (await forgetMark(namespaces.main)) > mark;
  const validFrom = clock.now();
  const candidates = facts.map(({ text, ...settings }) => ({ text, trust, validFrom, settings }));
  const context = { options, clock, meter: new CostMeter(clock), signal };
  return recordCandidates(namespaces, candidates, isForgotten, context);
}
