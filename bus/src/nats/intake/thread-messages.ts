import type { HeaderMap } from "@membus/protocol/plugin";
import type { ResolvedNatsBusOptions } from "../nats-options.js";

/** Start value of the thread. */
export interface ThreadStart {
  readonly options: ResolvedNatsBusOptions;
  readonly senderTokens: number;
  /** Memory of the `BatchCounter`. */
  readonly processed: SharedArrayBuffer;
}

export type Call =
  | { readonly method: "subscribe"; readonly id: number; readonly subject: string; readonly queue?: string }
  | { readonly method: "drain"; readonly id: number }
  | { readonly method: "flush" }
  | { readonly method: "close" };

/** Message to the thread. `taken`: the receiver has processed a batch for which the thread waits. */
export type ToThread =
  | {
      readonly kind: "publish";
      readonly subject: string;
      readonly payload: Uint8Array;
      readonly headers: HeaderMap;
    }
  | { readonly kind: "call"; readonly number: number; readonly call: Call }
  | { readonly kind: "taken" };

/** Received message without its payload, which is the next `length` bytes of its batch. */
export interface PackedMessage {
  /** Id of the subscription. */
  readonly id: number;
  readonly subject: string;
  readonly reply: string | undefined;
  readonly headers: HeaderMap | undefined;
  readonly length: number;
  /** Size of a refused message. The batch has only its beginning. Undefined for other messages. */
  readonly refusedBytes: number | undefined;
  /** Whether messages of the same sender were refused. */
  readonly isOverflowing: boolean;
}

export interface Batch {
  readonly kind: "batch";
  readonly messages: readonly PackedMessage[];
  readonly payloads: ArrayBuffer;
  /** Number of refused messages that are not in the batch. */
  readonly dropped: number;
}

/** Error that crosses threads. The class of an error does not. */
export interface ThreadError {
  readonly code: string | undefined;
  readonly message: string;
  readonly detail: object | undefined;
}

export type FromThread =
  | Batch
  | { readonly kind: "result"; readonly number: number; readonly error: ThreadError | undefined }
  | {
      readonly kind: "log";
      readonly level: "debug" | "info" | "warn" | "error";
      readonly fields: object;
      readonly text: string;
    };
