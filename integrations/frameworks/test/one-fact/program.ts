/**
 * A row and a column of the table in `docs/integrations/shared-memories.md`: programs that share a form of
 * memories.
 */
export type Kept =
  | "clients"
  | "tools of MCP"
  | "facts"
  | "items"
  | "conversation"
  | "session"
  | "files"
  | "graph"
  | "checkpoints"
  | "checkpoints of Python";

/** Namespaces of these forms. Clients and MCP tools get theirs as an argument. */
export const PLACES = {
  clients: "project",
  "tools of MCP": "project",
  facts: "about/user:ada",
  items: "langgraph/store",
  conversation: "conversations",
  session: "openai-sessions",
  files: "memories",
  graph: "project",
  checkpoints: "langgraph/checkpoints",
  "checkpoints of Python": "langgraph/checkpoints",
} as const satisfies Record<Kept, string>;

export const NAMESPACES = [...new Set(Object.values(PLACES))];

/** A way to write and find a fact. */
export interface Program {
  readonly name: string;
  readonly kept: Kept;
  readonly isPython?: boolean;
  /** Writes a fact. Clients and MCP tools do so in every namespace. */
  write(text: string): Promise<void>;
  /**
   * Returns the results for a question. `namespace` is where the fact was written, for clients and MCP tools.
   */
  find(question: string, namespace: string): Promise<unknown>;
}
