// JSON responses below `/inspector/`. The page imports only these types of membus. Times are Unix seconds.

export type {
  EndpointHealth,
  Health,
  HostHealth,
  Metrics,
  ModelBudget,
  ModelBudgets,
} from "./health-api.js";

export type Tier = "working" | "episodic" | "semantic";

/** A tier that did not answer. */
export interface DegradedTier {
  readonly tier: string;
  readonly message: string;
}

/** An entry in a list or a graph. */
export interface EntryBrief {
  readonly key_hash: string;
  readonly tier: Tier;
  readonly namespace: string;
  /** Kind of record. Absent for other entries. */
  readonly kind?: string;
  readonly text: string;
  readonly author: string;
  readonly created: number;
  /** Time at which a fact stops being valid. Absent: no end. */
  readonly valid_until?: number;
  /** True if another fact replaced this fact. */
  readonly superseded?: boolean;
}

/** When a fact is valid, with its neighbours in its history. Part of the response of `memory`. */
export interface FactValidity {
  readonly from: number;
  /** Absent: no end. */
  readonly until?: number;
  /** True if another fact replaced this fact. */
  readonly superseded: boolean;
  /** The fact that replaced it. Empty if it no longer exists. */
  readonly replaced_by: readonly EntryBrief[];
  readonly replaces: readonly EntryBrief[];
}

/** Response of `agents`: agents with entries, as far as they are known. */
export interface AgentsReply {
  readonly agents: readonly AgentBrief[];
  /** Whether these are all agents with entries. False if the host does not list them, or if there are too many. */
  readonly complete: boolean;
}

export interface AgentBrief {
  readonly name: string;
  /** Number of its entries in the shared tier. Null: unknown. */
  readonly shared: number | null;
  /** Number of its private entries outside of sessions. Null: unknown. */
  readonly own: number | null;
  /** Latest time at which a private entry occurred. Null: unknown, or no entry. */
  readonly newest: number | null;
}

/** Response of `overview`. A figure that could not be read is null. */
export interface Overview {
  readonly at: number;
  /** Number of agents in the figures: all that are known, if none is chosen. */
  readonly agents: number | null;
  readonly tiers: readonly TierFigures[];
  readonly kinds: readonly { readonly kind: string; readonly entries: number }[] | null;
  readonly namespaces: number | null;
  /** Namespaces with the most entries. */
  readonly largest: readonly { readonly name: string; readonly entries: number }[] | null;
  readonly users: number | null;
  readonly growth: Growth;
}

export interface TierFigures {
  readonly tier: Tier;
  readonly entries: number | null;
  /** Approximate size as JSON. */
  readonly bytes: number | null;
}

/** Existing entries by the time at which they were created. */
export interface Growth {
  readonly range: string;
  readonly step_s: number;
  readonly steps: readonly { readonly from: number; readonly entries: number | null }[];
}

/** Response of `users`. */
export interface UsersReply {
  readonly users: readonly UserBrief[];
  readonly truncated: boolean;
}

/** A user with the entries in its namespaces and conversations. */
export interface UserBrief {
  readonly name: string;
  readonly entries: number;
  readonly newest: number;
}

/** Response of `user`: everything that is known about a user. */
export interface UserReply {
  readonly name: string;
  /** Other names under which records know the user, such as its name in another case. */
  readonly names: readonly string[];
  /** Namespaces that belong to the user, by tier. */
  readonly places: readonly UserPlaceBrief[];
  /** Conversations with the user only. */
  readonly conversations: readonly {
    readonly id: string;
    readonly messages: number;
    readonly newest: number;
  }[];
  /** Entries in these namespaces, and entries elsewhere that name the user, newest first. */
  readonly entries: readonly UserEntry[];
  /** True if there are more entries. */
  readonly truncated: boolean;
  readonly degraded: readonly DegradedTier[];
}

/** An entry about a user with its origin. */
export interface UserEntry extends RecentChange {
  /** Number of entries from which it was derived. */
  readonly source_count: number;
  /** The first of them that exists. */
  readonly source?: EntryBrief;
  /** Whether all of them were read. */
  readonly all_sources_read: boolean;
}

export interface UserPlaceBrief {
  readonly tier: Tier;
  readonly namespace: string;
  readonly entries: number;
  readonly newest: number;
}

/** Response of `user/forget/preview` and `user/forget`. */
export interface UserForgetReply {
  readonly user: string;
  readonly deleted: number;
  readonly byKind: Readonly<Record<string, number>>;
  readonly byTier: Readonly<Record<string, number>>;
  /** Data that stays, with the reason. */
  readonly remains: readonly { readonly what: string; readonly count?: number; readonly reason: string }[];
  /** The entries that would be forgotten, at most 100. Empty unless it is a preview. */
  readonly entries: readonly EntryBrief[];
  /** Number of entries that are not listed. */
  readonly more: number;
}

/** Response of `recent`: an entry with the fields of its latest event. */
export interface RecentChange extends EntryBrief {
  readonly key: Readonly<Record<string, unknown>>;
  readonly tags: readonly string[];
  readonly revision: number;
  readonly at: number;
  /** Time from which a fact holds. Absent for other entries. */
  readonly since?: number;
}

