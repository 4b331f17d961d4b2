import type { LearnedBatch, SetAsideMessage } from "@membus/agentic/learner";

/** Returns the result of a batch as lines: the conversation, then each changed memory. */
export function learnedText({ conversation, subject, messages, outcomes }: LearnedBatch): string {
  const count = `${messages} ${messages === 1 ? "message" : "messages"}`;
  const head = `learned  ${conversation}  subject ${subject ?? "none"}  from ${count}`;
  const lines = outcomes.map(({ outcome, text, reason }) =>
    reason === undefined ? `  ${outcome}  ${text}` : `  ${outcome}  ${text}  (${reason})`,
  );
  return [head, ...lines].join("\n");
}

/** Returns a line with the message that was set aside, and the reason. */
export function setAsideText({ conversation, message, seq, reason }: SetAsideMessage): string {
  return `set aside  ${conversation}  message ${message} (seq ${seq})  ${reason}`;
}
