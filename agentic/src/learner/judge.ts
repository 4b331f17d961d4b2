import type { ModelError } from "../model/index.js";
import type { Batch } from "./batch.js";
import { type Cursor, moved, postponed } from "./cursor.js";
import type { ResolvedLearnerOptions } from "./learner-options.js";
import { type Fault, SET_ASIDE_MAX, setAsideOf } from "./set-aside.js";

/** Codes of a `ModelError` that say something about the request; others are of its provider, and pass. */
const FAULT_CODES: readonly ModelError["code"][] = [
  "refused",
  "too_large",
  "invalid_output",
  "invalid_request",
];

export function isFaultCode(code: ModelError["code"]): boolean {
  return FAULT_CODES.includes(code);
}

/**
 * What becomes of a batch that has failed by its own fault. "again": it is tried again later; "divided": its first half is
 * tried; "undecided": its facts are taken for new; "set_aside": the one message that it has is not learned.
 */
export type Verdict = "again" | "divided" | "undecided" | "set_aside";

export interface Judged {
  readonly verdict: Verdict;
  readonly cursor: Cursor;
}

/**
 * Where it is facts that are not decided about, some may be written already, so the messages are not asked about anew; where
 * it is the messages, nothing is written yet.
 */
export function judge(
  cursor: Cursor,
  batch: Batch,
  fault: Fault,
  options: ResolvedLearnerOptions,
  now: number,
): Judged {
  const faults = cursor.faults + 1;
  const verdict = verdictOn({ ...cursor, faults }, batch, fault, options.faultCountMax);
  switch (verdict) {
    case "again":
      return { verdict, cursor: { ...cursor, faults } };
    case "undecided":
      return { verdict, cursor: begunAnew({ ...cursor, undecided: true }, now) };
    case "divided":
      return { verdict, cursor: begunAnew(divided(cursor, batch), now) };
    case "set_aside":
      return { verdict, cursor: withoutMessage(cursor, batch, fault, options, now) };
  }
}

function verdictOn(
  { faults, suspectTo, undecided, setAside }: Cursor,
  { messages, retried }: Batch,
  { isDeciding }: Fault,
  faultCountMax: number,
): Verdict {
  const isRetried = retried !== undefined;
  const isOver = faults >= faultCountMax;
  if (isDeciding) return (isOver || isRetried) && !undecided ? "undecided" : "again";
  if (isRetried) return "set_aside";
  if (messages.length > 1) return isOver || suspectTo !== undefined ? "divided" : "again";
  return isOver && setAside.length < SET_ASIDE_MAX ? "set_aside" : "again";
}

/** What is begun now is something else, which has not failed yet. */
function begunAnew(cursor: Cursor, now: number): Cursor {
  return { ...postponed(cursor, now), attempts: 0, faults: 0 };
}

function divided(cursor: Cursor, { messages, to }: Batch): Cursor {
  const countMax = Math.ceil(messages.length / 2);
  return { ...cursor, batchTo: messages[countMax - 1]!.seq, suspectTo: cursor.suspectTo ?? to, countMax };
}

/** One that was tried again and failed stays where it was, with the new reason. */
function withoutMessage(
  cursor: Cursor,
  batch: Batch,
  fault: Fault,
  options: ResolvedLearnerOptions,
  now: number,
): Cursor {
  const { id, seq } = batch.messages[0]!;
  const { countMax: _countMax, ...over } = moved(cursor, batch, options);
  const setAside = [...over.setAside, setAsideOf(id, seq, now, fault)];
  return { ...over, setAside };
}
