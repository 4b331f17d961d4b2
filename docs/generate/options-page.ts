import type { OptionSet } from "@membus/protocol";
import { optionTable } from "./option-table.js";

/** Public options: title, file and declaration. */
const DECLARATIONS = [
  ["Client: MemoryClient", "agent-client/src/client-options.ts", "ClientOptionsSchema"],
  ["Client: one call", "agent-client/src/call-options.ts", "CallOptionsSchema"],
  ["Client: store", "agent-client/src/call-options.ts", "StoreOptionsSchema"],
  ["Client: remember", "agent-client/src/call-options.ts", "RememberOptionsSchema"],
  ["Client: entries", "agent-client/src/call-options.ts", "EntriesOptionsSchema"],
  ["Connection: connectNatsBus", "bus/src/nats/nats-options.ts", "NatsBusOptionsSchema"],
  ["Memory", "agentic/src/memory/memory-options.ts", "MemoryOptionsSchema"],
  ["Memory: forgetUser", "agentic/src/memory/forget-user.ts", "ForgetUserOptionsSchema"],
  ["LongTermMemory", "agentic/src/long-term/long-term-options.ts", "LongTermOptionsSchema"],
  ["LongTermMemory: record", "agentic/src/long-term/long-term-options.ts", "RecordOptionsSchema"],
  ["LongTermMemory: recall", "agentic/src/long-term/recall/recall.ts", "RecallOptionsSchema"],
  ["Learner", "agentic/src/learner/learner-options.ts", "LearnerOptionsSchema"],
  ["Conversation", "agentic/src/conversation/conversation-options.ts", "ConversationOptionsSchema"],
  ["ContextWindow", "agentic/src/context/context-options.ts", "ContextOptionsSchema"],
  ["MemoryBlocks", "agentic/src/blocks/block-store.ts", "BlocksOptionsSchema"],
  ["MemoryFiles", "agentic/src/files/file-layout.ts", "FilesOptionsSchema"],
  ["KnowledgeGraph", "agentic/src/graph/graph-options.ts", "GraphOptionsSchema"],
  ["EntityGraph", "agentic/src/graph/graph-options.ts", "EntityGraphOptionsSchema"],
  ["ProgressiveMemory", "agentic/src/progressive/progressive-options.ts", "ProgressiveOptionsSchema"],
  ["openaiChatModel", "agentic/src/model/openai/openai-options.ts", "OpenAiChatOptionsSchema"],
  ["withBudget", "agentic/src/budget/budget-options.ts", "BudgetOptionsSchema"],
  ["OpenAiEmbedder", "plugins/embeddings/src/openai/openai-options.ts", "OpenAiEmbedderOptionsSchema"],
  ["HttpReranker", "plugins/embeddings/src/rerank/rerank-options.ts", "HttpRerankerOptionsSchema"],
  [
    "TransformersEmbedder",
    "plugins/embeddings/src/transformers/transformers-options.ts",
    "TransformersEmbedderOptionsSchema",
  ],
  ["Gateway", "gateway/src/options.ts", "GatewayOptionsSchema"],
  ["Gateway: openai", "gateway/src/openai/openai-options.ts", "OpenAiOptionsSchema"],
  ["AI SDK: tools", "integrations/frameworks/src/ai-sdk/ai-sdk-tools.ts", "MembusToolsOptionsSchema"],
  [
    "AI SDK: middleware",
    "integrations/frameworks/src/ai-sdk/middleware-options.ts",
    "MiddlewareOptionsSchema",
  ],
  [
    "Anthropic memory tool",
    "integrations/frameworks/src/anthropic/memory-tool-options.ts",
    "AnthropicMemoryOptionsSchema",
  ],
  [
    "LangChain: chat history",
    "integrations/frameworks/src/langchain/chat-message-history.ts",
    "HistoryOptionsSchema",
  ],
  [
    "LangGraph: MembusSaver",
    "integrations/frameworks/src/langgraph/checkpoints/saver-options.ts",
    "SaverOptionsSchema",
  ],
  [
    "LangGraph: MembusStore",
    "integrations/frameworks/src/langgraph/store/store-options.ts",
    "StoreOptionsSchema",
  ],
  [
    "OpenAI Agents: session",
    "integrations/frameworks/src/openai-agents/session-options.ts",
    "SessionOptionsSchema",
  ],
  ["Hooks of coding agents", "integrations/coding-agents/src/hooks/hook-options.ts", "HookOptionsSchema"],
  ["Outbox", "integrations/coding-agents/src/outbox/outbox-options.ts", "OutboxOptionsSchema"],
  ["MCP server", "integrations/mcp/src/options.ts", "McpOptionsSchema"],
] as const;

const INTRODUCTION = `# Options

All options of the JavaScript packages, by class or function. An unknown option and a value out of range are
a \`TypeError\`, which names the option and the nearest known one. The options of a host and its tiers are on
the page [Settings](settings.md).
`;

/** Returns the page of all public options. */
export async function optionsPage(): Promise<string> {
  const sections = DECLARATIONS.map(async ([heading, path, name]) => {
    const module = (await import(`../../${path}`)) as Record<string, OptionSet>;
    return `## ${heading}\n\n${optionTable(module[name]!, path, name)}\n`;
  });
  return [INTRODUCTION, ...(await Promise.all(sections))].join("\n");
}
