import { type ErrorCode, isMemoryError, type Logger } from "@membus/protocol";
import type { CallToolResult, InputRequiredResult } from "@modelcontextprotocol/server";

export type Answer = CallToolResult | InputRequiredResult;

/** What a model can do about an error, beyond what its message says. */
const ADVICE: Partial<Record<ErrorCode, string>> = {
  unavailable:
    "Ask the user to start the memory (`npx membus up`), then call again: a repeated call does no harm.",
  timeout: "It may have had its effect all the same: call again, which does no harm.",
  overloaded: "Wait a moment, then call again.",
  out_of_memory: "Wait a moment, then call again.",
  too_large: "Shorten it, or divide it into several calls.",
  memory_full: "Forget what is not needed any more, then call again.",
  unauthorized: "Another call will not help: tell the user.",
  conflict: "Somebody else has changed it meanwhile: read it again, then decide anew.",
};

/** The same for a program, as structure, and for a model, as text. */
export function answer(structuredContent: Record<string, unknown>): CallToolResult {
  return { ...textAnswer(JSON.stringify(structuredContent, null, 2)), structuredContent };
}

export function textAnswer(text: string): CallToolResult {
  return { content: [{ type: "text", text }] };
}

/** A tool's error is for the model, which may do better: not one of the protocol, of which only the program hears. */
export function failure(text: string): CallToolResult {
  return { ...textAnswer(text), isError: true };
}

export function errorText(code: string, message: string): string {
  return [`${message} (${code}).`, ADVICE[code as ErrorCode]].filter(Boolean).join(" ");
}

/**
 * Answers what the bus refuses and what is wrong with the call. A `TypeError` is logged, too, as it may be a fault of ours;
 * anything else is one, and thrown.
 */
export function guarded<Arguments, Context>(
  logger: Logger,
  run: (args: Arguments, context: Context) => Promise<Answer>,
): (args: Arguments, context: Context) => Promise<Answer> {
  return async (args, context) => {
    try {
      return await run(args, context);
    } catch (error) {
      if (isMemoryError(error)) return failure(errorText(error.code, error.message));
      if (error instanceof TypeError) {
        logger.warn({ err: error }, "a call was refused");
        return failure(error.message);
      }
      logger.error({ err: error }, "a tool failed");
      throw error;
    }
  };
}
