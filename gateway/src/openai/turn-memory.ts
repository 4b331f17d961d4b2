import { createHash } from "node:crypto";
import type { AgentMemory } from "@membus/agent-client";
import type * as Agentic from "@membus/agentic";
import type { AttachedMemory, ChatMessage, LongTermMemory } from "@membus/agentic";
import type { Logger } from "@membus/protocol/plugin";
import type { TenantClients } from "../tenant-clients.js";
import type { Caller } from "./caller.js";
import { MemoryTools } from "./memory-tools.js";
import { type TurnRequest, textOfContent } from "./model-api.js";

export interface TurnMemoryDependencies {
  readonly clients: TenantClients;
  readonly logger: Logger;
}

/** The memory of one turn. Errors are logged, and never fail the turn. */
export class TurnMemory {
  readonly #dependencies: TurnMemoryDependencies;
  readonly #caller: Caller;
  #opened: Promise<OpenMemory> | undefined;

  constructor(dependencies: TurnMemoryDependencies, caller: Caller) {
    this.#dependencies = dependencies;
    this.#caller = caller;
  }

  /** Returns the memories about the question, "" for none. Undefined if memory does not answer. */
  async before(question: string | undefined): Promise<string | undefined> {
    return this.#try(async ({ attached }) => {
      if (question === undefined) return "";
      return (await attached.before([{ role: "user", content: question }])).asText();
    });
  }

  /**
   * Returns the memory tools for the model. Undefined if the mode excludes them, or memory does not answer.
   */
  async tools({ toolNames, isSingle }: TurnRequest): Promise<MemoryTools | undefined> {
    if (!isSingle || this.#caller.mode === "static") return undefined;
    return this.#try(async ({ attached, agentic }) => new MemoryTools(agentic, attached.tools, toolNames));
  }

  /**
   * Records the messages of the user since the last answer, and this answer. "" means an answer without text.
   * @returns false if memory fails.
   */
  async after(messages: TurnRequest["messages"], answer: string): Promise<boolean> {
    const last = messages.findLastIndex(({ role }) => role === "assistant");
    const asked = userTexts(messages.slice(last + 1));
    const turn: ChatMessage[] = asked.map((content) => ({ role: "user", content }));
    if (answer !== "") turn.push({ role: "assistant", content: answer });
    if (turn.length === 0) return true;
    const isRecorded = await this.#try(async ({ attached, memory, agentic }) => {
      const sources = await this.#keep(turn, memory, agentic);
      await attached.after(turn, sources && { sources });
      return true;
    });
    return isRecorded === true;
  }

  /** @returns the message ids as sources of learned entries, if the messages belong to a conversation. */
  async #keep(
    turn: readonly ChatMessage[],
    memory: AgentMemory,
    agentic: typeof Agentic,
  ): Promise<string[] | undefined> {
    const { conversation: id } = this.#caller;
    if (id === undefined) return undefined;
    const conversation = await agentic.openConversation(memory, { id });
    const { ids } = await conversation.add(turn);
    return agentic.messageSources(id, ids);
  }

  async #try<T>(work: (memory: OpenMemory) => Promise<T>): Promise<T | undefined> {
    try {
      this.#opened ??= open(this.#dependencies.clients, this.#caller);
      return await work(await this.#opened);
    } catch (error) {
      this.#dependencies.logger.warn({ err: error }, "failed to use memory for a turn");
      return undefined;
    }
  }
}

interface OpenMemory {
  readonly agentic: typeof Agentic;
  readonly memory: AgentMemory;
  readonly attached: AttachedMemory;
}

/** Loads the agentic package at first use, because clients of A2E do not need it. */
async function open(clients: TenantClients, { identity, user, mode }: Caller): Promise<OpenMemory> {
  const [agentic, memory] = await Promise.all([import("@membus/agentic"), clients.of(identity)]);
  const longTerm = longTermOf(agentic, memory, user);
  const attached = agentic.attachMemory(longTerm, mode === "off" ? "static" : mode, { wait: true });
  return { agentic, memory, attached };
}

/** Uses a digest for a user name that is too long for a subject. */
function longTermOf(agentic: typeof Agentic, memory: AgentMemory, user: string): LongTermMemory {
  try {
    return new agentic.LongTermMemory(memory, { subject: `user:${user}` });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const digest = createHash("sha256").update(user).digest("base64url");
    return new agentic.LongTermMemory(memory, { subject: `user:${digest}` });
  }
}

/** Returns the last message of the user. */
export function questionIn(messages: TurnRequest["messages"]): string | undefined {
  return userTexts(messages).at(-1);
}

function userTexts(messages: TurnRequest["messages"]): string[] {
  const texts = messages.map(({ role, content }) => (role === "user" ? textOfContent(content) : ""));
  return texts.filter((text) => text !== "");
}
