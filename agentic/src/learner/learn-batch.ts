import type { AgentMemory } from "@membus/agent-client";
import { type Clock, keyHash, MemoryError } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import { FORGOTTEN, LongTermMemory, type RecordOutcome } from "../long-term/index.js";
import { type ChatModel, type Cost, CostMeter, ModelError } from "../model/index.js";
import type { AnswerJournal } from "./answer-journal.js";
import type { Batch } from "./batch.js";
import type { LearnerInput, ResolvedLearnerOptions } from "./learner-options.js";

/** The services that a learner uses. */
export interface LearnerServices {
  readonly model: ChatModel;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The result of learning messages of a conversation. */
export interface LearnedBatch {
  readonly conversation: string;
  /** Absent: the `subject` option excluded the messages, and nothing was recorded. */
  readonly subject?: string | undefined;
  /** Number of messages. */
  readonly messages: number;
  /** As `LongTermMemory.record` returns them. */
  readonly outcomes: readonly RecordOutcome[];
  readonly cost: Cost;
}

const NOTHING: Cost = { modelCalls: 0, inputTokens: 0, outputTokens: 0, tookMs: 0, entriesWritten: 0 };

/** Error codes that would be the same after a retry. */
const FINAL_CODES = ["schema_violation", "too_large"];

/**
 * Records the content of a batch. Repeating it with the same answers of the model writes nothing twice.
 * @throws {ModelError|MemoryError} also for refused facts that may be recorded later.
 */
export async function learnBatch(
  memory: AgentMemory,
  conversation: string,
  { messages, to }: Batch,
  options: ResolvedLearnerOptions,
  { model: journal, clock, logger }: LearnerServices & { readonly model: AnswerJournal },
  signal: AbortSignal,
): Promise<LearnedBatch> {
  const input = { conversation, messages: messages.map(({ message }) => message) };
  const subject = messages.length === 0 ? undefined : await subjectOf(input, options);
  const base = { conversation, subject, messages: messages.length };
  if (subject === undefined) return { ...base, outcomes: [], cost: NOTHING };
  const batchClock = clockAt(messages.at(-1)!.created, clock);
  const longTerm = longTermOf(memory, subject, options, { model: journal, clock: batchClock, logger });
  const meter = new CostMeter(clock);
  const from = messages[0]!.seq;
  try {
    const metadata = { conversation, from, to };
    const dated = messages.map(({ message, created }) => ({ at: created, ...message }));
    const hashes = messages.map(({ id }) => keyHash({ conversation, message: id }));
    const sources = options.sources ? hashes : undefined;
    const { outcomes, cost } = await longTerm.record(dated, { metadata, sources, signal });
    failIfUnfinished(outcomes, journal.failure);
    return { ...base, outcomes, cost: { ...cost, tookMs: meter.cost.tookMs } };
  } catch (error) {
    if (isWrongAnswer(error)) await journal.forgetLast();
    throw error;
  }
}

export function longTermOf(
  memory: AgentMemory,
  subject: string,
  { longTerm }: ResolvedLearnerOptions,
  services: LearnerServices,
): LongTermMemory {
  return new LongTermMemory(memory, { ...longTerm, subject, runQueued: false }, services);
}

async function subjectOf(
  input: LearnerInput,
  { subject }: ResolvedLearnerOptions,
): Promise<string | undefined> {
  return typeof subject === "string"
    ? subject.replaceAll("{conversation}", input.conversation)
    : subject(input);
}

/**
 * A clock at the time of the messages, so that "tomorrow" means the day after the message, and a repeated
 * question is identical.
 */
function clockAt(time: number, clock: Clock): Clock {
  return { now: () => time, after: (...timer) => clock.after(...timer) };
}

/**
 * Throws if not all was recorded. A failure of the model after the first store is reported in the outcomes.
 */
function failIfUnfinished(outcomes: readonly RecordOutcome[], failure: ModelError | undefined): void {
  const reasons = outcomes.flatMap(({ reason }) =>
    reason === undefined || reason === FORGOTTEN ? [] : reason,
  );
  if (failure !== undefined && reasons.includes(`${failure.code}: ${failure.message}`)) throw failure;
  const reason = reasons.find((one) => !FINAL_CODES.includes(one.slice(0, one.indexOf(":"))));
  if (reason === undefined) return;
  if (/^(invalid_output|refused):/.test(reason)) throw new ModelError("invalid_output", reason);
  throw new MemoryError("unavailable", `not all facts were recorded: ${reason}`);
}

/** Returns whether a model may give a better answer to the same question. */
function isWrongAnswer(error: unknown): boolean {
  return error instanceof ModelError && (error.code === "invalid_output" || error.code === "refused");
}
