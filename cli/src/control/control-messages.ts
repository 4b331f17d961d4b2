import { join } from "node:path";
import { type ErrorCode, type ErrorDetail, isMemoryError, type Json, MemoryError } from "@membus/protocol";

/** A request of an operator to a running host: one line of JSON. */
export interface ControlRequest {
  readonly cmd: string;
  readonly args?: { readonly [name: string]: Json };
  /** Id of the cluster, if it is for a shard. */
  readonly cluster?: string;
}

/** The reply of the host: one line of JSON with one of these fields. */
export interface ControlReply {
  readonly result?: Json;
  readonly error?: { readonly code: ErrorCode; readonly message: string; readonly detail: ErrorDetail };
}

/** Returns the path of the control socket of the host that serves a data folder. */
export function controlPath(data: string): string {
  return join(data, "control");
}

/** @throws {MemoryError} `schema_violation` for anything else than a request. */
export function parseControlRequest(line: string): ControlRequest {
  try {
    const { cmd, args, cluster } = JSON.parse(line) as ControlRequest;
    if (typeof cmd === "string")
      return { cmd, ...(args !== undefined && { args }), ...(cluster !== undefined && { cluster }) };
  } catch {
    // Invalid JSON is reported below.
  }
  throw new MemoryError("schema_violation", 'invalid request: expected {"cmd": …, "args": {…}}');
}

/** Returns the command with this name. @throws {MemoryError} `unsupported` for an unknown one. */
export function commandOf<T>(commands: Readonly<Record<string, T>>, { cmd }: ControlRequest): T {
  const command = Object.hasOwn(commands, cmd) ? commands[cmd] : undefined;
  if (command === undefined) throw new MemoryError("unsupported", `unknown command ${cmd}`);
  return command;
}

export function errorReply(error: unknown): ControlReply {
  if (isMemoryError(error))
    return { error: { code: error.code, message: error.message, detail: error.detail } };
  const message = error instanceof Error ? error.message : String(error);
  return { error: { code: "runtime_error", message, detail: {} } };
}

/** @throws {MemoryError} the error of the host. */
export function resultOf(line: string): Json {
  const { result = null, error } = JSON.parse(line) as ControlReply;
  if (error === undefined) return result;
  throw new MemoryError(error.code, error.message, error.detail);
}
