/** Coding agents with a known contract of hooks. */
export const AGENTS = ["claude-code", "codex"] as const;
export type AgentName = (typeof AGENTS)[number];

/** Events of both agents in one form. Events that keep and recall nothing are `other`. */
export type HookEvent = EventOrigin & HookEventBody;

export interface EventOrigin {
  /** Name of the event in the contract of the agent, which its answer repeats. */
  readonly name: string;
  readonly session: string;
  /** Working folder of the agent. */
  readonly folder: string;
}

export type HookEventBody =
  | { readonly kind: "session-start"; readonly isCompacted: boolean }
  /** `isByUser` is false for prompts that the agent or a schedule has made. */
  | { readonly kind: "prompt"; readonly text: string; readonly isByUser: boolean }
  | { readonly kind: "tool"; readonly call: ToolCall }
  | { readonly kind: "compact" | "session-end" | "other" }
  | { readonly kind: "stop"; readonly reply: string };

export interface ToolCall {
  readonly tool: string;
  /** Command line of a shell tool. */
  readonly command?: string | undefined;
  /** Paths of files that the tool has changed. */
  readonly files: readonly string[];
  readonly output: string;
  readonly isFailed: boolean;
}
