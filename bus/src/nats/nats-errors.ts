import { isMemoryError, MemoryError } from "@membus/protocol";
import type { PermissionViolationError } from "@nats-io/transport-node";
import { notConnected } from "../bus-errors.js";

/**
 * Converts an error of a NATS client to an error of the bus, with the original as `cause`. Invalid calls
 * become TypeErrors. Errors are identified by name, because a connection may come from another copy of the
 * client.
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

/** Returns the permission violation that the server reported, or undefined for any other error. */
export function permissionViolation(error: Error): PermissionViolationError | undefined {
  return error.name === "PermissionViolationError" ? (error as PermissionViolationError) : undefined;
}

/** Returns the error of a failed connection. `servers` are URLs without credentials. */
export function connectFailure(error: unknown, servers: readonly string[]): MemoryError {
  const { name, message } = error as Error;
  const at = servers.join(", ");
  if (name === "AuthorizationError") {
    const text = `the NATS server at ${at} refused the credentials`;
    return new MemoryError("unauthorized", text, { servers: at }, { cause: error });
  }
  const text = `cannot connect to NATS at ${at}: ${message}`;
  return new MemoryError("unavailable", text, { reason: "connect", servers: at }, { cause: error });
}
