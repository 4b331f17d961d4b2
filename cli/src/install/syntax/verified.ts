import { isDeepStrictEqual } from "node:util";
import { applyEdits, type TextEdit } from "../text-edit.js";
import { SyntaxProblem } from "./syntax.js";

type Table = Record<string, unknown>;

export function isTable(value: unknown): value is Table {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** Returns the value at a path, or undefined. */
export function valueAt(root: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (isTable(value) ? value[key] : undefined), root);
}

/**
 * Returns the edits if they change only the value at the path. Edits by lines could otherwise damage a file
 * with an unusual layout.
 * @throws {SyntaxProblem}
 */
export function verified(
  parse: (text: string) => unknown,
  text: string,
  edits: TextEdit[],
  path: readonly string[],
): TextEdit[] {
  if (edits.length === 0) return edits;
  const isSafe = isDeepStrictEqual(without(parse(text), path), without(parsedOrFail(), path));
  if (!isSafe) throw unusual();
  return edits;

  function parsedOrFail(): unknown {
    try {
      return parse(applyEdits(text, edits));
    } catch {
      throw unusual();
    }
  }

  function unusual(): SyntaxProblem {
    return new SyntaxProblem(`cannot edit ${path.join(".")} in this layout: write it as a block of lines`);
  }
}

/** Returns a copy without the value at the path, and without parents that are empty then. */
function without(value: unknown, [key, ...rest]: readonly string[]): unknown {
  if (value === null) return undefined;
  if (key === undefined || !isTable(value)) return value;
  const { [key]: child, ...others } = value;
  const kept = rest.length === 0 ? undefined : without(child, rest);
  const result = kept === undefined ? others : { ...others, [key]: kept };
  return Object.keys(result).length === 0 ? undefined : result;
}
