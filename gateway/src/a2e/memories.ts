import { createHmac } from "node:crypto";
import { type AgentMemory, MemoryClient } from "@membus/agent-client";
import { type Bus, type Clock, isNamespace, type Logger, MemoryError } from "@membus/protocol";
import type { Identity } from "../tokens.js";
import type { Session } from "./sessions.js";

/** The SDK gives a call up after 10 s. */
const TIMEOUT_MS = 9_000;

/** The memory of a session, by the ids that `memory/init` gives. */
export class Memories {
  readonly #bus: Bus;
  readonly #prefix: string;
  readonly #dependencies: { readonly clock: Clock; readonly logger: Logger };
  readonly #clients = new Map<string, Promise<MemoryClient>>();

  constructor(bus: Bus, prefix: string, dependencies: { readonly clock: Clock; readonly logger: Logger }) {
    this.#bus = bus;
    this.#prefix = prefix;
    this.#dependencies = dependencies;
  }

  /**
   * An id that says the namespace and is valid in this session alone, so that none has to be remembered.
   * @throws {MemoryError} `schema_violation` for what is no namespace.
   */
  idOf(session: Session, namespace: unknown): string {
    if (typeof namespace !== "string" || !isNamespace(namespace)) {
      throw new MemoryError("schema_violation", "a namespace is a path of 1..8 segments", {
        path: "namespace",
      });
    }
    const text = Buffer.from(namespace, "utf8").toString("base64url");
    return `${text}.${sealOf(session, namespace)}`;
  }

  /** @throws {MemoryError} `memory_not_found` for an id that this session was not given. */
  async open(session: Session, identity: Identity, memoryId: unknown): Promise<AgentMemory> {
    const [text = "", seal] = typeof memoryId === "string" ? memoryId.split(".") : [];
    const namespace = Buffer.from(text, "base64url").toString("utf8");
    if (seal !== sealOf(session, namespace)) {
      throw new MemoryError("memory_not_found", "no memory of this session has this `memory_id`");
    }
    return (await this.of(session, identity)).inNamespace(namespace);
  }

  async of({ digest }: Session, { tenant, agent }: Identity): Promise<AgentMemory> {
    const client = await this.#clientOf(tenant);
    return client.forAgent(agent).forSession(digest);
  }

  async close(): Promise<void> {
    for (const client of this.#clients.values()) await (await client).close();
  }

  #clientOf(tenant: string): Promise<MemoryClient> {
    const known = this.#clients.get(tenant);
    if (known !== undefined) return known;
    const limits = { timeoutMs: TIMEOUT_MS, retryTimeoutMs: TIMEOUT_MS };
    const options = { bus: this.#bus, prefix: this.#prefix, tenant, agent: "gateway", ...limits };
    const client = MemoryClient.connect(options, this.#dependencies);
    this.#clients.set(tenant, client);
    return client;
  }
}

function sealOf({ digest }: Session, namespace: string): string {
  return createHmac("sha256", digest).update(namespace).digest("hex").slice(0, 32);
}
