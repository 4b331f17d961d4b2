import type { MemoryEvent, MemoryTier, Scope } from "@membus/protocol";
import type {
  Bus,
  BusMessage,
  Embedder,
  HeaderMap,
  MemoryChange,
  MemoryPlugin,
  PluginManifest,
  PluginServices,
  Reranker,
} from "@membus/protocol/plugin";
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

/** Context that every check receives. */
export interface MemoryContext {
  readonly tier: MemoryTier;
  readonly features: Features;
  /** Embedder of the host, or the one that the suite gives a plugin. Absent without an embedder. */
  readonly embedder: EmbedderFacts | undefined;
  readonly expect: Expect;
  readonly trace: Trace;
  /** Source of all random values of a check. The report prints the seed. */
  readonly random: Random;
  /** Agent that most checks use: the first agent of the first tenant. */
  readonly caller: MemoryAgent;
  /** Returns another agent, or the same agent in another session or namespace. */
  agent(options: AgentOptions): MemoryAgent;
  /** Creates an entry of the tier under test with a unique key. `fields` override the defaults. */
  entry(fields?: Partial<EntryInput>): EntryInput;
  /** Waits `seconds` seconds: advances the injected clock if there is one, otherwise waits in real time. */
  passTime(seconds: number): Promise<void>;
  /** Returns the time of the implementation in Unix seconds. */
  now(): number;
}

/** A plugin with the services that a host would give it. */
export interface PluginContext extends MemoryContext {
  readonly plugin: MemoryPlugin;
  readonly services: PluginServices;
  /** Changes that the plugin reported with `notify`, in order. */
  readonly changes: readonly { readonly change: MemoryChange; readonly agent: string }[];
  /** Returns the partition of this check's namespace. */
  scope(options?: AgentOptions): Scope;
  /**
   * Opens another instance with separate services, over an empty directory or over the same one. It is closed
   * after the check.
   *
   * On an empty directory the instance may have another embedder or reranker.
   */
  another(options: {
    readonly sameDirectory: boolean;
    readonly open?: boolean;
    readonly embedder?: Embedder;
    readonly reranker?: Reranker;
  }): Promise<MemoryPlugin>;
  /** Returns an agent that sends its requests to `plugin`, such as another instance. */
  agentOf(plugin: MemoryPlugin, options?: AgentOptions): MemoryAgent;
  /**
   * Stops the clock of the plugin at `at`, in Unix seconds. From then on only `holdTime` and `passTime` move it.
   */
  holdTime(at: number): void;
  /** Runs the maintenance of the plugin, if it has any. */
  maintain(): Promise<void>;
  /**
   * Closes the plugin and opens it again on the same directory. Agents continue with the new instance.
   *
   * From then on the plugin uses `embedder`, if given.
   */
  reopen(embedder?: Embedder): Promise<MemoryPlugin>;
  /** Closes the plugin, sets its clock back by `seconds`, and opens it again. */
  reopenEarlier(seconds: number): Promise<void>;
  /**
   * Opens the plugin on the directory of a killed child process and returns the changes that were
   * acknowledged to that process.
   *
   * The child stores and forgets entries until enough of them are acknowledged, and is then killed. A run
   * starts one such process.
   */
  killWhileStoring(): Promise<Acknowledged>;
  /**
   * Returns moments in the life of another process that opened the directory of the killed one. A run starts
   * one such process.
   */
  life(): Promise<Life>;
  /**
   * Opens the plugin on the directory of a process killed at that moment. It replaces the current data and
   * sets the clock.
   */
  resume(left: Pick<Moment, "image" | "at">, which: string): Promise<void>;
}

/** Changes that were acknowledged to a process before it was killed. */
export interface Acknowledged {
  /** Stored entries that were not forgotten, each with its request id. */
  readonly kept: readonly { readonly entry: EntryInput; readonly requestId: string }[];
  readonly forgotten: readonly EntryInput[];
}

/** A received message with its fields, headers and encoding. */
export interface WireReply {
  readonly message: Readonly<Record<string, unknown>>;
  readonly encoding: "json" | "msgpack";
  readonly headers: HeaderMap;
  readonly bytes: Uint8Array;
}

export interface SendOptions {
  readonly encoding?: "json" | "msgpack";
  /** Content type. Default: the `Content-Type` of the encoding. Null sends no header. */
  readonly contentType?: string | null;
  readonly tenant?: string;
  readonly agent?: string;
  /** Replaces the subject built from tenant, agent and type. */
  readonly subject?: string;
  /** Time to wait for the reply, in milliseconds. Default 5000. */
  readonly timeoutMs?: number;
}

/** Received messages of one subscription. */
export interface Inbox<Item> {
  readonly items: readonly Item[];
  /** Resolves once `count` messages have arrived or no more are expected. Never rejects. */
  reach(count: number): Promise<readonly Item[]>;
  /** Waits until all messages in flight have arrived. */
  settle(): Promise<readonly Item[]>;
}

export interface ReceivedEvent {
  readonly subject: string;
  /** Parsed event. Empty if the message cannot be read. */
  readonly event: MemoryEvent;
  readonly message: BusMessage;
}

/** A host, used with raw messages. */
export interface HostContext extends MemoryContext {
  readonly bus: Bus;
  readonly prefix: string;
  readonly tenants: readonly string[];
  /** Tiers that the host serves. */
  readonly tiers: readonly MemoryTier[];
  /** Whether the host's clock can be moved. If not, checks wait in real time. */
  readonly isTimeOwn: boolean;
  /** Profile that the host keeps instead of all others. */
  readonly profile: string | undefined;
  /** Returns the subject of a request of the caller. */
  subject(operation: string, options?: Pick<SendOptions, "tenant" | "agent">): string;
  /** Sends the fields unchanged and returns the reply, which may be an error. */
  send(
    operation: string,
    fields: Readonly<Record<string, unknown>>,
    options?: SendOptions,
  ): Promise<WireReply>;
  /** Sends the bytes unchanged. */
  sendBytes(operation: string, bytes: Uint8Array, options?: SendOptions): Promise<WireReply>;
  /**
   * Subscribes to a pattern below the prefix, such as `default.*.events.memory.>`. Keeps all events, or only
   * those that `isWanted` accepts.
   */
  events(pattern: string, isWanted?: (received: ReceivedEvent) => boolean): Promise<Inbox<ReceivedEvent>>;
  /** Returns every reply to a request on a NATS service subject, such as `$SRV.INFO.membus`. */
  askServices(subject: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Kills the host and starts it again. Needs the provision `restart`. */
  restart(): Promise<void>;
  /** Moves all tenants to other hosts of their cluster. Needs the provision `move`. */
  move(): Promise<void>;
  /**
   * Starts a separate host with its own prefix and clock. Needs the provision `own_plugins`. The host is
   * stopped after the check.
   *
   * Its agents use the first tier that it serves. With the plugins of the host under test they use the tier
   * under test.
   */
  startHost(parts?: OwnHostParts): Promise<OwnHost>;
}

export type OwnHostParts = Partial<Omit<HostParts, "clock">>;

/** A host that a check started. Its clock can be moved, and it can be stopped. */
export interface OwnHost extends StartedHost, HostContext {}
