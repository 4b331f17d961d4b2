import type { AgentMemory } from "@membus/agent-client";
import { type Clock, keyHash, type Logger, MemoryError } from "@membus/protocol";
import { FORGOTTEN, LongTermMemory, type RecordOutcome } from "../long-term/index.js";
import { type ChatModel, type Cost, CostMeter, ModelError } from "../model/index.js";
import type { AnswerJournal } from "./answer-journal.js";
import type { Batch } from "./batch.js";
import type { LearnedTalk, ResolvedLearnerOptions } from "./learner-options.js";

/** What a learner needs of others. */
export interface LearnerServices {
  readonly model: ChatModel;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What was learned from messages of a conversation. */
export interface LearnedBatch {
  readonly conversation: string;
  /** Absent: nobody wants it to be learned from, and nothing was recorded. */
  readonly about?: string | undefined;
  /** How many messages. */
  readonly messages: number;
  /** As of `LongTermMemory.record`. */
  readonly outcomes: readonly RecordOutcome[];
  readonly cost: Cost;
}

const NOTHING: Cost = { modelCalls: 0, inputTokens: 0, outputTokens: 0, tookMs: 0, entriesWritten: 0 };

/** Refusals that would be the same again. */
const FINAL_CODES = ["schema_violation", "too_large"];

/**
 * Records what is said in a batch. Done again, with the same answers of the model, it writes nothing twice.
 * @throws {ModelError|MemoryError} also for what was refused and may be recorded another time.
 */
export async function learnBatch(
  memory: AgentMemory,
  conversation: string,
  { messages, to }: Batch,
  options: ResolvedLearnerOptions,
  { model: journal, clock, logger }: LearnerServices & { readonly model: AnswerJournal },
  signal: AbortSignal,
): Promise<LearnedBatch> {
  const talk = { conversation, messages: messages.map(({ message }) => message) };
  const about = messages.length === 0 ? undefined : await aboutOf(talk, options);
  const told = { conversation, about, messages: messages.length };
  if (about === undefined) return { ...told, outcomes: [], cost: NOTHING };
  const saidAt = clockAt(messages.at(-1)!.created, clock);
  const longTerm = longTermOf(memory, about, options, { model: journal, clock: saidAt, logger });
  const meter = new CostMeter(clock);
  const from = messages[0]!.seq;
  try {
    const metadata = { conversation, from, to };
    const hashes = messages.map(({ id }) => keyHash({ conversation, message: id }));
    const sources = options.sources ? hashes : undefined;
    const { outcomes, cost } = await longTerm.record(talk.messages, { metadata, sources, signal });
    failIfUnfinished(outcomes, journal.failure);
    return { ...told, outcomes, cost: { ...cost, tookMs: meter.cost.tookMs } };
  } catch (error) {
    if (isWrongAnswer(error)) await journal.forgetLast();
    throw error;
  }
}

export function longTermOf(
  memory: AgentMemory,
  about: string,
  { longTerm }: ResolvedLearnerOptions,
  services: LearnerServices,
): LongTermMemory {
  return new LongTermMemory(memory, { ...longTerm, about, runQueued: false }, services);
}

async function aboutOf(talk: LearnedTalk, { about }: ResolvedLearnerOptions): Promise<string | undefined> {
  return typeof about === "string" ? about.replaceAll("{conversation}", talk.conversation) : about(talk);
}

/** "Tomorrow" is the day after it was said, whenever it is learned; and what is asked again later is the same question. */
function clockAt(time: number, clock: Clock): Clock {
  return { now: () => time, after: (...timer) => clock.after(...timer) };
}

/** What a model fails with when something is written already is told in the outcomes. */
function failIfUnfinished(outcomes: readonly RecordOutcome[], failure: ModelError | undefined): void {
  const reasons = outcomes.flatMap(({ reason }) =>
    reason === undefined || reason === FORGOTTEN ? [] : reason,
  );
  if (failure !== undefined && reasons.includes(`${failure.code}: ${failure.message}`)) throw failure;
  const reason = reasons.find((one) => !FINAL_CODES.includes(one.slice(0, one.indexOf(":"))));
  if (reason === undefined) return;
  if (/^(invalid_output|refused):/.test(reason)) throw new ModelError("invalid_output", reason);
  throw new MemoryError("unavailable", `not all was recorded: ${reason}`);
}

/** Asked the same again, a model may answer better. */
function isWrongAnswer(error: unknown): boolean {
  return error instanceof ModelError && (error.code === "invalid_output" || error.code === "refused");
}
