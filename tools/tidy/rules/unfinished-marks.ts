import type { Finding } from "../syntax.js";

// The brackets prevent a match in this file.
const MARK = /\b(TOD[O]|FIXM[E]|XX[X])\b/;

/** Finds lines that are marked as unfinished. */
export function checkUnfinishedMarks(path: string, text: string): Finding[] {
  return text.split("\n").flatMap((line, index) => {
    const mark = MARK.exec(line)?.[0];
    return mark === undefined
      ? []
      : [`${path}:${index + 1} ${mark}: finish the work, or document it elsewhere`];
  });
}
