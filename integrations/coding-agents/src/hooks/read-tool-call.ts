import { looksFailed } from "../capture/index.js";
import type { ToolCall } from "./hook-event.js";
import type { Payload } from "./payload.js";

/** Characters of an output that are read, from its end. */
const OUTPUT_LENGTH_MAX = 50_000;

/** Tools that change one file. Agents write their names with different case. */
const EDITORS: ReadonlySet<string> = new Set([
  ...["edit", "multiedit", "notebookedit", "write"],
  // Hermes Agent.
  ...["write_file", "patch"],
]);
const SHELLS: ReadonlySet<string> = new Set(["bash", "exec", "powershell", "terminal"]);
/** Tool that gets a patch of several files. */
const PATCH_TOOL = "apply_patch";
const PATCHED_FILE = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/;

/** Fields of a payload that describe a tool call. */
type CallFields = Pick<Payload, "tool_name" | "tool_input" | "tool_response">;
type Fields = Readonly<Record<string, unknown>>;

/** Reads a tool call. `error` is the message of a failed call, if the agent reports failures separately. */
export function readToolCall(payload: CallFields, error: string | undefined): ToolCall {
  const tool = payload.tool_name ?? "";
  const input = fieldsOf(payload.tool_input);
  const output = (error ?? outputOf(payload.tool_response)).slice(-OUTPUT_LENGTH_MAX);
  const isCallFailed = error !== undefined || isFailed(payload.tool_response, output);
  return {
    tool,
    command: SHELLS.has(tool.toLowerCase()) && typeof input.command === "string" ? input.command : undefined,
    files: isCallFailed ? [] : changedFiles(tool, input),
    output,
    isFailed: isCallFailed,
  };
}

/**
 * Claude Code reports failures with a separate event. Codex 0.171 reports the output as a text without the
 * exit code, so its form decides.
 */
function isFailed(response: unknown, output: string): boolean {
  const { exit_code, exitCode, is_error, success } = fieldsOf(response);
  const code = exit_code ?? exitCode;
  if (typeof code === "number") return code !== 0;
  if (is_error === true || success === false) return true;
  return typeof response === "string" && looksFailed(output);
}

function outputOf(response: unknown): string {
  if (typeof response === "string") return response;
  const { stdout, stderr, output } = fieldsOf(response);
  return [stderr, stdout, output].filter((part) => typeof part === "string" && part !== "").join("\n");
}

function changedFiles(tool: string, input: Fields): string[] {
  if (tool === PATCH_TOOL) return patchedFiles(String(input.command ?? input.input ?? input.patchText ?? ""));
  if (typeof input.patch === "string") return patchedFiles(input.patch);
  const path = input.file_path ?? input.notebook_path ?? input.filePath ?? input.path;
  return EDITORS.has(tool.toLowerCase()) && typeof path === "string" ? [path] : [];
}

function patchedFiles(patch: string): string[] {
  return patch.split("\n").flatMap((line) => PATCHED_FILE.exec(line.trimEnd())?.[1] ?? []);
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}
