/** A row and a column of the table in `docs/integrations/shared-memories.md`: programs that keep their memories in the same way. */
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

/** Where they are kept, but for clients and the tools of MCP, which are told where. */
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

/** One way to write a fact and to find it. */
export interface Program {
  readonly name: string;
  readonly kept: Kept;
  readonly isPython?: boolean;
  /** A client does so in every namespace, and so do the tools of MCP. */
  write(text: string): Promise<void>;
  /** What answers the question, as it is shown. `namespace` is for these: where the fact was written. */
  find(question: string, namespace: string): Promise<unknown>;
}
