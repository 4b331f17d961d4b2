/** More places in a text where JSON may begin are not tried. */
const PLACES_MAX = 32;

/**
 * The JSON values that a model's text may mean, the likeliest first: the text as a whole, else what is in code fences, else
 * each object or list that stands in it. Empty where there is none.
 */
export function jsonIn(text: string): unknown[] {
  const whole = parsed(text);
  if (whole.length > 0) return whole;
  const fenced = [...text.matchAll(/```[\w-]*[ \t]*\r?\n([\s\S]*?)```/g)].flatMap(([, inside]) =>
    parsed(inside!),
  );
  return [...fenced, ...spansOf(text).flatMap(parsed)];
}

function parsed(text: string): unknown[] {
  try {
    return [JSON.parse(text) as unknown];
  } catch {
    return [];
  }
}

/** What stands between an opening bracket and the one that closes it, outermost brackets only. */
function spansOf(text: string): string[] {
  const spans: string[] = [];
  let from = 0;
  for (let places = 0; places < PLACES_MAX; places++) {
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

/** The end of the value that begins at `start`; brackets within strings do not count. */
function closingOf(text: string, start: number): number | undefined {
  let depth = 0;
  const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]]/gs;
  token.lastIndex = start;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [found] = match;
    if (found === "{" || found === "[") depth += 1;
    if (found === "}" || found === "]") depth -= 1;
    if (depth === 0) return token.lastIndex;
  }
  return undefined;
}
