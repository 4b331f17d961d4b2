import { isAbsolute, relative } from "node:path";
import {
  conclusionsOf,
  errorLine,
  fixOf,
  isFromWeb,
  isWorthKeeping,
  type Note,
  redact,
  shortCommand,
  statementsOf,
  TASK_LENGTH_MAX,
  turnNote,
} from "../capture/index.js";
import type { SessionJournal, Step } from "../session/index.js";
import type { HookEventBody, ToolCall } from "./hook-event.js";

/** Characters at the end of an output that are searched for an error. */
const OUTPUT_LENGTH_MAX = 65_536;

/** Returns the notes of an event, and adds its steps to the journal of the session. Steps that depend on a note are deferred. */
export async function notesOfEvent(
  event: HookEventBody,
  journal: SessionJournal,
  root: string,
): Promise<Note[]> {
  switch (event.kind) {
    case "prompt":
      if (!event.isByUser) return [];
      await journal.append({ step: "prompt", text: taskOf(event.text) });
      return statementsOf(event.text);
    case "tool":
      return notesOfCall(event.call, journal, root);
    case "stop":
      return [...(await notesOfTurn(journal)), ...conclusionsOf(event.reply)];
    case "compact":
    case "session-end":
      return notesOfTurn(journal);
    case "session-start":
      if (event.isCompacted) await journal.append({ step: "compacted" });
      return [];
    case "turn":
      return notesOfSeries(event.events, journal, root);
    case "remember":
      return [rememberedNote(event)];
    case "recall":
    case "forget":
    case "other":
      return [];
  }
}

async function notesOfSeries(
  events: readonly HookEventBody[],
  journal: SessionJournal,
  root: string,
): Promise<Note[]> {
  const notes: Note[] = [];
  for (const event of events) notes.push(...(await notesOfEvent(event, journal, root)));
  return notes;
}

/** The categories are those that the start of a session recalls. */
function rememberedNote({ text, isGlobal }: { readonly text: string; readonly isGlobal: boolean }): Note {
  return { text: redact(text), category: isGlobal ? "preference" : "decision", trust: "agent", isGlobal };
}

async function notesOfCall(call: ToolCall, journal: SessionJournal, root: string): Promise<Note[]> {
  const edits = call.files.map((path): Step => ({ step: "edit", path: shownPath(path, root) }));
  if (edits.length > 0) await journal.append(...edits);
  if (call.command === undefined || !isWorthKeeping(call.command)) return [];
  const command = redact(call.command);
  if (call.isFailed) {
    // A secret that is cut has no known form any more.
    const error = errorLine(redact(call.output.slice(-OUTPUT_LENGTH_MAX)));
    const isWeb = isFromWeb(call.command);
    if (error !== "") await journal.append({ step: "failure", command: shortCommand(command), error, isWeb });
    return [];
  }
  const fix = fixOf(command, await journal.steps(), call.tool);
  if (fix === undefined) return [];
  journal.defer(fix.step);
  return [fix.note];
}

async function notesOfTurn(journal: SessionJournal): Promise<Note[]> {
  const note = turnNote(await journal.steps());
  if (note === undefined) return [];
  journal.defer({ step: "noted" });
  return [note];
}

/** Returns the beginning of a prompt on one line. */
function taskOf(prompt: string): string {
  const line = redact(prompt.slice(0, 4 * TASK_LENGTH_MAX))
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length <= TASK_LENGTH_MAX ? line : `${line.slice(0, TASK_LENGTH_MAX - 1)}…`;
}

/** Returns a path relative to the project, if the file is in it. */
function shownPath(path: string, root: string): string {
  if (!isAbsolute(path)) return path;
  const shown = relative(root, path);
  return shown.startsWith("..") || isAbsolute(shown) ? path : shown.replaceAll("\\", "/");
}
