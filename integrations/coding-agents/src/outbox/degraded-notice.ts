import type { OutboxState } from "./outbox.js";

/** Returns one line for the agent and its user, or undefined if every write was delivered. */
export function degradedNotice(
  { queued, refused, foreign, problem }: OutboxState,
  failure?: Error,
): string | undefined {
  const reason = failure ?? problem;
  const problems = [
    queued > 0 && `${writes(queued)} queued on this machine`,
    refused > 0 && `${writes(refused)} refused by the host`,
    foreign.length > 0 && `${foreign.length} files in the outbox are no writes`,
  ].filter((problem) => problem !== false);
  if (problems.length === 0 && reason === undefined) return undefined;
  const why = reason === undefined ? "" : `: ${reason.message}`;
  const list =
    problems.length === 0 ? "" : `. ${problems.join(", ")}. \`membus outbox list\` shows the writes`;
  return `membus: memory is degraded${why}${list}.`;
}

function writes(count: number): string {
  return count === 1 ? "1 write is" : `${count} writes are`;
}
