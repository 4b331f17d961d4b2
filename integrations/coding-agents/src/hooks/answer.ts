/** Answer of a hook, in the form that both agents read. Empty: the agent continues as without the hook. */
export interface HookAnswer {
  /** Shown to the user. */
  readonly systemMessage?: string;
  readonly hookSpecificOutput?: { readonly hookEventName: string; readonly additionalContext: string };
}

/** Events that accept context in both contracts. */
const WITH_CONTEXT: ReadonlySet<string> = new Set(["SessionStart", "UserPromptSubmit"]);

/** Returns the answer to an event. A notice is shown to the user, and to the agent if the event allows it. */
export function answerTo(event: string, context: string, notices: readonly string[]): HookAnswer {
  const systemMessage = notices.join("\n");
  const additionalContext = [...notices, context].filter((part) => part !== "").join("\n\n");
  const isShown = WITH_CONTEXT.has(event) && additionalContext !== "";
  return {
    ...(systemMessage !== "" && { systemMessage }),
    ...(isShown && { hookSpecificOutput: { hookEventName: event, additionalContext } }),
  };
}
