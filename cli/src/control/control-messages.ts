import { join } from "node:path";
import type { ErrorCode, ErrorDetail, Json } from "@membus/protocol";

/** A request to a running host over its control socket: one line of JSON. */
export interface ControlRequest {
  readonly cmd: string;
  readonly args?: { readonly [name: string]: Json };
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
