import type { Step } from "../session/index.js";
import { shortCommand, similarity } from "./command.js";
import type { Note } from "./note.js";

/** Similarity of characters at which a command counts as the corrected form of another. */
const SIMILARITY_MIN = 0.5;
/** Files that a note names. */
const FILES_MAX = 8;

type Failure = Extract<Step, { step: "failure" }>;

export interface Fix {
  readonly note: Note;
  /** The step that closes the failure. */
  readonly step: Step;
}

/** Returns the note of a command that worked after a failure in the same session, or undefined. */
export function fixOf(worked: string, steps: readonly Step[], tool: string): Fix | undefined {
  const command = shortCommand(worked);
  const open = openFailures(steps);
  const failure =
    open.find(({ step }) => step.command === command) ??
    open.find(({ step }) => similarity(step.command, command) >= SIMILARITY_MIN);
  if (failure === undefined) return undefined;
  const text = `\`${failure.step.command}\` failed: ${failure.step.error} - ${remedy(failure, command)}`;
  const note: Note = { text, category: "fix", trust: failure.step.isWeb ? "web" : "tool", tool };
  return { note, step: { step: "fixed", command: failure.step.command } };
}

interface OpenFailure {
  readonly step: Failure;
  readonly editedAfter: readonly string[];
}

/** Returns failures that no later command has fixed, the newest first. */
function openFailures(steps: readonly Step[]): OpenFailure[] {
  const open = new Map<string, { step: Failure; editedAfter: string[] }>();
  for (const step of steps) {
    if (step.step === "fixed") open.delete(step.command);
    if (step.step === "edit") for (const { editedAfter } of open.values()) editedAfter.push(step.path);
    if (step.step !== "failure") continue;
    // A command that fails again keeps its edits, because all of them may belong to the fix.
    const editedAfter = open.get(step.command)?.editedAfter ?? [];
    open.delete(step.command);
    open.set(step.command, { step, editedAfter });
  }
  return [...open.values()].reverse();
}

function remedy({ step, editedAfter }: OpenFailure, command: string): string {
  if (command !== step.command) return `\`${command}\` worked.`;
  const files = [...new Set(editedAfter)].slice(-FILES_MAX);
  return files.length === 0 ? "It worked later." : `It worked after changes to ${files.join(", ")}.`;
}
