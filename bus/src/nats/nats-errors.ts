import { isMemoryError, MemoryError } from "@membus/protocol";
import type { PermissionViolationError } from "@nats-io/transport-node";
import { notConnected } from "../bus-errors.js";

/**
 * A NATS client's error as the bus's own, with the original as `cause`; TypeErrors for a caller's mistakes.
 * Told apart by name, because a connection made elsewhere may come from another copy of the client.
 */
export function fromNatsError(error: unknown): MemoryError | TypeError {
  if (isMemoryError(error)) return error;
  const { name, message } = error as Error;
  switch (name) {
    case "InvalidSubjectError":
    case "InvalidArgumentError":
      return new TypeError(message, { cause: error });
    case "PermissionViolationError":
    case "AuthorizationError":
    case "UserAuthenticationExpiredError":
      return new MemoryError("unauthorized", message, {}, { cause: error });
    case "TimeoutError":
      return new MemoryError("timeout", "the NATS server did not answer in time", {}, { cause: error });
    case "ClosedConnectionError":
    case "DrainingConnectionError":
      return notConnected("closed", { cause: error });
    default:
      return notConnected("disconnected", { cause: error });
  }
}

/** What the server has just refused this client, if that is what `error` says. */
export function refusedByServer(error: Error): PermissionViolationError | undefined {
  return error.name === "PermissionViolationError" ? (error as PermissionViolationError) : undefined;
}

/** Why a connection could not be made: `servers` are named as given, without their credentials. */
export function connectFailure(error: unknown, servers: readonly string[]): MemoryError {
  const { name, message } = error as Error;
  const at = servers.join(", ");
  if (name === "AuthorizationError") {
    const text = `the NATS server at ${at} refuses these credentials`;
    return new MemoryError("unauthorized", text, { servers: at }, { cause: error });
  }
  const text = `cannot connect to NATS at ${at}: ${message}`;
  return new MemoryError("unavailable", text, { reason: "connect", servers: at }, { cause: error });
}
