import type { ForgetStatus } from "@membus/agent-client";

/** When the bytes are erased, by the obstacles of the included plugins. */
const OBSTACLES: Readonly<Record<string, string>> = {
  interrupted: "once the same forget is sent again",
  replica_down: "once a nats-server that stores the log is back",
  files_set_aside: "with the copies of repaired files, by a forget with --purge",
};

/** Says whether the bytes of forgotten entries are erased from disk, and since or by when. */
export function describeErasure({ purge, purged_at, purge_by, purge_reason }: ForgetStatus): string {
  if (purge === "done") return `erased from disk${purged_at === undefined ? "" : ` at ${dateOf(purged_at)}`}`;
  const when = purge_by === undefined ? "later" : `by ${dateOf(purge_by)}`;
  const obstacle = purge_reason && (OBSTACLES[purge_reason] ?? `${when} (${purge_reason})`);
  return `to be erased from disk ${obstacle ?? when}`;
}

function dateOf(time: number): string {
  return new Date(time * 1_000).toISOString();
}