/** Response of `forget/preview`. */
export interface ForgetMatch extends EntryBrief {
  /** Number of derivations between this entry and the named entry. */
  readonly level: number;
}

/** Response of `conversations`. */
export interface ConversationPage {
  readonly conversations: readonly ConversationBrief[];
  readonly total: number;
  readonly cursor?: string;
  readonly degraded: readonly DegradedTier[];
}

export interface ConversationBrief {
  readonly id: string;
  /** Beginning of the first message of the user. Absent without one. */
  readonly title?: string;
  /** Beginning of the latest message. */
  readonly last?: { readonly role: string; readonly text: string };
  readonly messages: number;
  readonly summaries: number;
  /** Time of the latest message. */
  readonly newest: number;
  readonly bytes: number;
}

/** Response of `conversation`. */
export interface Chat {
  readonly id: string;
  /** Beginning of the first message of the user. Absent without one. */
  readonly title?: string;
  /** One page in chronological order: the newest messages, or those before `cursor`. */
  readonly messages: readonly ChatMessage[];
  readonly total: number;
  /** Absent on the last page. */
  readonly cursor?: string;
  /** Summaries, those that cover the latest messages first. */
  readonly summaries: readonly ChatSummary[];
  readonly offloads: readonly ChatOffload[];
  readonly learned: readonly Learned[];
  /** True if more entries were learned from these messages. */
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
  /** The agent that wrote the message. */
  readonly author: string;
  readonly occurred_at: number;
  readonly text: string;
  /** True if the text was cut. */
  readonly truncated: boolean;
  readonly tool_calls: readonly ChatCall[];
  /** The call that a tool result answers. */
  readonly tool_call_id?: string;
  readonly marks: readonly string[];
}

export interface ChatCall {
  readonly id: string;
  readonly name: string;
  /** Arguments as the model wrote them. */
  readonly arguments: string;
}

/** Replaces messages that a model no longer receives. */
export interface ChatSummary {
  readonly key_hash: string;
  readonly text: string;
  readonly key_facts: readonly string[];
  readonly open_threads: readonly string[];
  /** `seq` of the first and the last message. */
  readonly covers: { readonly from: number; readonly to: number };
  readonly level: number;
  readonly created: number;
}

/** Text that was moved out of a message. The model receives a placeholder. */
export interface ChatOffload {
  readonly message: string;
  /** Size of the whole text. */
  readonly bytes: number;
  readonly tool?: string;
}

/** An entry that names messages of the page as its sources. */
export interface Learned extends EntryBrief {
  readonly sources: readonly string[];
}

/** Response of `blocks`. */
export interface BlocksReply {
  readonly blocks: readonly BlockBrief[];
  readonly truncated: boolean;
  readonly degraded: readonly DegradedTier[];
}

/** A named text that is always in the prompt. */
export interface BlockBrief extends EntryBrief {
  readonly label: string;
  readonly description: string;
  /** The beginning of the text, or of another value as JSON. */
  readonly value: string;
  /** Number of characters of the whole value. */
  readonly length: number;
  /** Maximum of `length`. */
  readonly limit: number;
  readonly read_only: boolean;
  readonly changed: number;
}

/** Response of `files`. */
export interface FilesReply {
  readonly folders: readonly FileFolder[];
  readonly truncated: boolean;
  readonly degraded: readonly DegradedTier[];
}

/** The files in a namespace. */
export interface FileFolder {
  readonly tier: Tier;
  readonly namespace: string;
  readonly files: readonly {
    readonly path: string;
    readonly key_hash: string;
    readonly changed: number;
  }[];
}

/** Response of `graphs`: the triples in a namespace of a tier. */
export interface GraphBrief {
  readonly tier: Tier;
  readonly namespace: string;
  readonly triples: number;
}

/** Response of `names`. */
export interface GraphNames {
  /** The best match first if words are given, otherwise the name with most triples. */
  readonly names: readonly { readonly name: string; readonly triples?: number }[];
}

/** Response of `neighbourhood` and of `graph`. */
export interface NeighbourhoodReply {
  /** Id of the requested node, or of the name with the most triples. */
  readonly centre: string;
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  /** True if nodes or edges are missing. */
  readonly truncated: boolean;
  readonly degraded: readonly DegradedTier[];
}

export type GraphNode = NameNode | EntryNode;

/** A name in the triples of one graph, which is a namespace of a tier. */
export interface NameNode {
  readonly id: string;
  readonly kind: "name";
  readonly text: string;
  readonly tier: Tier;
  readonly namespace: string;
  /** Number of steps from the centre. */
  readonly distance: number;
}

export interface EntryNode extends Omit<EntryBrief, "kind"> {
  readonly id: string;
  readonly kind: "entry";
  /** Kind of record. Absent for other entries. */
  readonly record?: string;
  readonly distance: number;
}

/** An edge between two nodes, by their ids. */
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /**
   * `triple`: between the names of a triple. `end`: from the entry of a triple to a name. `source`: from a
   * derived entry to its source.
   */
  readonly kind: "triple" | "end" | "source";
  readonly label: string;
  /** Node id of the entry of a triple. */
  readonly entry?: string;
}
