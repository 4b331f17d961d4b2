import { createInterface } from "node:readline/promises";
import type { LearnedBatch } from "@membus/agentic/learner";
import type { Command } from "commander";
import { CHAT_HELP, Chat } from "../chat/chat.js";
import { learnedText } from "../chat/learned-text.js";
import { addModelFlags, type ModelFlags, modelOptions } from "../flags/model-flags.js";
import { createLogger } from "../logger.js";
import { openSession, type Session, withClient } from "../session.js";

interface ChatFlags extends ModelFlags {
  readonly conversation: string;
  readonly learn: boolean;
}

export function registerChat(program: Command): void {
  const command = program
    .command("chat")
    .description("chat with a model that remembers: continues the conversation and learns from it")
    .option("--conversation <id>", "id of the conversation", "chat")
    .option("--no-learn", "do not learn from the conversation: run `membus learn` instead");
  addModelFlags(command).action(async (flags: ChatFlags, self: Command) => {
    await chat(flags, await openSession(self));
  });
  command.addHelpText(
    "after",
    `\n${CHAT_HELP}\nWithout a terminal, each line of standard input is one message.`,
  );
}

async function chat(flags: ChatFlags, { config, output }: Session): Promise<void> {
  const agentic = await import("@membus/agentic");
  const model = agentic.openaiChatModel(modelOptions(flags, process.env));
  await withClient(config, async (client) => {
    const conversation = await agentic.openConversation(client, { id: flags.conversation });
    const longTerm = new agentic.LongTermMemory(client, { subject: flags.subject }, { model });
    const window = new agentic.ContextWindow(conversation, {}, { model });
    const session = new Chat({ conversation, longTerm, window, model, output });
    const onLearned = (learned: LearnedBatch) => output.note(learnedText(learned));
    const dependencies = { model, onLearned, logger: createLogger(config.log_level) };
    const newLearner = () => new agentic.Learner(client, { subject: flags.subject }, dependencies);
    const background = flags.learn ? newLearner() : undefined;
    await background?.start();
    try {
      await readLines(session, await conversation.size());
    } finally {
      await background?.stop();
    }
    if (flags.learn) await newLearner().poll({ ignoreDebounce: true });
  });
}

/** Passes each line to the chat until the input ends or the user quits. */
async function readLines(session: Chat, size: number): Promise<void> {
  const isTerminal = process.stdin.isTTY === true;
  const lines = createInterface({
    input: process.stdin,
    output: isTerminal ? process.stderr : undefined,
    terminal: isTerminal,
  });
  lines.setPrompt("> ");
  session.greet(size, isTerminal);
  if (isTerminal) lines.prompt();
  for await (const line of lines) {
    if (!(await session.take(line.trim()))) break;
    if (isTerminal) lines.prompt();
  }
  lines.close();
}
