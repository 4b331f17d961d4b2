import type { Finding } from "../syntax.js";

const MARK = /\b(TO-?DO|FIX-?ME|X{3})\b/;

/** Lines of any text that say themselves that they are unfinished. */
export function checkUnfinishedMarks(path: string, text: string): Finding[] {
  return text.split("\n").flatMap((line, index) => {
    const mark = MARK.exec(line)?.[0];
    return mark === undefined
      ? []
      : [`${path}:${index + 1} ${mark}: finish it, or write down elsewhere what is open`];
  });
}
