import {
  abortable,
  didYouMean,
  isMemoryError,
  type OptionsOf,
  option,
  optionSet,
  parseOptions,
  type ResolvedOptionsOf,
} from "@membus/protocol";
import { z } from "zod";
import type { ToolCall } from "../model/index.js";
import type { Tool, ToolContext } from "./tool.js";

/** Maximum number of characters of an error result. */
const PROBLEM_LENGTH_MAX = 2_000;

export const CallToolOptionsSchema = optionSet({
  /** Maximum number of characters of a tool result. A longer result is cut and marked. */
  textLengthMax: option.integer(200, 1_000_000).default(20_000),
});

export interface CallToolOptions extends OptionsOf<typeof CallToolOptionsSchema> {}

/** The result of a tool call. */
export interface ToolResult {
  readonly call: ToolCall;
  /** Text for the model: the result of the tool, or an error. */
  readonly text: string;
  readonly succeeded: boolean;
}

/**
 * Runs the tool that a model calls. Errors become texts for the model: an unknown tool, arguments that are
 * invalid JSON or do not match the schema, an error that the tool throws. A result that is too long is cut.
 * @throws the reason of the context's signal if it is aborted, and `TypeError` for an invalid option.
 */
export async function callTool(
  tools: readonly Tool[],
  call: ToolCall,
  context: ToolContext = {},
  options: CallToolOptions = {},
): Promise<string> {
  return (await runToolCall(tools, call, context, parseOptions(CallToolOptionsSchema, options))).text;
}

/** Runs a tool call as `callTool` does, and returns whether it succeeded. */
export async function runToolCall(
  tools: readonly Tool[],
  call: ToolCall,
  context: ToolContext,
  { textLengthMax }: ResolvedOptionsOf<typeof CallToolOptionsSchema>,
): Promise<ToolResult> {
  context.signal?.throwIfAborted();
  const { text, succeeded } = await run(tools, call, context);
  return { call, text: cut(text, textLengthMax), succeeded };
}

type Outcome = Pick<ToolResult, "text" | "succeeded">;

async function run(tools: readonly Tool[], call: ToolCall, context: ToolContext): Promise<Outcome> {
  const tool = tools.find(({ name }) => name === call.name);
  if (tool === undefined) return failed(unknownTool(tools, call.name));
  const args = readArguments(call);
  if (args instanceof Error) return failed(`The arguments of ${tool.name} are not JSON: ${args.message}`);
  try {
    const checked = await tool.parameters.safeParseAsync(args);
    if (!checked.success) {
      return failed(`The arguments of ${tool.name} are invalid:\n${z.prettifyError(checked.error)}`);
    }
    const running = tool.run(checked.data, context);
    const text = await (context.signal === undefined ? running : abortable(running, context.signal));
    return { text, succeeded: true };
  } catch (error) {
    context.signal?.throwIfAborted();
    return failed(`${tool.name} failed: ${errorText(error)}`);
  }
}

function failed(problem: string): Outcome {
  return { text: cut(problem, PROBLEM_LENGTH_MAX), succeeded: false };
}

function unknownTool(tools: readonly Tool[], name: string): string {
  const names = tools.map((tool) => tool.name);
  const known = names.length === 0 ? "No tools are available." : `Available tools: ${names.join(", ")}.`;
  return `Unknown tool \`${name.slice(0, 64)}\`${didYouMean(name, names)}. ${known}`;
}

function readArguments({ arguments: written }: ToolCall): unknown {
  try {
    return JSON.parse(written);
  } catch (error) {
    return error;
  }
}

function errorText(error: unknown): string {
  if (isMemoryError(error)) return `${error.code}: ${error.message}`;
  return error instanceof Error ? error.message : String(error);
}

/** Cuts a text to at most `lengthMax` characters, including the note at its end. */
function cut(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  const note = `\n[cut: the whole text has ${text.length} characters]`;
  // Keeps surrogate pairs together.
  const kept = text.slice(0, lengthMax - note.length).replace(/[\uD800-\uDBFF]$/, "");
  return kept + note;
}
