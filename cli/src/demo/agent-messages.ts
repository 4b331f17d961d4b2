import type { AgentMemory } from "@membus/agent-client";
import type { ErrorCode, Json, MemoryEntry, StoreReceipt } from "@membus/protocol";

/** What came of storing many entries, one request after the other. */
export interface StoringReport {
  readonly sent: number;
  readonly receipts: readonly StoreReceipt[];
  /** Messages of the entries that were refused. */
  readonly refusals: readonly string[];
}

/** What an agent's process does when it is asked to. */
export interface AgentTasks extends Pick<AgentMemory, "store" | "retrieve" | "forget" | "remember" | "ping"> {
  recall(key: Parameters<AgentMemory["recall"]>[0]): Promise<Json>;
  /** The entries of all pages. */
  list(request: Parameters<AgentMemory["entries"]>[0]): Promise<MemoryEntry[]>;
  /** Stores the turns of the talks that this agent took part in, one talk a request. */
  storeTalks(): Promise<StoringReport>;
  /** Stores sales, one a request and several requests at a time, until `endSales`. */
  storeSales(): Promise<StoringReport>;
  endSales(): Promise<void>;
}

/** One line to an agent's process. */
export interface AgentCall {
  readonly id: number;
  readonly task: keyof AgentTasks;
  readonly args: readonly unknown[];
}

/** One line from it: the answer to a call, or how many sales are acknowledged by now. */
export type AgentLine =
  | { readonly id: number; readonly value?: unknown; readonly error?: AgentError }
  | { readonly salesAcknowledged: number };

export interface AgentError {
  readonly code: ErrorCode;
  readonly message: string;
}
