import type { Encoding, RequestAddress } from "@membus/protocol";

/** One message on its way to its answer. */
export interface Exchange {
  /** Where the answer goes; undefined when nobody awaits one. */
  readonly reply: string | undefined;
  readonly encoding: Encoding;
  /** Undefined for a subject that is no request's. */
  readonly address: RequestAddress | undefined;
  /** Null where none could be read. */
  readonly reqId: string | null;
  /** Unix seconds. */
  readonly receivedAt: number;
  readonly requestBytes: number;
}
