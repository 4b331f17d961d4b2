/** Coding agents with a known contract of hooks. */
export const AGENTS = ["claude-code", "codex", "hermes", "opencode", "openclaw", "pi"] as const;
export type AgentName = (typeof AGENTS)[number];

/** Events of all agents in one form. Events that keep and recall nothing are `other`. */
export type HookEvent = EventOrigin & HookEventBody;

export interface EventOrigin {
  /** Name of the event in the contract of the agent, which its answer repeats. */
  readonly name: string;
  readonly session: string;
  /** Working folder of the agent. */
  readonly folder: string;
  /** Person on a messaging platform, who has a separate memory. Absent: the user of this machine. */
  readonly person?: string | undefined;
}

export type HookEventBody =
  | { readonly kind: "session-start"; readonly isCompacted: boolean }
  /** `isByUser` is false for prompts that the agent or a schedule has made. */
  | { readonly kind: "prompt"; readonly text: string; readonly isByUser: boolean }
  | { readonly kind: "tool"; readonly call: ToolCall }
  | { readonly kind: "compact" | "session-end" | "other" }
  | { readonly kind: "stop"; readonly reply: string }
  /** A completed turn of an agent that reports it as a whole: the events of the turn in their order. */
  | { readonly kind: "turn"; readonly events: readonly HookEventBody[] }
  /** The agent asks for a memory, a search, or a deletion. */
  | { readonly kind: "remember"; readonly text: string; readonly isGlobal: boolean }
  | { readonly kind: "recall"; readonly query: string }
  /** `id` is the beginning of the id of a memory, as recalled memories show it. */
  | { readonly kind: "forget"; readonly id: string };

export interface ToolCall {
  readonly tool: string;
  /** Command line of a shell tool. */
  readonly command?: string | undefined;
  /** Paths of files that the tool has changed. */
  readonly files: readonly string[];
  readonly output: string;
  readonly isFailed: boolean;
}
