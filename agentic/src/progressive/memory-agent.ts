import { didYouMean } from "@membus/protocol";
import { type ChatModel, type CostMeter, loadPrompt } from "../model/index.js";
import { type Agent, type AgentOutcome, type AgentStep, runAgent, type Tool } from "../tools/index.js";
import { MEMORY_TYPES, TARGET_TYPES, type TargetType } from "./memory-record.js";
import type { MemorySpace } from "./memory-space.js";
import type { ResolvedProgressiveOptions } from "./progressive-options.js";
import type { TaskHandler } from "./tools/hands-off.js";
import { type MemoryToolName, memoryTool } from "./tools/memory-tool.js";
import type { MemoryToolOptions } from "./tools/tool-options.js";
import type { ToolScope } from "./tools/tool-scope.js";

export const AGENT_NAMES = [
  "personal",
  "procedural",
  "tool",
  "identity",
  "summarizer",
  "retriever",
  "remy",
] as const;
export type AgentName = (typeof AGENT_NAMES)[number];

/** A memory tool by name, optionally with its options, or any other tool. */
export type AgentTool = MemoryToolName | readonly [MemoryToolName, MemoryToolOptions] | Tool;

/** An agent of the memory as data: its prompt, its tools and its limits. */
export interface MemoryAgent extends Omit<Agent, "system" | "tools"> {
  /** System prompt. */
  readonly prompt: string;
  readonly tools: readonly AgentTool[];
}

/** A further special agent, with a separate type. */
export interface RegisteredAgent extends Omit<MemoryAgent, "tools"> {
  /** Description of the type for the summarizing agent, 1..500 characters. */
  readonly description: string;
  /** The built-in type as which its memories are stored. The registered type becomes their `category`. */
  readonly storedAs: TargetType;
  /** Absent: the tools of the agent of `storedAs`. */
  readonly tools?: readonly AgentTool[] | undefined;
}

/** A registered agent with its type, and with its tools. */
export interface ResolvedAgent {
  readonly agent: MemoryAgent;
  readonly description: string;
  readonly storedAs: TargetType;
}

/** The context of a call. */
export interface MemoryPlan {
  readonly space: MemorySpace;
  readonly model: ChatModel | undefined;
  readonly agents: Readonly<Record<AgentName, MemoryAgent>>;
  readonly registered: ReadonlyMap<string, ResolvedAgent>;
  readonly options: ResolvedProgressiveOptions;
}

/** Maximum number of registered agents. */
const REGISTERED_MAX = 32;

const TYPE = /^[a-z][a-z0-9_]{0,63}$/;

/**
 * Returns the registered agents with another one. An agent of the same type is replaced.
 * @throws {TypeError} for an invalid or built-in type, an invalid agent, or too many agents.
 */
export function withAgent(
  registered: ReadonlyMap<string, ResolvedAgent>,
  type: string,
  { tools, description, storedAs, ...agent }: RegisteredAgent,
): ReadonlyMap<string, ResolvedAgent> {
  if (!TYPE.test(type)) throw new TypeError(`a type must be a lower-case word such as "hobby", got ${type}`);
  if ([...AGENT_NAMES, ...MEMORY_TYPES].some((name) => name === type))
    throw new TypeError(`\`${type}\` is built in: change it with setAgent`);
  if (!TARGET_TYPES.includes(storedAs)) throw new TypeError('storedAs must be "personal" or "procedural"');
  const isText = (text: unknown, max: number) =>
    typeof text === "string" && text !== "" && text.length <= max;
  if (!isText(description, 500)) throw new TypeError("description must be 1..500 characters");
  if (!isText(agent.prompt, TEXT_LENGTH_MAX)) throw new TypeError("prompt must be a text");
  const all = new Map(registered).set(type, {
    description,
    storedAs,
    agent: { textLengthMax: TEXT_LENGTH_MAX, ...agent, tools: tools ?? TOOLS[storedAs] },
  });
  if (all.size > REGISTERED_MAX) throw new TypeError(`at most ${REGISTERED_MAX} agents can be registered`);
  return all;
}

