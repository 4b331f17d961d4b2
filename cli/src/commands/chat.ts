import { createInterface } from "node:readline/promises";
import type { Learner } from "@membus/agentic";
import type { ContextEvent } from "@membus/agentic/context";
import type { LearnedBatch } from "@membus/agentic/learner";
import { MemoryError } from "@membus/protocol";
import type { Command } from "commander";
import type { AnswerRequest } from "../chat/answer-stream.js";
import { CHAT_HELP, CHAT_WINDOW, Chat } from "../chat/chat.js";
import { ChatMemory } from "../chat/chat-memory.js";
import { learnedText } from "../chat/learned-text.js";
import { numberFlag } from "../flags/json-argument.js";
import { addModelFlags, type ModelFlags, modelOptions, withBudgetFlags } from "../flags/model-flags.js";
import { createLogger } from "../logger.js";
import { openSession, type Session, withClient } from "../session.js";
import type { Output } from "../terminal/output.js";

interface ChatFlags extends ModelFlags {
  readonly contextTokens?: string;
  readonly conversation: string;
  readonly learn: boolean;
}

export function registerChat(program: Command): void {
  const command = program
    .command("chat")
    .description("chat with a model that remembers: continues the conversation and learns from it")
    .option("--conversation <id>", "id of the conversation", "chat")
    .option("--context-tokens <n>", "tokens of the model's context (default: reported by the server)")
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
  const unlimited = agentic.openaiChatModel({
    ...modelOptions(flags, process.env),
    ...(flags.contextTokens !== undefined && {
      contextTokens: numberFlag("--context-tokens", flags.contextTokens),
    }),
  });
  await withClient(config, async (client) => {
    const model = await withBudgetFlags(unlimited, client, flags, config.budget);
    const conversation = await agentic.openConversation(client, { id: flags.conversation });
    const longTerm = new agentic.LongTermMemory(client, { subject: flags.subject }, { model });
    const onEvent = (event: ContextEvent) => noteCompaction(event, output);
    const window = new agentic.ContextWindow(conversation, CHAT_WINDOW, { onEvent });
    const memory = new ChatMemory(conversation, longTerm, (line) => output.note(line));
    const answerInWindow = (request: AnswerRequest) => agentic.streamInWindow(model, window, request);
    const session = new Chat({ memory, model, answerInWindow, longTerm, output });
    const onLearned = (learned: LearnedBatch) => output.note(learnedText(learned));
    // The learner warns at each attempt while memory fails. The chat has already reported it.
    const dependencies = { model, onLearned, logger: createLogger("error") };
    const newLearner = () => new agentic.Learner(client, { subject: flags.subject }, dependencies);
    const size = (await memory.attempt(() => conversation.size())) ?? 0;
    const background = flags.learn ? newLearner() : undefined;
    await memory.attempt(async () => background?.start());
    if (size > 0) output.note(`continuing conversation ${flags.conversation} with ${size} messages`);
    try {
      await readLines(session, output);
    } finally {
      await background?.stop();
    }
    await memory.flush();
    if (memory.pendingCount > 0) {
      throw new MemoryError("unavailable", `${memory.pendingCount} answered messages could not be stored`);
    }
    if (flags.learn) await learnRest(newLearner(), output);
  });
}

/** Learns the latest turns. A failure is noted, because `membus learn` can continue later. */
async function learnRest(learner: Learner, output: Output): Promise<void> {
  output.note("learning from the latest messages: press Ctrl-C to leave them to `membus learn`");
  const { failures } = await learner.poll({ ignoreDebounce: true });
  if (failures > 0) output.note("The latest messages are not learned yet: run `membus learn --once`.");
}

function noteCompaction({ status }: ContextEvent, output: Output): void {
  if (status === "started") output.note("leaving out the oldest messages, because the context is full");
}

/** Passes each line to the chat until the input ends or the user quits. */
async function readLines(session: Chat, output: Output): Promise<void> {
  const isTerminal = process.stdin.isTTY === true;
  const lines = createInterface({
    input: process.stdin,
    output: isTerminal ? process.stderr : undefined,
    terminal: isTerminal,
  });
  lines.setPrompt("> ");
  lines.on("SIGINT", () => {
    if (!session.stop()) lines.close();
  });
  if (isTerminal) output.note("type /help for the commands");
  if (isTerminal) lines.prompt();
  for await (const line of lines) {
    if (!(await session.take(line.trim()))) break;
    if (isTerminal) lines.prompt();
  }
  lines.close();
}
