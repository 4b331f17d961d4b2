import { blocksIn, FENCE, FENCE_LINE } from "../../replace-blocks.js";

/** Maximum number of positions in a text that are tried as the start of JSON. */
const STARTS_MAX = 32;

/**
 * Returns the JSON values in a model's text, the likeliest first: the whole text, else the content of code
 * fences, else each object or list. Empty if there are none.
 */
export function findJson(text: string): unknown[] {
  const whole = parsed(text);
  if (whole.length > 0) return whole;
  const fenced = blocksIn(text, FENCE_LINE, FENCE);
  return [...fenced.flatMap(parsed), ...spansOf(text).flatMap(parsed)];
}

function parsed(text: string): unknown[] {
  try {
    return [JSON.parse(text) as unknown];
  } catch {
    return [];
  }
}

/** Returns the text of each outermost pair of brackets. */
function spansOf(text: string): string[] {
  const spans: string[] = [];
  let from = 0;
  for (let count = 0; count < STARTS_MAX; count++) {
    const start = nextBracket(text, from);
    if (start === undefined) break;
    const end = closingOf(text, start);
    if (end !== undefined) spans.push(text.slice(start, end));
    from = end ?? start + 1;
  }
  return spans;
}

function nextBracket(text: string, from: number): number | undefined {
  const offset = text.slice(from).search(/[{[]/);
  return offset === -1 ? undefined : from + offset;
}

/** Matches a bracket, or a string that may have no end. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"?|[{}[\]]/gs;

/** Returns the end of the value that starts at `start`. Brackets within strings do not count. */
function closingOf(text: string, start: number): number | undefined {
  let depth = 0;
  const token = new RegExp(TOKEN);
  token.lastIndex = start;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [found] = match;
    if (found === "{" || found === "[") depth += 1;
    if (found === "}" || found === "]") depth -= 1;
    if (depth === 0) return token.lastIndex;
  }
  return undefined;
}
