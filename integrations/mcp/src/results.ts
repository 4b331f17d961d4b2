import { type ErrorCode, isMemoryError } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import type { CallToolResult, InputRequiredResult } from "@modelcontextprotocol/server";

export type ToolResult = CallToolResult | InputRequiredResult;

/** Next steps for a model after an error, in addition to its message. */
const ADVICE: Partial<Record<ErrorCode, string>> = {
  unavailable:
    "Ask the user to start the memory (`npx membus up`), then call again. A repeated call is safe.",
  timeout: "The call may have succeeded. Call again, which is safe.",
  overloaded: "Wait a moment, then call again.",
  out_of_memory: "Wait a moment, then call again.",
  too_large: "Shorten it, or split it into several calls.",
  memory_full: "Forget memories that are no longer needed, then call again.",
  unauthorized: "A retry will not help. Inform the user.",
  conflict: "Another writer has changed it. Read it again, then decide again.",
};

/** Returns a result as structure for programs, and as text for models. */
export function structuredResult(structuredContent: Record<string, unknown>): CallToolResult {
  return { ...textResult(JSON.stringify(structuredContent, null, 2)), structuredContent };
}

export function textResult(text: string): CallToolResult {
  return { content: [{ type: "text", text }] };
}

/** Returns a tool error that the model can act on. Protocol errors reach only the client program. */
export function errorResult(text: string): CallToolResult {
  return { ...textResult(text), isError: true };
}

export function errorText(code: string, message: string): string {
  return [`${message} (${code}).`, ADVICE[code as ErrorCode]].filter(Boolean).join(" ");
}

/**
 * Converts errors of the bus and invalid calls to tool errors. A `TypeError` is also logged, because it may
 * be a bug. Other errors are logged and thrown.
 */
export function withErrors<Arguments, Context>(
  logger: Logger,
  run: (args: Arguments, context: Context) => Promise<ToolResult>,
): (args: Arguments, context: Context) => Promise<ToolResult> {
  return async (args, context) => {
    try {
      return await run(args, context);
    } catch (error) {
      if (isMemoryError(error)) return errorResult(errorText(error.code, error.message));
      if (error instanceof TypeError) {
        logger.warn({ err: error }, "rejected a call");
        return errorResult(error.message);
      }
      logger.error({ err: error }, "a tool failed");
      throw error;
    }
  };
}
