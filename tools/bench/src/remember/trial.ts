import type { MemoryClient } from "@membus/agent-client";
import { type ChatModel, Learner, LongTermMemory, openConversation } from "@membus/agentic";
import { SESSIONS, TOLD_FACTS, type ToldFact } from "./sessions.js";

const SUBJECT = "user:1";

export interface TrialResult {
  /** Model calls to learn each session. */
  readonly calls: readonly number[];
  /** Numbers of facts that were recalled, and of questions that were answered. */
  readonly recalled: number;
  readonly answered: number;
}

interface Answered {
  readonly isRecalled: boolean;
  readonly isAnswered: boolean;
}

/** Gives a model 12 facts in three sessions, changes two, and asks about all of them in a new session. */
export async function runTrial(
  client: MemoryClient,
  model: ChatModel,
  note: (line: string) => void,
): Promise<TrialResult> {
  const calls = await tellAll(client, model, note);
  const answers = await askAll(new LongTermMemory(client, { subject: SUBJECT }), model, note);
  return {
    calls,
    recalled: answers.filter(({ isRecalled }) => isRecalled).length,
    answered: answers.filter(({ isAnswered }) => isAnswered).length,
  };
}

/** Learns from all sessions. @returns the number of model calls of each. */
async function tellAll(
  client: MemoryClient,
  model: ChatModel,
  note: (line: string) => void,
): Promise<number[]> {
  const calls: number[] = [];
  for (const [n, messages] of SESSIONS.entries()) {
    const conversation = await openConversation(client, { id: `session-${n + 1}` });
    await conversation.add(messages);
    const learner = new Learner(client, { subject: SUBJECT, debounceMs: 0 }, { model });
    const { cost, failures } = await learner.poll({ ignoreDebounce: true });
    note(`session ${n + 1}: ${cost.modelCalls} calls, ${cost.outputTokens} tokens, ${failures} failures`);
    calls.push(cost.modelCalls);
  }
  return calls;
}

async function askAll(
  memory: LongTermMemory,
  model: ChatModel,
  note: (line: string) => void,
): Promise<Answered[]> {
  for await (const { text } of memory.entries({ kinds: ["fact"] })) note(`fact: ${text}`);
  const answers: Answered[] = [];
  for (const fact of TOLD_FACTS) answers.push(await ask(memory, model, fact, note));
  return answers;
}

async function ask(
  memory: LongTermMemory,
  model: ChatModel,
  { question, answer, earlier }: ToldFact,
  note: (line: string) => void,
): Promise<Answered> {
  const recall = await memory.retrieve(question);
  const { text } = await model.complete({
    messages: [
      { role: "system", content: `Answer the user in one short sentence.\n${recall.asText()}` },
      { role: "user", content: question },
    ],
    temperature: 0,
    maxOutputTokens: 100,
  });
  const isRecalled = recall.memories.some((one) => answer.test(one.text));
  const isStale = earlier?.test(text) === true && !answer.test(text);
  note(`${isRecalled ? "recalled" : "NOT RECALLED"}  ${question}  ${text.replaceAll(/\s+/g, " ")}`);
  return { isRecalled, isAnswered: answer.test(text) && !isStale };
}
