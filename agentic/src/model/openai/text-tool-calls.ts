import { type BlockReplacement, FENCE, FENCE_LINE, replaceBlocks } from "../../replace-blocks.js";
import { findJson } from "../generate/json-in-text.js";

/** A tool call that a model wrote as text. `arguments` is JSON. */
export interface TextToolCall {
  readonly name: string;
  readonly arguments: string;
}

export interface TextWithCalls {
  /** The text without the calls. */
  readonly text: string;
  readonly calls: readonly TextToolCall[];
}

/** Replaces the texts of one form. The inside of each should be JSON. */
type Form = (text: string, replace: BlockReplacement) => string;

/** Forms in which models write calls within a text, in the order of trial. */
const FORMS: readonly Form[] = [
  (text, replace) => replaceBlocks(text, /<tool_call>/g, "</tool_call>", replace, true),
  (text, replace) => replaceBlocks(text, /<tools>/g, "</tools>", replace),
  (text, replace) => replaceBlocks(text, FENCE_LINE, FENCE, replace),
  replaceBracedCall,
];

/** Replaces the text from the first brace before a name of a call up to the last brace. */
function replaceBracedCall(text: string, replace: BlockReplacement): string {
  const from = text.search(/(?<!\{)\{+\s*"(?:name|tool|tool_name|function|function_name)"/);
  const to = text.lastIndexOf("}") + 1;
  if (from === -1 || to <= from) return text;
  const block = text.slice(from, to);
  return text.slice(0, from) + replace(block, block) + text.slice(to);
}

/** Fields of the name and of the arguments that models use. */
const NAMES = ["name", "tool", "tool_name", "function", "function_name"] as const;
const ARGUMENTS = ["arguments", "parameters", "args", "input"] as const;

/**
 * Finds the tool calls that a small model wrote as text instead of calling a tool: in `<tool_call>`, in a code
 * fence, in single or double braces. Only calls of the offered tools count, so that JSON of any other kind stays
 * text.
 */
export function findToolCalls(text: string, offered: ReadonlySet<string>): TextWithCalls {
  const whole = callsIn(text, offered);
  if (whole.length > 0) return { text: "", calls: whole };
  for (const form of FORMS) {
    const found = findIn(text, form, offered);
    if (found.calls.length > 0) return found;
  }
  return { text, calls: [] };
}

function findIn(text: string, form: Form, offered: ReadonlySet<string>): TextWithCalls {
  const calls: TextToolCall[] = [];
  const rest = form(text, (block, inside) => {
    const found = callsIn(inside, offered);
    calls.push(...found);
    return found.length > 0 ? "" : block;
  });
  return { text: rest.trim(), calls };
}

/** Returns the calls in a text of JSON: one call, a list, or one call per line. All values must be calls. */
function callsIn(text: string, offered: ReadonlySet<string>): TextToolCall[] {
  const trimmed = text.trim();
  if (!/^[{[][\s\S]*[}\]]$/.test(trimmed)) return [];
  for (const spelling of spellingsOf(trimmed)) {
    const values = findJson(spelling).flatMap((value) =>
      Array.isArray(value) ? (value as unknown[]) : [value],
    );
    const calls = values.map((value) => readCall(value, offered));
    if (calls.length > 0 && calls.every((call) => call !== undefined)) return calls;
  }
  return [];
}

/**
 * Returns the text. With double braces: without the outer pair, with single braces everywhere, and with single
 * braces at the beginnings only.
 */
function spellingsOf(text: string): string[] {
  if (!text.startsWith("{{")) return [text];
  const opened = text.replaceAll("{{", "{");
  return [text.slice(1, -1), opened.replaceAll("}}", "}"), opened];
}

function readCall(value: unknown, offered: ReadonlySet<string>): TextToolCall | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const fields = value as Readonly<Record<string, unknown>>;
  if (typeof fields.function === "object") return readCall(fields.function, offered);
  const [only, ...others] = Object.keys(fields);
  if (only !== undefined && others.length === 0 && offered.has(only)) {
    return readCall({ name: only, arguments: fields[only] }, offered);
  }
  const name = NAMES.map((field) => fields[field]).find((one) => typeof one === "string") as
    | string
    | undefined;
  if (name === undefined || !offered.has(name)) return undefined;
  const written = ARGUMENTS.map((field) => fields[field]).find((one) => one !== undefined) ?? {};
  if (typeof written === "string") return { name, arguments: written };
  return typeof written === "object" ? { name, arguments: JSON.stringify(written ?? {}) } : undefined;
}
