import type { TextEdit } from "../text-edit.js";

export type ConfigValue =
  | string
  | number
  | boolean
  | readonly ConfigValue[]
  | { readonly [key: string]: ConfigValue };

/** A setting in the configuration of an agent. */
export interface Entry {
  /** Keys from the root to the object or array that holds the value. */
  readonly parents: readonly string[];
  /** Key in an object. Without a key the value is an element of an array. */
  readonly key?: string;
  readonly value: ConfigValue;
  /** Whether a found value belongs to membus, also one of an earlier version or another folder. */
  isOurs(value: unknown): boolean;
}

/** Edits the text of a configuration and keeps all other characters. Every function throws SyntaxProblem. */
export interface ConfigSyntax {
  /** Returns the value under the key of the entry, or all elements that belong to membus. */
  find(text: string, entry: Entry): unknown[];
  /** Returns the paths of the parents that the insertion of the entry would create. */
  missingParents(text: string, entry: Entry): string[][];
  insert(text: string, entry: Entry): TextEdit[];
  /** Removes all values that `find` returns. */
  remove(text: string, entry: Entry): TextEdit[];
  /** Removes a parent if it is empty. */
  removeEmpty(text: string, path: readonly string[]): TextEdit[];
}

/** Starts with line 1 and column 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A text that membus does not edit. */
export class SyntaxProblem extends Error {
  override readonly name = "SyntaxProblem";

  constructor(
    message: string,
    readonly position?: Position,
  ) {
    super(message);
  }
}

export function problemAt(text: string, offset: number, message: string): SyntaxProblem {
  const before = text.slice(0, offset).split("\n");
  return new SyntaxProblem(message, { line: before.length, column: before.at(-1)!.length + 1 });
}

/** Returns the end of lines that the text uses. */
export function lineEnd(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

/** Returns all proper paths of the parents, the shortest first. */
export function prefixes(parents: readonly string[]): string[][] {
  return parents.map((_, index) => parents.slice(0, index + 1));
}
