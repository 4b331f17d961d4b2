import type { MemoryClient } from "@membus/agent-client";
import type { ChatModel, Learner, LearnerOptions, LongTermMemory } from "@membus/agentic";
import type { LearnedBatch, LearnerStats, SetAsideMessage } from "@membus/agentic/learner";
import type { MemoryTier } from "@membus/protocol";
import type { Command } from "commander";
import { budgetText } from "../chat/budget-text.js";
import {
  consolidatedText,
  consolidateSubjects,
  matchingSubjects,
  undoneText,
} from "../chat/consolidate-subjects.js";
import { learnedText, setAsideText } from "../chat/learned-text.js";
import { definedOnly } from "../flags/defined-only.js";
import { numberFlag } from "../flags/json-argument.js";
import { addModelFlags, type ModelFlags, modelOptions, withBudgetFlags } from "../flags/model-flags.js";
import { createLogger } from "../logger.js";
import { openSession, type Session, withClient } from "../session.js";
import { untilSignalled } from "../until-signalled.js";

interface LearnFlags extends ModelFlags {
  readonly tier?: MemoryTier;
  readonly memoryTier?: MemoryTier;
  readonly debounceMs?: string;
  readonly leaseMs?: string;
  readonly batch?: string;
  readonly concurrency?: string;
  readonly retryMs?: string;
  readonly faultCount?: string;
  readonly once?: boolean;
  readonly setAside?: boolean;
  readonly retrySetAside?: boolean;
  readonly consolidate?: boolean;
  readonly dryRun?: boolean;
  readonly undoConsolidation?: string;
}

export function registerLearn(program: Command): void {
  const command = program
    .command("learn")
    .description("learn facts from an agent's conversations in the background")
    .option("--tier <tier>", "tier of the conversations: episodic (default), working or semantic")
    .option("--memory-tier <tier>", "tier of the memories: episodic (default), working or semantic")
    .option("--debounce-ms <ms>", "learn from a conversation after this much silence (default 5000)")
    .option(
      "--lease-ms <ms>",
      "take over from a learner that has not renewed its lease for this long (default 60000)",
    )
    .option("--batch <count>", "maximum messages per model call (default 50)")
    .option("--concurrency <count>", "conversations processed concurrently (default 4)")
    .option("--retry-ms <ms>", "initial retry delay, doubled after each failure (default 5000)")
    .option(
      "--fault-count <count>",
      "failures after which a message that the model rejects is set aside (default 5)",
    )
    .option("--once", "process all pending messages, then exit (1 if something failed)")
    .option("--set-aside", "list the messages that were set aside, then exit")
    .option("--retry-set-aside", "retry the messages that were set aside")
    .option(
      "--consolidate",
      "merge duplicate facts and resolve contradictions instead of learning, then exit",
    )
    .option("--dry-run", "with --consolidate: show the planned changes without applying them")
    .option("--undo-consolidation <id>", "restore the facts that a consolidation replaced, then exit");
  addModelFlags(command).action(async (flags: LearnFlags, self: Command) => {
    await learn(flags, await openSession(self));
  });
  command.addHelpText(
    "after",
    "\n{conversation} in --subject is replaced by the conversation id. Several learners can run for one agent: they share the work\nand take over conversations from learners that have stopped.\nFacts name their source messages: `membus forget --cascade` of a message also forgets the facts learned from it.",
  );
}

async function learn(flags: LearnFlags, session: Session): Promise<void> {
  if (flags.dryRun === true && flags.consolidate !== true) {
    throw new TypeError("--dry-run requires --consolidate");
  }
  const { undoConsolidation: undone } = flags;
  if (undone !== undefined) {
    await withClient(session.config, (client) => undoConsolidation(client, undone, flags, session));
    return;
  }
  await withClient(session.config, async (client) => {
    const { openaiChatModel } = await import("@membus/agentic");
    const unlimited = openaiChatModel(modelOptions(flags, process.env));
    const model = await withBudgetFlags(unlimited, client, flags, session.config.budget);
    if (flags.consolidate === true) await consolidateAll(client, model, flags, session);
    else await runLearner(client, model, flags, session);
  });
}

