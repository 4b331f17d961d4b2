import {
  didYouMean,
  integerOption,
  isMemoryError,
  type ResolvedOptions,
  resolveOptions,
  untilAborted,
} from "@membus/protocol";
import { z } from "zod";
import type { ToolCall } from "../model/index.js";
import type { Tool, ToolContext } from "./tool.js";

/** Of a text that says what was wrong, so much is told. */
const PROBLEM_LENGTH_MAX = 2_000;

export interface CallToolOptions {
  /**
   * Longest text that a model gets of one call, in characters, integer 200..1000000; a longer one is cut, and says so.
   * @default 20000
   */
  readonly textLengthMax?: number | undefined;
}

export const CALL_TOOL_DEFAULTS = Object.freeze({ textLengthMax: 20_000 });

/** What came of a call. */
export interface ToolResult {
  readonly call: ToolCall;
  /** For the model: what the tool answers, or what was wrong. */
  readonly text: string;
  readonly succeeded: boolean;
}

/**
 * Runs the tool that a model asks for. Whatever is wrong becomes a text that the model can act on: a tool that there is
 * not, arguments that are no JSON or not what the tool takes, an error that it throws, a text that is too long.
 * @throws the reason of the context's signal, as soon as it is aborted; nothing else but `TypeError` for an option.
 */
export async function callTool(
  tools: readonly Tool[],
  call: ToolCall,
  context: ToolContext = {},
  options: CallToolOptions = {},
): Promise<string> {
  return (await resultOf(tools, call, context, resolveCallToolOptions(options))).text;
}

export function resolveCallToolOptions(input: CallToolOptions): ResolvedOptions<CallToolOptions> {
  return resolveOptions<ResolvedOptions<CallToolOptions>>(input, CALL_TOOL_DEFAULTS, {
    textLengthMax: integerOption(200, 1_000_000),
  });
}

/** As `callTool`, and whether it went well. */
export async function resultOf(
  tools: readonly Tool[],
  call: ToolCall,
  context: ToolContext,
  { textLengthMax }: ResolvedOptions<CallToolOptions>,
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
      return failed(`The arguments of ${tool.name} are wrong:\n${z.prettifyError(checked.error)}`);
    }
    const running = tool.run(checked.data, context);
    const text = await (context.signal === undefined ? running : untilAborted(running, context.signal));
    return { text, succeeded: true };
  } catch (error) {
    context.signal?.throwIfAborted();
    return failed(`${tool.name} failed: ${wordsOf(error)}`);
  }
}

function failed(problem: string): Outcome {
  return { text: cut(problem, PROBLEM_LENGTH_MAX), succeeded: false };
}

function unknownTool(tools: readonly Tool[], name: string): string {
  const names = tools.map((tool) => tool.name);
  const known = names.length === 0 ? "There are no tools." : `There are: ${names.join(", ")}.`;
  return `There is no tool \`${name.slice(0, 64)}\`${didYouMean(name, names)}. ${known}`;
}

function readArguments({ arguments: written }: ToolCall): unknown {
  try {
    return JSON.parse(written);
  } catch (error) {
    return error;
  }
}

function wordsOf(error: unknown): string {
  if (isMemoryError(error)) return `${error.code}: ${error.message}`;
  return error instanceof Error ? error.message : String(error);
}

/** At most `lengthMax` characters, the note at its end included. */
function cut(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  const note = `\n[cut: the whole text has ${text.length} characters]`;
  // A character of two halves is not cut in two.
  const kept = text.slice(0, lengthMax - note.length).replace(/[\uD800-\uDBFF]$/, "");
  return kept + note;
}
