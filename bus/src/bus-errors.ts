import { MemoryError } from "@membus/protocol";

export function noResponders(subject: string): MemoryError {
  return new MemoryError("unavailable", `nobody listens on ${subject}`, { reason: "no_responders", subject });
}

export function noAnswer(subject: string, timeoutMs: number): MemoryError {
  const message = `no answer on ${subject} within ${Math.round(timeoutMs)} ms`;
  return new MemoryError("timeout", message, { subject });
}

/** `disconnected` passes by itself, `closed` does not. */
export function notConnected(reason: "disconnected" | "closed", options?: ErrorOptions): MemoryError {
  return new MemoryError("unavailable", `the bus is ${reason}`, { reason }, options);
}

export function overMaxPayload(max: number, got: number): MemoryError {
  const message = `a message of ${got} bytes is over the bus's limit of ${max}`;
  return new MemoryError("too_large", message, { limit: "messageBytes", max, got });
}
