import type { MemoryError } from "@membus/protocol";

/** Error codes of files that this user may not read or write. */
const ACCESS = /\b(EACCES|EPERM|EROFS)\b/;

/** Returns a suggested fix for a file that may not be read or written, or undefined. */
export function accessAdvice(message: string): string | undefined {
  if (!ACCESS.test(message)) return undefined;
  return (
    "run membus as the user that owns the files, or make them belong to this user with chown -R. " +
    "`membus up --read-only` serves a folder that may only be read"
  );
}

/** `binary` is only in the detail of a nats-server. */
function portAdvice({ binary, port }: MemoryError["detail"]): string {
  if (binary === undefined)
    return "choose another address: `membus gateway --listen 127.0.0.1:PORT`, `membus up --http 127.0.0.1:PORT`";
  return `choose another port with --port, or use the running server: --nats nats://127.0.0.1:${port}`;
}

/** Returns a suggested fix for a failure, or undefined. */
export function adviceFor({ message, detail }: Pick<MemoryError, "message" | "detail">): string | undefined {
  if (detail.limit === "entryBytes") return "split the content into several entries with the same `group`";
  if (detail.reason === "log_corrupt") {
    return "run `membus up --repair` to keep every readable record, and a copy of the damaged files";
  }
  if (detail.reason === "log_incomplete" || detail.reason === "folder_incomplete") {
    return "restore the missing files, or start with `membus up --accept-loss` to continue without them";
  }
  if (detail.reason === "erasure_cut_short") {
    return "run the same command again to continue the erasure. A host also continues it after a restart";
  }
  if (detail.reason === "port_in_use") return portAdvice(detail);
  if (detail.reason === "connect") {
    return "start a host with `membus up`, or name the running nats-servers with --nats, --cluster or NATS_URL";
  }
  if (
    /^JetStream did not answer: (timeout|no responders|JetStream system temporarily unavailable)/.test(
      message,
    )
  )
    return "start the nats-servers that are down: more than half of them must run";
  if (detail.reason === "no_responders")
    return "no host serves this agent now: start one with `membus up`, or ask `membus doctor` about a running one";
  return accessAdvice(message);
}
