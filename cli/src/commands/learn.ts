import type { MemoryClient } from "@membus/agent-client";
import type {
  ChatModel,
  LearnedBatch,
  Learner,
  LearnerOptions,
  LearnerStats,
  SetAsideMessage,
} from "@membus/agentic";
import type { MemoryTier } from "@membus/protocol";
import type { Command } from "commander";
import { consolidateAbouts, consolidatedText } from "../chat/consolidate-abouts.js";
import { learnedText, setAsideText } from "../chat/learned-text.js";
import { definedOnly } from "../flags/defined-only.js";
import { numberFlag } from "../flags/json-argument.js";
import { addModelFlags, type ModelFlags, modelOptions } from "../flags/model-flags.js";
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
}

export function registerLearn(program: Command): void {
  const command = program
    .command("learn")
    .description("form memories of what is said in an agent's conversations, behind them")
    .option("--tier <tier>", "tier of the conversations: episodic (default), working or semantic")
    .option("--memory-tier <tier>", "tier of the memories: episodic (default), working or semantic")
    .option("--debounce-ms <ms>", "learn from a conversation that was quiet for so long (default 5000)")
    .option("--lease-ms <ms>", "go on for a learner that was silent for so long (default 60000)")
    .option("--batch <count>", "messages that are learned from at once (default 50)")
    .option("--concurrency <count>", "conversations at the same time (default 4)")
    .option("--retry-ms <ms>", "after a failure wait so long, twice as long each time (default 5000)")
    .option(
      "--fault-count <count>",
      "failures until a message that the model refuses is set aside (default 5)",
    )
    .option("--once", "learn what is there, and end")
    .option("--set-aside", "list the messages that are set aside, and end")
    .option("--retry-set-aside", "try the messages that are set aside once more")
    .option("--consolidate", "merge facts and resolve contradictions instead, and end")
    .option("--dry-run", "with --consolidate: tell what would be done, and change nothing");
  addModelFlags(command).action(async (flags: LearnFlags, self: Command) => {
    await learn(flags, await openSession(self));
  });
  command.addHelpText(
    "after",
    "\n{conversation} in --about is the id of the conversation. Any number of learners may run for one agent:\nthey share the work, and one that was killed is continued by the others.\nFacts name the messages that they are from: `membus forget --cascade` of these takes them, too.",
  );
}

async function learn(flags: LearnFlags, session: Session): Promise<void> {
  if (flags.dryRun === true && flags.consolidate !== true) {
    throw new TypeError("--dry-run goes with --consolidate");
  }
  const { openaiChatModel } = await import("@membus/agentic");
  const model = openaiChatModel(modelOptions(flags, process.env));
  await withClient(session.config, async (client) => {
    if (flags.consolidate === true) await consolidateAll(client, model, flags, session);
    else await runLearner(client, model, flags, session);
  });
}

async function consolidateAll(
  client: MemoryClient,
  model: ChatModel,
  flags: LearnFlags,
  { output }: Session,
): Promise<void> {
  const { LongTermMemory } = await import("@membus/agentic");
  const longTerm = new LongTermMemory(client, {
    about: flags.about,
    ...definedOnly({ tier: flags.memoryTier }),
  });
  for await (const done of consolidateAbouts(longTerm, model, flags.dryRun === true)) {
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
  if (flags.retrySetAside === true) output.note(`${await learner.retrySetAside()} messages are tried again`);
  if (flags.once === true) await learner.look({ unquiet: true });
  else {
    await learner.start();
    output.note(`learning from the conversations of ${client.agent}; Ctrl-C ends it`);
    await untilSignalled();
    await learner.stop();
  }
  output.note(await endText(learner));
}

async function endText(learner: Learner): Promise<string> {
  let count = 0;
  for await (const _ of learner.setAside()) count += 1;
  const stats = statsText(learner.stats());
  return count === 0 ? stats : `${stats}\n${count} messages are set aside: --set-aside lists them`;
}

function learnerOptions(flags: LearnFlags): LearnerOptions {
  const number = (name: string, value: string | undefined) =>
    value === undefined ? undefined : numberFlag(name, value);
  return {
    about: flags.about,
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
  return `learned ${messages} messages in ${batches} batches, ${failures} failed; ${cost.modelCalls} calls of the model, ${tokens} tokens`;
}