async function undoConsolidation(
  client: MemoryClient,
  id: string,
  flags: LearnFlags,
  { output }: Session,
): Promise<void> {
  const longTerm = await openLongTerm(client, flags);
  for (const subject of await matchingSubjects(longTerm)) {
    const { cost: _, ...undone } = await longTerm.forSubject(subject).undoConsolidation(id);
    output.result({ subject, ...undone }, () => undoneText({ subject, ...undone }));
  }
}

async function openLongTerm(client: MemoryClient, flags: LearnFlags): Promise<LongTermMemory> {
  const { LongTermMemory } = await import("@membus/agentic");
  return new LongTermMemory(client, { subject: flags.subject, ...definedOnly({ tier: flags.memoryTier }) });
}

async function consolidateAll(
  client: MemoryClient,
  model: ChatModel,
  flags: LearnFlags,
  { output }: Session,
): Promise<void> {
  const longTerm = await openLongTerm(client, flags);
  for await (const done of consolidateSubjects(longTerm, model, flags.dryRun === true)) {
    output.result(done, () => consolidatedText(done));
  }
}

async function runLearner(
  client: MemoryClient,
  model: ChatModel,
  flags: LearnFlags,
  { config, output }: Session,
): Promise<void> {
  const { Learner } = await import("@membus/agentic");
  const onLearned = (learned: LearnedBatch) => output.result(learned, () => learnedText(learned));
  const onSetAside = (message: SetAsideMessage) => output.note(setAsideText(message));
  const dependencies = { model, onLearned, onSetAside, logger: createLogger(config.log_level) };
  const learner = new Learner(client, learnerOptions(flags), dependencies);
  if (flags.setAside === true) {
    for await (const message of learner.setAside()) output.result(message, () => setAsideText(message));
    return;
  }
  if (flags.retrySetAside === true) output.note(`retrying ${await learner.retrySetAside()} messages`);
  if (flags.once === true) {
    if (hasFailed(await learner.poll({ ignoreDebounce: true }))) process.exitCode = 1;
  } else {
    await learner.start();
    output.note(`learning from the conversations of ${client.agent} (press Ctrl-C to stop)`);
    await untilSignalled();
    await learner.stop();
  }
  output.note(await endText(learner));
}

async function endText(learner: Learner): Promise<string> {
  let count = 0;
  for await (const _ of learner.setAside()) count += 1;
  const stats = statsText(learner.stats());
  return count === 0 ? stats : `${stats}\n${count} messages are set aside: list them with --set-aside`;
}

/** Returns whether work is left over that was due. */
function hasFailed({ failures, setAside, tasks }: LearnerStats): boolean {
  return failures + setAside + tasks.failed + tasks.postponed > 0;
}

function learnerOptions(flags: LearnFlags): LearnerOptions {
  const number = (name: string, value: string | undefined) =>
    value === undefined ? undefined : numberFlag(name, value);
  return {
    subject: flags.subject,
    longTerm: definedOnly({ tier: flags.memoryTier }),
    ...definedOnly({
      tier: flags.tier,
      debounceMs: number("--debounce-ms", flags.debounceMs),
      leaseMs: number("--lease-ms", flags.leaseMs),
      batchCountMax: number("--batch", flags.batch),
      concurrency: number("--concurrency", flags.concurrency),
      retryMs: number("--retry-ms", flags.retryMs),
      faultCountMax: number("--fault-count", flags.faultCount),
    }),
  };
}

function statsText({ messages, batches, failures, cost }: LearnerStats): string {
  const tokens = cost.inputTokens + cost.outputTokens;
  const budget = cost.budget === undefined ? "" : `\nbudget: ${budgetText(cost.budget)}`;
  return `learned from ${messages} messages in ${batches} batches, ${failures} failed, ${cost.modelCalls} model calls, ${tokens} tokens${budget}`;
}
