import type { AgentMemory } from "@membus/agent-client";
import { type Clock, isMemoryError, MemoryError } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import type { Tokens } from "../tokens.js";
import type { Memories } from "./memories.js";
import { forget, retrieve, store } from "./memory-calls.js";
import { type A2eMessage, errorLines, type Lines, replyLines } from "./message.js";
import type { Session, Sessions } from "./sessions.js";

export interface DispatcherDependencies {
  readonly tokens: Tokens;
  readonly memories: Memories;
  readonly sessions: Pick<Sessions, "bind" | "end">;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Requests that one session may have open together. */
export const PARALLEL_MAX = 64;

/** The capability of the gateway, in the names of the SDK. */
const MEMORY_CAPABILITY = {
  capability: "memory",
  enabled: true,
  metadata: { name: "membus", type: "memory", priority: 0, exclusive: true },
};

/** A reply, and whether it ends the session. */
export interface Answer {
  readonly lines: Lines | undefined;
  /** The error code, or the reason of a rejected handshake. Otherwise "ok". */
  readonly code: string;
  readonly ends?: boolean;
}

/** Answers the messages of a session, over any transport. */
export class Dispatcher {
  readonly #dependencies: DispatcherDependencies;
  readonly #startedAt: number;

  constructor(dependencies: DispatcherDependencies) {
    this.#dependencies = dependencies;
    this.#startedAt = dependencies.clock.now();
  }

  /** Never throws. */
  async answer(session: Session, message: A2eMessage): Promise<Answer> {
    try {
      if (message.type === "shutdown") return await this.#shutDown(session);
      if (message.type === "handshake/req") return await this.#handshake(session, message);
      return { lines: await this.#reply(session, message), code: "ok" };
    } catch (error) {
      const memoryError = this.#toMemoryError(error);
      return { lines: errorLines(memoryError, message.id, this.#now()), code: memoryError.code };
    }
  }

  async #reply(session: Session, message: A2eMessage): Promise<Lines> {
    switch (message.type) {
      case "ping": {
        const uptime_seconds = this.#now() - this.#startedAt;
        return this.#made("pong", message, { uptime_seconds });
      }
      case "memory/init/req": {
        identified(session);
        const { namespace = "default" } = message.fields;
        const memory_id = this.#dependencies.memories.idOf(session, namespace);
        return this.#made("memory/init/resp", message, { memory_id, namespace, success: true });
      }
      default:
        return this.#made(
          message.type.replace(/req$/, "resp"),
          message,
          await this.#memory(session, message),
        );
    }
  }

  async #memory(session: Session, message: A2eMessage): Promise<Readonly<Record<string, unknown>>> {
    const { memories, clock } = this.#dependencies;
    const identity = identified(session);
    const call = CALLS[message.type];
    if (call === undefined) {
      throw new MemoryError("invalid_message", `\`${message.type}\` is not supported`, { path: "type" });
    }
    return call(await memories.open(session, identity, message.fields.memory_id), message, clock);
  }

  async #handshake(session: Session, message: A2eMessage): Promise<Answer> {
    const { agent_id, agent_caps, auth_token = "" } = message.fields;
    const refused = (reason: string) => {
      const fields = { ...ACCEPTED_NONE, session_id: session.digest, ok: false, reason };
      return { lines: this.#made("handshake/resp", message, fields), code: reason };
    };
    if (typeof agent_id !== "string" || typeof auth_token !== "string") return refused("server_error");
    const identity = this.#dependencies.tokens.identityOf(auth_token, agent_id);
    if (identity === undefined) return refused("auth_failed");
    const known = session.identity;
    if (known !== undefined && (known.agent !== identity.agent || known.tenant !== identity.tenant)) {
      return refused("auth_failed");
    }
    await this.#dependencies.sessions.bind(session, identity);
    const wantsMemory = Array.isArray(agent_caps) && agent_caps.includes("memory");
    const accepted_caps = wantsMemory ? [MEMORY_CAPABILITY] : [];
    const accepted = { session_id: session.digest, accepted_caps, max_parallel: PARALLEL_MAX };
    const lines = this.#made("handshake/resp", message, { ...accepted, ok: true, reason: "" });
    return { lines, code: "ok" };
  }

  /** Ends the session and forgets its working memory. */
  async #shutDown(session: Session): Promise<Answer> {
    const { sessions, memories, logger } = this.#dependencies;
    await sessions.end(session);
    if (session.identity !== undefined) {
      const memory = await memories.of(session, session.identity);
      await clearWorking(memory).catch((error: unknown) => {
        logger.warn(
          { err: error },
          "failed to forget the working memory of an ended session, it expires when idle",
        );
      });
    }
    return { lines: undefined, code: "ok", ends: true };
  }

  #made(type: string, { id }: A2eMessage, fields: Readonly<Record<string, unknown>>): Lines {
    return replyLines(type, id, fields, this.#now());
  }

  #now(): number {
    return this.#dependencies.clock.now();
  }

  #toMemoryError(error: unknown): MemoryError {
    if (isMemoryError(error)) return error;
    // The client detected an invalid argument before it sent the request.
    if (error instanceof TypeError) return new MemoryError("schema_violation", error.message);
    this.#dependencies.logger.error({ err: error }, "failed to answer a message");
    return new MemoryError("runtime_error", "the gateway failed");
  }
}

const CALLS: Readonly<Record<string, typeof retrieve>> = {
  "memory/store/req": store,
  "memory/retrieve/req": retrieve,
  "memory/forget/req": forget,
};

async function clearWorking(memory: AgentMemory): Promise<void> {
  for await (const { name } of memory.items({ tier: "working", namespace: "**" })) {
    await memory.forget({ tier: "working", namespace: String(name), all: true });
  }
}

const ACCEPTED_NONE = { accepted_caps: [], max_parallel: 0 };

/** @throws {MemoryError} `unauthorized` before the handshake. */
function identified({ identity }: Session) {
  if (identity === undefined) throw new MemoryError("unauthorized", "a session begins with a handshake");
  return identity;
}
