import { HumanMessage } from "@langchain/core/messages";
import { emptyCheckpoint } from "@langchain/langgraph-checkpoint";
import type { AgentMemory } from "@membus/agent-client";
import { callTool, LongTermMemory, MemoryFiles, openConversation } from "@membus/agentic";
import { agentScopeTools } from "@membus/agentic/long-term";
import { generateText, wrapLanguageModel } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { type MiddlewareOptions, membusMiddleware, membusTools } from "../../src/ai-sdk/index.js";
import { memoryToolHandlers } from "../../src/anthropic/index.js";
import { MembusChatMessageHistory } from "../../src/langchain/index.js";
import { MembusSaver, MembusStore } from "../../src/langgraph/index.js";
import { MembusSession } from "../../src/openai-agents/index.js";
import { NAMESPACES, type Program } from "./program.js";

const ITEMS = ["people", "ada"];
const THREAD = { configurable: { thread_id: "talk", checkpoint_ns: "" } };
const METADATA = { source: "input", step: 0, parents: {} } as const;

/** Returns the programs in JavaScript, each as in its guide. */
export function frameworkPrograms(memory: () => AgentMemory): Program[] {
  return [...clients(memory), ...facts(memory), ...texts(memory), ...ofLangGraph(memory)];
}

function clients(memory: () => AgentMemory): Program[] {
  return [
    {
      name: "the client",
      kept: "clients",
      async write(text) {
        for (const namespace of NAMESPACES) {
          await memory().inNamespace(namespace).remember(text, text, { tier: "episodic" });
        }
      },
      find: async (query, namespace) => (await memory().retrieve({ namespace, query })).entries,
    },
  ];
}

function facts(memory: () => AgentMemory): Program[] {
  const longTerm = () => new LongTermMemory(memory(), { subject: "user:ada" });
  const ask = (name: string, args: object) =>
    callTool(agentScopeTools(longTerm()), { id: "1", name, arguments: JSON.stringify(args) });
  return [
    {
      name: "LongTermMemory",
      kept: "facts",
      write: async (text) => void (await longTerm().record(text)),
      find: async (question) => (await longTerm().retrieve(question)).asText(),
    },
    {
      name: "tools for OpenAI's client",
      kept: "facts",
      write: async (text) => void (await ask("record_to_memory", { thinking: "asked to", content: [text] })),
      find: (question) => ask("retrieve_from_memory", { keywords: [question] }),
    },
    {
      name: "membusTools",
      kept: "facts",
      write: async (text) => void (await membusTools(longTerm()).remember!.execute({ content: text })),
      find: (question) => membusTools(longTerm()).searchMemories!.execute({ query: question, limit: 5 }),
    },
    {
      name: "membusMiddleware",
      kept: "facts",
      write: async (text) => void (await turn(longTerm(), text, { wait: true })),
      find: (question) => turn(longTerm(), question, { record: false }),
    },
  ];
}

/** Returns the system text that the model received. */
async function turn(memory: LongTermMemory, prompt: string, options: MiddlewareOptions): Promise<unknown> {
  const mock = new MockLanguageModelV3({
    doGenerate: {
      content: [{ type: "text", text: "Noted." }],
      finishReason: { unified: "stop", raw: undefined },
      usage: {
        inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 1, text: 1, reasoning: 0 },
      },
      warnings: [],
    },
  });
  const middleware = membusMiddleware(memory, { onError: "throw", ...options });
  await generateText({ model: wrapLanguageModel({ model: mock, middleware }), prompt });
  return mock.doGenerateCalls[0]!.prompt.filter(({ role }) => role === "system");
}

function texts(memory: () => AgentMemory): Program[] {
  const history = () => new MembusChatMessageHistory(memory(), { sessionId: "talk" });
  const conversation = () => openConversation(memory(), { id: "talk" });
  const session = () => new MembusSession(memory(), { sessionId: "talk" });
  const tool = () => memoryToolHandlers(memory());
  const files = () => new MemoryFiles(memory(), { namespace: "memories", layout: "flat" });
  return [
    {
      name: "MembusChatMessageHistory",
      kept: "conversation",
      write: (text) => history().addMessage(new HumanMessage(text)),
      find: async () => (await history().getMessages()).map(({ content }) => content),
    },
    {
      name: "openConversation",
      kept: "conversation",
      write: async (text) => void (await (await conversation()).add([{ role: "user", content: text }])),
      find: async (question) => (await conversation()).search(question),
    },
    {
      name: "MembusSession",
      kept: "session",
      write: (text) => session().addItems([{ role: "user", content: text }]),
      find: () => session().getItems(),
    },
    {
      name: "memoryToolHandlers",
      kept: "files",
      write: async (text) => void (await tool().create({ path: "/memories/claude.md", file_text: text })),
      find: async () => {
        const listing = String(await tool().view({ path: "/memories" }));
        const paths = [...listing.matchAll(/\/memories\/.+\.md/g)].map(([path]) => path);
        return Promise.all(paths.map((path) => tool().view({ path })));
      },
    },
    {
      name: "MemoryFiles",
      kept: "files",
      write: async (text) => void (await files().write("/agentic.md", text)),
      find: () => files().grep("Ada"),
    },
  ];
}

function ofLangGraph(memory: () => AgentMemory): Program[] {
  const store = () => new MembusStore(memory());
  const saver = () => new MembusSaver(memory());
  return [
    {
      name: "MembusStore",
      kept: "items",
      write: (text) => store().put(ITEMS, text, { said: text }),
      find: (query) => store().search(ITEMS, { query }),
    },
    {
      name: "MembusSaver",
      kept: "checkpoints",
      async write(text) {
        const versions = { said: 1 };
        const values = { channel_values: { said: text }, channel_versions: versions };
        await saver().put(THREAD, { ...emptyCheckpoint(), ...values }, METADATA, versions);
      },
      async find() {
        const found: unknown[] = [];
        for await (const { checkpoint } of saver().list(THREAD)) found.push(checkpoint.channel_values);
        return found;
      },
    },
  ];
}
