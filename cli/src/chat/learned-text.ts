import type { LearnedBatch, SetAsideMessage } from "@membus/agentic";

/** What was learned, as lines: the conversation, then each memory that has changed. */
export function learnedText({ conversation, about, messages, outcomes }: LearnedBatch): string {
  const count = `${messages} ${messages === 1 ? "message" : "messages"}`;
  const head = `learned  ${conversation}  about ${about ?? "nobody"}  from ${count}`;
  const lines = outcomes.map(({ outcome, text, reason }) =>
    reason === undefined ? `  ${outcome}  ${text}` : `  ${outcome}  ${text}  (${reason})`,
  );
  return [head, ...lines].join("\n");
}

/** A message that is not learned, as a line: which one, and why. */
export function setAsideText({ conversation, message, seq, reason }: SetAsideMessage): string {
  return `set aside  ${conversation}  message ${message} (seq ${seq})  ${reason}`;
}
