import type { ModelError } from "../model/index.js";
import type { Batch } from "./batch.js";
import { advanceCursor, type Cursor, postponeCursor } from "./cursor.js";
import type { ResolvedLearnerOptions } from "./learner-options.js";
import { type Fault, SET_ASIDE_MAX, setAsideOf } from "./set-aside.js";

/**
 * Codes of a `ModelError` that the request caused. Other codes are failures of the provider and pass. A request
 * that took too long would take as long again, so a timeout is among them.
 */
const FAULT_CODES: readonly ModelError["code"][] = [
  "refused",
  "too_large",
  "invalid_output",
  "invalid_request",
  "timeout",
];

export function isFaultCode(code: ModelError["code"]): boolean {
  return FAULT_CODES.includes(code);
}

/**
 * The action after a batch failed because of its messages.
 * - "retry": retry it later.
 * - "divided": try its first half.
 * - "undecided": take its facts as new.
 * - "set_aside": skip its only message.
 */
export type FailureAction = "retry" | "divided" | "undecided" | "set_aside";

export interface FailureDecision {
  readonly action: FailureAction;
  readonly cursor: Cursor;
}

/**
 * Decides what to do with a failed batch. If the question how facts relate failed, some facts may be stored
 * already, so the earlier answers are kept. If an earlier question failed, nothing is stored yet.
 */
export function decideOnFailure(
  cursor: Cursor,
  batch: Batch,
  fault: Fault,
  options: ResolvedLearnerOptions,
  now: number,
): FailureDecision {
  const faults = cursor.faults + 1;
  const action = actionFor({ ...cursor, faults }, batch, fault, options.faultCountMax);
  switch (action) {
    case "retry":
      return { action, cursor: { ...cursor, faults } };
    case "undecided":
      return { action, cursor: restarted({ ...cursor, undecided: true }, now) };
    case "divided":
      return { action, cursor: restarted(divided(cursor, batch), now) };
    case "set_aside":
      return { action, cursor: withSetAside(cursor, batch, fault, options, now) };
  }
}

function actionFor(
  { faults, suspectTo, undecided, setAside }: Cursor,
  { messages, retried }: Batch,
  { isDeciding, code }: Fault,
  faultCountMax: number,
): FailureAction {
  const isRetried = retried !== undefined;
  const isOver = faults >= faultCountMax || (code === "timeout" && messages.length > 1);
  if (isDeciding) return (isOver || isRetried) && !undecided ? "undecided" : "retry";
  if (isRetried) return "set_aside";
  if (messages.length > 1) return isOver || suspectTo !== undefined ? "divided" : "retry";
  return isOver && setAside.length < SET_ASIDE_MAX ? "set_aside" : "retry";
}

/** Resets the failure counts for a batch that has not failed yet. */
function restarted(cursor: Cursor, now: number): Cursor {
  return { ...postponeCursor(cursor, now), attempts: 0, faults: 0 };
}

function divided(cursor: Cursor, { messages, to }: Batch): Cursor {
  const countMax = Math.ceil(messages.length / 2);
  return { ...cursor, batchTo: messages[countMax - 1]!.seq, suspectTo: cursor.suspectTo ?? to, countMax };
}

/** Sets a message aside. A retried message that failed again stays set aside with the new reason. */
function withSetAside(
  cursor: Cursor,
  batch: Batch,
  fault: Fault,
  options: ResolvedLearnerOptions,
  now: number,
): Cursor {
  const { id, seq } = batch.messages[0]!;
  const { countMax: _countMax, ...over } = advanceCursor(cursor, batch, options);
  const setAside = [...over.setAside, setAsideOf(id, seq, now, fault)];
  return { ...over, setAside };
}
