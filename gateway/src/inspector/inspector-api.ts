// What is answered below `/inspector/`, as JSON: its page reads these types, too, and nothing else of membus. Moments are Unix
// seconds.

export type Tier = "working" | "episodic" | "semantic";

/** A tier that could not be asked. */
export interface DegradedTier {
  readonly tier: string;
  readonly message: string;
}

/** An entry as a list or a graph shows it. */
export interface EntryBrief {
  readonly key_hash: string;
  readonly tier: Tier;
  readonly namespace: string;
  /** Its kind of record; absent where it is none. */
  readonly kind?: string;
  readonly text: string;
  readonly author: string;
  readonly created: number;
}

/** `recent`: an entry as the event of its latest change would tell of it. */
export interface RecentChange extends EntryBrief {
  readonly key: Readonly<Record<string, unknown>>;
  readonly tags: readonly string[];
  readonly revision: number;
  readonly at: number;
}

/** `forget/preview`. */
export interface Victim extends EntryBrief {
  /** How many derivations lie between it and what was named. */
  readonly level: number;
}

/** `conversations`. */
export interface ConversationPage {
  readonly conversations: readonly ConversationBrief[];
  readonly total: number;
  readonly cursor?: string;
  readonly degraded: readonly DegradedTier[];
}

export interface ConversationBrief {
  readonly id: string;
  readonly messages: number;
  readonly summaries: number;
  /** When its latest message was. */
  readonly newest: number;
  readonly bytes: number;
}

/** `conversation`. */
export interface Chat {
  readonly id: string;
  /** A page, in the order in which they were said: the newest, or those before what `cursor` has read. */
  readonly messages: readonly ChatMessage[];
  readonly total: number;
  /** There while there are older ones. */
  readonly cursor?: string;
  /** Those that go furthest first. */
  readonly summaries: readonly ChatSummary[];
  readonly offloads: readonly ChatOffload[];
  readonly learned: readonly Learned[];
  /** Whether more was learned of these messages than is told. */
  readonly learned_truncated: boolean;
  readonly degraded: readonly DegradedTier[];
}

export interface ChatMessage {
  readonly key_hash: string;
  readonly id: string;
  readonly seq: number;
  readonly tier: Tier;
  readonly namespace: string;
  readonly role: string;
  readonly name?: string;
  /** The agent that wrote it. */
  readonly author: string;
  readonly occurred_at: number;
  readonly text: string;
  /** Whether the text goes on. */
  readonly truncated: boolean;
  readonly tool_calls: readonly ChatCall[];
  /** Of a tool's result: the call that it answers. */
  readonly tool_call_id?: string;
  readonly marks: readonly string[];
}

export interface ChatCall {
  readonly id: string;
  readonly name: string;
  /** As the model wrote them. */
  readonly arguments: string;
}

/** What stands for messages that a model is no longer shown. */
export interface ChatSummary {
  readonly key_hash: string;
  readonly text: string;
  readonly key_facts: readonly string[];
  readonly open_threads: readonly string[];
  /** The `seq` of the first and last message. */
  readonly covers: { readonly from: number; readonly to: number };
  readonly level: number;
  readonly created: number;
}

/** What was taken out of a message, for a model sees only that it is there. */
export interface ChatOffload {
  readonly message: string;
  /** Of the text that it is a piece of. */
  readonly bytes: number;
  readonly tool?: string;
}

/** An entry that names messages of the page as its sources. */
export interface Learned extends EntryBrief {
  readonly sources: readonly string[];
}

/** `graphs`: the triples of a namespace of a tier. */
export interface GraphBrief {
  readonly tier: Tier;
  readonly namespace: string;
  readonly triples: number;
}

/** `names`. */
export interface GraphNames {
  /** With words the best answer first, else that with the most triples. */
  readonly names: readonly { readonly name: string; readonly triples?: number }[];
}

/** `neighbourhood`. */
export interface NeighbourhoodReply {
  /** The id of the node that was asked for. */
  readonly centre: string;
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  /** Whether there is more than is told. */
  readonly truncated: boolean;
  readonly degraded: readonly DegradedTier[];
}

export type GraphNode = NameNode | EntryNode;

/** A name that triples are about, in one graph: a namespace of a tier. */
export interface NameNode {
  readonly id: string;
  readonly kind: "name";
  readonly text: string;
  readonly tier: Tier;
  readonly namespace: string;
  /** Steps from the centre. */
  readonly distance: number;
}

export interface EntryNode extends Omit<EntryBrief, "kind"> {
  readonly id: string;
  readonly kind: "entry";
  /** Its kind of record; absent where it is none. */
  readonly record?: string;
  readonly distance: number;
}

/** Between two nodes, by their ids. */
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** `triple`: `from` and `to` are its names. `end`: from a triple's entry to a name. `source`: from what was derived. */
  readonly kind: "triple" | "end" | "source";
  readonly label: string;
  /** Of a triple: the id that its entry has as a node. */
  readonly entry?: string;
}

/** `health`. */
export interface Health {
  readonly at: number;
  readonly hosts: readonly HostHealth[];
}

export interface HostHealth {
  readonly id: string;
  readonly version: string;
  readonly state: string;
  readonly started: string;
  readonly endpoints: readonly EndpointHealth[];
  readonly in_flight: Figures;
  readonly process: Figures;
  /** Why messages were dropped and requests refused, and how often. */
  readonly dropped: Figures;
  readonly refused: Figures;
  /** Of each tier what its plugin tells. */
  readonly tiers: Readonly<Record<string, Figures>>;
}

export type Figures = Readonly<Record<string, number | string | boolean>>;

/** Of one operation, since the host has started. */
export interface EndpointHealth {
  readonly name: string;
  readonly requests: number;
  readonly errors: number;
  /** From receipt to reply, of all together. */
  readonly total_ms: number;
}
