import type { LearnedBatch, LearnerOptions, LearnerStats } from "@membus/agentic";
import type { MemoryTier } from "@membus/protocol";
import type { Command } from "commander";
import { learnedText } from "../chat/learned-text.js";
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
  readonly once?: boolean;
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
    .option("--once", "learn what is there, and end");
  addModelFlags(command).action(async (flags: LearnFlags, self: Command) => {
    await learn(flags, await openSession(self));
  });
  command.addHelpText(
    "after",
    "\n{conversation} in --about is the id of the conversation. Any number of learners may run for one agent:\nthey share the work, and one that was killed is continued by the others.\nFacts name the messages that they are from: `membus forget --cascade` of these takes them, too.",
  );
}

async function learn(flags: LearnFlags, { config, output }: Session): Promise<void> {
  const { Learner, openaiChatModel } = await import("@membus/agentic");
  const model = openaiChatModel(modelOptions(flags, process.env));
  const onLearned = (learned: LearnedBatch) => output.result(learned, () => learnedText(learned));
  await withClient(config, async (client) => {
    const dependencies = { model, onLearned, logger: createLogger(config.log_level) };
    const learner = new Learner(client, learnerOptions(flags), dependencies);
    if (flags.once === true) {
      output.note(statsText(await learner.look({ unquiet: true })));
      return;
    }
    await learner.start();
    output.note(`learning from the conversations of ${client.agent}; Ctrl-C ends it`);
    await untilSignalled();
    await learner.stop();
    output.note(statsText(learner.stats()));
  });
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
    }),
  };
}

function statsText({ messages, batches, failures, cost }: LearnerStats): string {
  const tokens = cost.inputTokens + cost.outputTokens;
  return `learned ${messages} messages in ${batches} batches, ${failures} failed; ${cost.modelCalls} calls of the model, ${tokens} tokens`;
}
