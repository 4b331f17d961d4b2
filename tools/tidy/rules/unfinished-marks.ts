import type { Finding } from "../syntax.js";

// The brackets keep the pattern from finding itself.
const MARK = /\b(TOD[O]|FIXM[E]|XX[X])\b/;

/** Lines of any text that say themselves that they are unfinished. */
export function checkUnfinishedMarks(path: string, text: string): Finding[] {
  return text.split("\n").flatMap((line, index) => {
    const mark = MARK.exec(line)?.[0];
    return mark === undefined
      ? []
      : [`${path}:${index + 1} ${mark}: finish it, or write down elsewhere what is open`];
  });
}
