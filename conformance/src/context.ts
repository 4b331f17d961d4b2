import type {
  Bus,
  BusMessage,
  Embedder,
  HeaderMap,
  MemoryChange,
  MemoryEvent,
  MemoryPlugin,
  MemoryTier,
  PluginManifest,
  PluginServices,
  Reranker,
  Scope,
} from "@membus/protocol";
import type { Expect } from "./expect.js";
import type { Random } from "./fixtures/random.js";
import type { HostParts, StartedHost } from "./host-route/host-under-test.js";
import type { AgentOptions, EntryInput, MemoryAgent } from "./memory-agent.js";
import type { Life, Moment } from "./plugin-route/watched-life.js";
import type { Trace } from "./trace.js";

export type Features = Readonly<PluginManifest["features"]>;

export interface EmbedderFacts {
  readonly id: string;
  readonly dimensions: number;
}

/** What every check works with. */
export interface MemoryContext {
  readonly tier: MemoryTier;
  readonly features: Features;
  /** Of the host, or the one that the suite gives a plugin; absent where there is none. */
  readonly embedder: EmbedderFacts | undefined;
  readonly expect: Expect;
  readonly trace: Trace;
  /** Decides everything that a check leaves to chance; the report names the seed. */
  readonly random: Random;
  /** The agent that most checks need: the first one of the first tenant. */
  readonly caller: MemoryAgent;
  /** Another agent, or the same in another session or namespace. */
  agent(options: AgentOptions): MemoryAgent;
  /** A new entry of the tier under test with a key of its own, and `fields` over it. */
  entry(fields?: Partial<EntryInput>): EntryInput;
  /** Lets so many seconds go by: by the injected clock where there is one, else in real time. */
  passTime(seconds: number): Promise<void>;
  /** Unix seconds, as the implementation sees them. */
  now(): number;
}

/** A plugin, and what a host would give it. */
export interface PluginContext extends MemoryContext {
  readonly plugin: MemoryPlugin;
  readonly services: PluginServices;
  /** What the plugin reported by `notify`, in order. */
  readonly changes: readonly { readonly change: MemoryChange; readonly agent: string }[];
  /** The partition of the check's own namespace. */
  scope(options?: AgentOptions): Scope;
  /**
   * A further instance with services of its own over an empty directory, or over this one's; closed after the check.
   * On a directory of its own it may have another embedder or reranker.
   */
  another(options: {
    readonly sameDirectory: boolean;
    readonly open?: boolean;
    readonly embedder?: Embedder;
    readonly reranker?: Reranker;
  }): Promise<MemoryPlugin>;
  /** An agent whose requests go to `plugin`, such as another instance. */
  agentOf(plugin: MemoryPlugin, options?: AgentOptions): MemoryAgent;
  /** Has the plugin maintain itself, where it does. */
  maintain(): Promise<void>;
  /**
   * Closes the plugin and opens it again on the same directory, from then on with another embedder where one is given;
   * agents go on with the new one.
   */
  reopen(embedder?: Embedder): Promise<MemoryPlugin>;
  /** Closes the plugin, sets its clock back by so many seconds, and opens it again. */
  reopenEarlier(seconds: number): Promise<void>;
  /**
   * A child process stores and forgets until some entries are acknowledged, and is killed; then the plugin is open here
   * on what that left. Gives what the process was told. There is one such process in a run.
   */
  killWhileStoring(): Promise<Acknowledged>;
  /** Moments in the life of a further process that opened what that one left, and was killed. One in a run, too. */
  life(): Promise<Life>;
  /** Opens the plugin on what a process had left that was killed then, at that time and in place of all there is. */
  resume(left: Pick<Moment, "image" | "at">, which: string): Promise<void>;
}

/** What a process that was killed had been told of what it did. */
export interface Acknowledged {
  /** Stored, and not to be forgotten; each with the id of its request. */
  readonly kept: readonly { readonly entry: EntryInput; readonly requestId: string }[];
  readonly forgotten: readonly EntryInput[];
}

/** A message as it came: its fields, its headers, its encoding. */
export interface WireReply {
  readonly message: Readonly<Record<string, unknown>>;
  readonly encoding: "json" | "msgpack";
  readonly headers: HeaderMap;
  readonly bytes: Uint8Array;
}

export interface SendOptions {
  readonly encoding?: "json" | "msgpack";
  /** Default: the `Content-Type` of the encoding; null sends none. */
  readonly contentType?: string | null;
  readonly tenant?: string;
  readonly agent?: string;
  /** In place of the subject that tenant, agent and type make. */
  readonly subject?: string;
  /** Milliseconds to wait for the reply; default 5000. */
  readonly timeoutMs?: number;
}

/** The messages of one subscription, as they come. */
export interface Inbox<Item> {
  readonly items: readonly Item[];
  /** Resolves once `count` have come, or when nothing more is to be expected; never rejects. */
  reach(count: number): Promise<readonly Item[]>;
  /** Waits long enough for everything under way to arrive. */
  settle(): Promise<readonly Item[]>;
}

export interface ReceivedEvent {
  readonly subject: string;
  /** Empty where the message cannot be read. */
  readonly event: MemoryEvent;
  readonly message: BusMessage;
}

/** A host, spoken to in bare messages. */
export interface HostContext extends MemoryContext {
  readonly bus: Bus;
  readonly prefix: string;
  readonly tenants: readonly string[];
  /** The tiers that the host serves. */
  readonly tiers: readonly MemoryTier[];
  /** Whether the host's time can be moved: else what takes long is waited for. */
  readonly isTimeOwn: boolean;
  /** The profile that it keeps in place of all others. */
  readonly profile: string | undefined;
  /** The subject of a request of the caller. */
  subject(operation: string, options?: Pick<SendOptions, "tenant" | "agent">): string;
  /** Sends fields as given, nothing added, and gives the reply, also where it is an error. */
  send(
    operation: string,
    fields: Readonly<Record<string, unknown>>,
    options?: SendOptions,
  ): Promise<WireReply>;
  /** Sends bytes as given. */
  sendBytes(operation: string, bytes: Uint8Array, options?: SendOptions): Promise<WireReply>;
  /** The events of a subject pattern below the prefix, such as `default.*.events.memory.>`: all, or the wanted ones. */
  events(pattern: string, isWanted?: (received: ReceivedEvent) => boolean): Promise<Inbox<ReceivedEvent>>;
  /** Every answer to a request on a subject of NATS's own, such as `$SRV.INFO.membus`. */
  askServices(subject: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Kills the host and starts it again. Needs the provision `restart`. */
  restart(): Promise<void>;
  /**
   * Starts a host of the check's own below a prefix and by a clock of its own; stopped after the check. Needs the
   * provision `own_plugins`. Its agents' tier is the first that it serves, or with the plugins of the host under test
   * the one under test.
   */
  startHost(parts?: OwnHostParts): Promise<OwnHost>;
}

export type OwnHostParts = Partial<Omit<HostParts, "clock">>;

/** A host that a check started: its time can be moved, and it can be stopped. */
export interface OwnHost extends StartedHost, HostContext {}
