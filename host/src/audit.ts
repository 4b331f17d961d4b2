import type { Logger } from "@membus/protocol";
import type { OutcomeLabel, TypeLabel } from "./metrics.js";

/** Where audit records go, such as a pino logger or a child of one. */
export type AuditSink = Pick<Logger, "info">;

/** One answered request: who did what, when, with which result. Never contents, keys or queries. */
export interface AuditRecord {
  /** Unix seconds of receipt. */
  readonly ts: number;
  readonly tenant?: string | undefined;
  readonly agent?: string | undefined;
  readonly type: TypeLabel;
  readonly id: string | null;
  readonly code: OutcomeLabel;
  /** How many entries: `stored`, `errors`, `returned`, `total`, `deleted`. */
  readonly counts?: Readonly<Record<string, number>> | undefined;
  readonly took_ms: number;
  readonly request_bytes: number;
  /** 0 when nobody awaited an answer. */
  readonly reply_bytes: number;
}

export function writeAudit(sink: AuditSink, record: AuditRecord): void {
  sink.info(record, "request");
}
