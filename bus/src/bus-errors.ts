import { MemoryError } from "@membus/protocol";

export function noResponders(subject: string): MemoryError {
  return new MemoryError("unavailable", `no responders on ${subject}`, { reason: "no_responders", subject });
}

export function replyTimeout(subject: string, timeoutMs: number): MemoryError {
  const message = `no reply on ${subject} within ${Math.round(timeoutMs)} ms`;
  return new MemoryError("timeout", message, { subject });
}

/** Returns the error of a bus that cannot send. `disconnected` is temporary, `closed` is permanent. */
export function notConnected(reason: "disconnected" | "closed", options?: ErrorOptions): MemoryError {
  return new MemoryError("unavailable", `the bus is ${reason}`, { reason }, options);
}

export function overMaxPayload(max: number, got: number): MemoryError {
  const message = `message too large for the bus: ${got} bytes, limit ${max}`;
  return new MemoryError("too_large", message, { limit: "messageBytes", max, got });
}
