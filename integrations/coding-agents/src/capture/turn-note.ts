import type { Step } from "../session/index.js";
import type { Note } from "./note.js";

/** Files that a note names. */
const FILES_MAX = 12;
/** Characters of the prompt in a note. */
export const TASK_LENGTH_MAX = 160;

/** Returns the note of the files that were edited since the last note, with the task of the user. */
export function turnNote(steps: readonly Step[]): Note | undefined {
  const from = steps.findLastIndex(({ step }) => step === "noted") + 1;
  const edited = steps.slice(from).flatMap((step) => (step.step === "edit" ? [step.path] : []));
  const files = [...new Set(edited)];
  if (files.length === 0) return undefined;
  const prompt = steps.findLast((step) => step.step === "prompt");
  const shown = files.slice(0, FILES_MAX).join(", ");
  const more = files.length > FILES_MAX ? ` and ${files.length - FILES_MAX} more` : "";
  const task = prompt === undefined || prompt.text === "" ? "" : `. The task was: ${prompt.text}`;
  return { text: `Changed ${shown}${more}${task}`, category: "files", trust: "agent" };
}
