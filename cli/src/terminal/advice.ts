import type { MemoryError } from "@membus/protocol";

/** What to do about a failure, where that is known. */
export function adviceFor({ message, detail }: MemoryError): string | undefined {
  if (detail.reason === "log_corrupt") {
    return "`membus up --repair` keeps every record that can be read, and a copy of the damaged files";
  }
  if (detail.reason === "log_incomplete" || detail.reason === "folder_incomplete") {
    return "put back what is missing; `membus up --accept-loss` goes on without it";
  }
  if (detail.reason === "erasure_cut_short") {
    return "run the same command again: it goes on; so does the host in the tiers that it serves, when it is started again";
  }
  if (/address already in use/.test(message)) {
    return `choose another with --port, or use what listens there: --nats nats://127.0.0.1:${detail.port}`;
  }
  if (detail.reason === "connect") {
    return "start a host with `membus up`, or name its server with --nats or NATS_URL";
  }
  if (detail.reason === "no_responders") return "no host serves this agent there: start one with `membus up`";
  return undefined;
}
