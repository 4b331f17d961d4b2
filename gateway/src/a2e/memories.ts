import { createHmac } from "node:crypto";
import type { AgentMemory } from "@membus/agent-client";
import { isNamespace, MemoryError } from "@membus/protocol";
import type { TenantClients } from "../tenant-clients.js";
import type { Identity } from "../tokens.js";
import type { Session } from "./sessions.js";

/** Time limit of a request in milliseconds. The SDK gives a call up after 10 s. */
export const A2E_TIMEOUT_MS = 9_000;

/** The memories of a session, by the ids that `memory/init` returns. */
export class Memories {
  readonly #clients: TenantClients;

  constructor(clients: TenantClients) {
    this.#clients = clients;
  }

  /**
   * Returns an id that contains the namespace and is valid only in this session, so that ids need not be
   * stored.
   * @throws {MemoryError} `schema_violation` for an invalid namespace.
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

  /** @throws {MemoryError} `memory_not_found` for an id of another session. */
  async open(session: Session, identity: Identity, memoryId: unknown): Promise<AgentMemory> {
    const [text = "", seal] = typeof memoryId === "string" ? memoryId.split(".") : [];
    const namespace = Buffer.from(text, "base64url").toString("utf8");
    if (seal !== sealOf(session, namespace)) {
      throw new MemoryError("memory_not_found", "no memory of this session has this `memory_id`");
    }
    return (await this.of(session, identity)).inNamespace(namespace);
  }

  async of({ digest }: Session, identity: Identity): Promise<AgentMemory> {
    return (await this.#clients.of(identity)).forSession(digest);
  }
}

function sealOf({ digest }: Session, namespace: string): string {
  return createHmac("sha256", digest).update(namespace).digest("hex").slice(0, 32);
}
