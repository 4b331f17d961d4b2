import { deletion, insertion } from "../text-edit.js";
import type { ConfigSyntax } from "./syntax.js";

/** A file with one entry: its whole text, which is a string. */
export const WHOLE_FILE_SYNTAX: ConfigSyntax = {
  find: (text) => (text === "" ? [] : [text]),
  missingParents: () => [],
  insert: (_text, { value }) => [insertion(0, String(value))],
  remove: (text) => [deletion(text, 0, text.length)],
  removeEmpty: () => [],
};
