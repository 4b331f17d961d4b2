// A LangChain chain with memory. Its history is a membus conversation, which another process can continue,
// and which programs without LangChain can read and search.
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { ChatPromptTemplate, MessagesPlaceholder } from "@langchain/core/prompts";
import { RunnableLambda, RunnableWithMessageHistory } from "@langchain/core/runnables";
import { MemoryClient } from "@membus/agent-client";
import { type ChatModel, openConversation } from "@membus/agentic";
import { MembusChatMessageHistory } from "@membus/integrations/langchain";
import type { Setting } from "./setting.js";

const SESSION = "holiday";

export async function langchain(setting: Setting): Promise<void> {
  await inOneProcess(setting, async (memory) => {
    await ask(memory, setting.model, "My train to Rome leaves at nine.");
  });
  await inOneProcess(setting, async (memory) => {
    await ask(memory, setting.model, "When do I have to leave?");
    const conversation = await openConversation(memory, { id: SESSION });
    const [found] = await conversation.search("train to Rome");
    console.log(
      `found without LangChain, among ${await conversation.size()} messages: ${found?.message.content}`,
    );
  });
}

async function inOneProcess(
  { servers }: Setting,
  use: (memory: MemoryClient) => Promise<void>,
): Promise<void> {
  const memory = await MemoryClient.connect({ servers, agent: "guide" });
  await use(memory);
  await memory.close();
}

async function ask(memory: MemoryClient, model: ChatModel, question: string): Promise<void> {
  const prompt = ChatPromptTemplate.fromMessages([
    ["system", "You answer in one short sentence."],
    new MessagesPlaceholder("past"),
    ["human", "{question}"],
  ]);
  const chain = new RunnableWithMessageHistory({
    runnable: prompt.pipe(
      RunnableLambda.from(({ messages }: { messages: BaseMessage[] }) => answer(model, messages)),
    ),
    getMessageHistory: (sessionId: string) => new MembusChatMessageHistory(memory, { sessionId }),
    inputMessagesKey: "question",
    historyMessagesKey: "past",
  });
  const { text } = await chain.invoke({ question }, { configurable: { sessionId: SESSION } });
  console.log(`user: ${question}\nguide: ${text}`);
}

const ROLES = new Map<string, "user" | "assistant">([
  ["human", "user"],
  ["ai", "assistant"],
]);

/** Calls the model. Any LangChain chat model can be used instead. */
async function answer(model: ChatModel, messages: readonly BaseMessage[]): Promise<AIMessage> {
  const input = messages.map(({ type, text }) => ({
    role: ROLES.get(type) ?? ("system" as const),
    content: text,
  }));
  return new AIMessage((await model.complete({ messages: input })).text);
}
