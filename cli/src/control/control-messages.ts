import { join } from "node:path";
import type { ErrorCode, ErrorDetail, Json } from "@membus/protocol";

/** What is asked of a running host at its socket: a line of JSON. */
export interface ControlRequest {
  readonly cmd: string;
  readonly args?: { readonly [name: string]: Json };
}

/** What it answers: a line that has one of these. */
export interface ControlReply {
  readonly result?: Json;
  readonly error?: { readonly code: ErrorCode; readonly message: string; readonly detail: ErrorDetail };
}

/** The socket of the host that serves a data folder. */
export function controlPath(data: string): string {
  return join(data, "control");
}
