import type { HookEvent } from "./hook-event.js";

/** Answer of a hook, in the form that all agents read. Empty: the agent continues as without the hook. */
export interface HookAnswer {
  /** Shown to the user. */
  readonly systemMessage?: string;
  readonly hookSpecificOutput?: { readonly hookEventName: string; readonly additionalContext: string };
}

/** Events that accept context. */
const WITH_CONTEXT: ReadonlySet<HookEvent["kind"]> = new Set([
  "session-start",
  "prompt",
  "remember",
  "recall",
  "forget",
]);

/** Returns the answer to an event. A notice is shown to the user, and to the agent if the event allows it. */
export function answerTo({ kind, name }: HookEvent, context: string, notices: readonly string[]): HookAnswer {
  const systemMessage = notices.join("\n");
  const additionalContext = [...notices, context].filter((part) => part !== "").join("\n\n");
  const isShown = WITH_CONTEXT.has(kind) && additionalContext !== "";
  return {
    ...(systemMessage !== "" && { systemMessage }),
    ...(isShown && { hookSpecificOutput: { hookEventName: name, additionalContext } }),
  };
}
