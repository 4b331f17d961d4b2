import { deriveText, isJsonObject, type Json } from "@membus/protocol";

/** Indexed texts of an item: those under these paths, or nothing. */
export type Index = false | readonly string[];

/** "$", or names and indices: `a.b`, `a[*].b`, `a[0]`, `a[-1]`, `*`. */
const STEP = /\[(\*|-?\d+)\]|([^.[\]{}]+)/y;

/** Returns the error of an index that is not false and not a list of paths. */
export function indexError(index: unknown): string | undefined {
  if (index === false) return undefined;
  if (!Array.isArray(index)) return "must be false or a list of paths";
  const wrong = index.findIndex((path) => stepsOf(path) === undefined);
  if (wrong < 0) return undefined;
  return `contains "${String(index[wrong])}", which is not a path such as "title" or "chapters[*].text"`;
}

/** Returns the text to index: without an index the whole value. null if the host derives the same text. */
export function indexedText(value: Json, index: Index | undefined): string | null {
  if (index === false) return "";
  if (index !== undefined)
    return deriveText(index.flatMap((path) => textsAt(value, stepsOf(path)!)).join("\n"));
  // The host would index only this field.
  return isJsonObject(value) && typeof value.text === "string" ? deriveText([value]) : null;
}

/** Returns the steps of a path, or undefined if it is invalid. */
function stepsOf(path: unknown): string[] | undefined {
  if (path === "$") return [];
  const steps: string[] = [];
  let at = 0;
  while (typeof path === "string" && at < path.length) {
    if (path[at] === "." && at > 0) at++;
    STEP.lastIndex = at;
    const match = STEP.exec(path);
    if (match === null) break;
    steps.push(match[0]);
    at = STEP.lastIndex;
  }
  return steps.length > 0 && at === (path as string).length ? steps : undefined;
}

function textsAt(value: Json, [step, ...rest]: readonly string[]): string[] {
  if (step === undefined) return value === null ? [] : [deriveText([value])];
  return childrenAt(value, step).flatMap((child) => textsAt(child, rest));
}

function childrenAt(value: Json, step: string): Json[] {
  if (step === "*") return typeof value === "object" && value !== null ? Object.values(value) : [];
  if (step.startsWith("[")) {
    if (!Array.isArray(value)) return [];
    return step === "[*]" ? value : value.slice(...elementAt(Number(step.slice(1, -1))));
  }
  return isJsonObject(value) && Object.hasOwn(value, step) ? [value[step]!] : [];
}

function elementAt(index: number): [from: number, to: number | undefined] {
  return [index, index === -1 ? undefined : index + 1];
}