/** Maximum number of characters of tool results, such as histories. */
const TEXT_LENGTH_MAX = 100_000;
/** Timeout of a `hands_off` call, which runs many agents. */
const HANDS_OFF_TIMEOUT_MS = 1_800_000;

const TOOLS: Readonly<Record<AgentName, readonly AgentTool[]>> = {
  personal: ["add_memory", "update_memory", "delete_memory", "vector_retrieve_memory"],
  procedural: [
    ["add_memory", { addWhenToUse: true }],
    "update_memory",
    "delete_memory",
    "vector_retrieve_memory",
  ],
  tool: [["add_memory", { addWhenToUse: true }], "update_memory", "vector_retrieve_memory"],
  identity: ["read_identity_memory", "update_identity_memory"],
  summarizer: ["add_meta_memory", "add_summary_memory", "hands_off"],
  retriever: [
    ["vector_retrieve_memory", { addMemoryTypeTarget: true, enableSummaryMemory: true }],
    "read_history_memory",
  ],
  remy: [
    ["vector_retrieve_memory", { addMemoryTypeTarget: true, enableSummaryMemory: true }],
    "read_history_memory",
  ],
};

export type AgentChanges = Readonly<Partial<Record<AgentName, Partial<MemoryAgent>>>>;

/**
 * Returns the seven agents. `changes` replaces parts of the built-in ones.
 * @throws {TypeError} for an unknown agent name.
 */
export function resolveAgents(changes: AgentChanges): Readonly<Record<AgentName, MemoryAgent>> {
  const unknown = Object.keys(changes).find((name) => !AGENT_NAMES.includes(name as AgentName));
  if (unknown !== undefined) {
    throw new TypeError(`unknown agent \`${unknown}\`${didYouMean(unknown, AGENT_NAMES)}`);
  }
  const agents = AGENT_NAMES.map((name) => [name, { ...builtIn(name), ...changes[name] }]);
  return Object.freeze(Object.fromEntries(agents)) as Readonly<Record<AgentName, MemoryAgent>>;
}

function builtIn(name: AgentName): MemoryAgent {
  return {
    prompt: loadPrompt(`progressive-${name}`),
    tools: TOOLS[name],
    textLengthMax: TEXT_LENGTH_MAX,
    ...(name === "summarizer" && { callTimeoutMs: HANDS_OFF_TIMEOUT_MS }),
  };
}

/** A run of an agent within its scope. */
export interface AgentWork {
  readonly model: ChatModel;
  readonly agent: MemoryAgent;
  readonly scope: ToolScope;
  /** Defaults for all memory tools of the agent. */
  readonly toolOptions: MemoryToolOptions;
  readonly handler?: TaskHandler | undefined;
  /** Text after the agent's prompt. */
  readonly system?: string | undefined;
  readonly messages: Parameters<typeof runAgent>[0]["messages"];
  readonly onStep?: ((step: AgentStep) => void) | undefined;
}

/** Runs an agent until it answers or reaches a limit. Errors as `runAgent`. */
export function runMemoryAgent(work: AgentWork, meter: CostMeter): Promise<AgentOutcome> {
  const { model, agent, scope, toolOptions, handler, system, messages, onStep } = work;
  const { prompt, tools: chosen, ...bounds } = agent;
  const tools = chosen.map((tool) => toolOf(tool, scope, toolOptions, handler));
  const all = { ...bounds, system: system === undefined ? prompt : `${prompt}\n\n${system}`, tools };
  return runAgent({ ...all, model, messages, onStep, signal: scope.space.signal }, meter);
}

function toolOf(tool: AgentTool, scope: ToolScope, options: MemoryToolOptions, handler?: TaskHandler): Tool {
  if (typeof tool === "string") return memoryTool(tool, scope, options, handler);
  if (!isOptioned(tool)) return tool;
  const [name, own] = tool;
  return memoryTool(name, scope, { ...options, ...own }, handler);
}

function isOptioned(
  tool: Tool | readonly [MemoryToolName, MemoryToolOptions],
): tool is readonly [MemoryToolName, MemoryToolOptions] {
  return Array.isArray(tool);
}
