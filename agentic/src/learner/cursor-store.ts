import { type AgentMemory, updateWithRetry } from "@membus/agent-client";
import {
  type Filter,
  LIMITS,
  type MemoryEntry,
  MemoryError,
  type MemoryTier,
  parseErrorMessage,
} from "@membus/protocol";
import { z } from "zod";
import { type Cursor, cursorEntry, cursorKey, type FoundMessages, newCursor, readCursor } from "./cursor.js";
import type { SetAsideSelection } from "./set-aside.js";

/** Namespace of the learners' own records, which are not memories. */
export const LEARNER_NAMESPACE = "learner";

/** Cursors per page. Other learners may claim some of them first. */
const PAGE = 64;

/** Maximum number of attempts. Each conflict means that another learner succeeded. */
const ATTEMPTS_MAX = 32;

const FRONTIER = { learner: "frontier" };
const FrontierSchema = z.object({ seq: z.number(), created: z.number() });

/** The newest message that was found: its `seq` and its time in Unix seconds. */
export type Frontier = z.infer<typeof FrontierSchema>;

/** The cursors of all conversations of a tier, and the frontier of the search for new messages. */
export class CursorStore {
  readonly #memory: AgentMemory;
  readonly #tier: MemoryTier;

  constructor(memory: AgentMemory, tier: MemoryTier) {
    this.#memory = memory.inNamespace(LEARNER_NAMESPACE);
    this.#tier = tier;
  }

  /** Returns the position up to which every message was found. 0 if no search was done. */
  async frontier(): Promise<Frontier> {
    return (await this.#frontier()).frontier;
  }

  /** Moves the frontier forward, never back. */
  async moveFrontier(to: Frontier): Promise<void> {
    const fields = { metadata: { kind: "learner_frontier" }, text: "frontier", tier: this.#tier };
    const content = { seq: to.seq, created: to.created };
    await updateWithRetry(
      () => this.#frontier(),
      ({ frontier, revision }) =>
        frontier.seq < to.seq ? { key: FRONTIER, content, if_revision: revision, ...fields } : undefined,
      async (entry) => (await this.#memory.store(entry, { partial: true })).receipts[0],
      { attemptsMax: ATTEMPTS_MAX, onExhausted: () => undefined },
    );
  }

  async get(conversation: string): Promise<Cursor | undefined> {
    return (await this.#byConversation([conversation])).get(conversation);
  }

  /** Returns at most 64 cursors that are due at `now`, including those with an expired lease. */
  async due(now: number): Promise<Cursor[]> {
    return this.#page([{ field: "metadata.due", op: "lte", value: now }]);
  }

  /** Returns the earliest due time of 64 cursors, in Unix seconds. undefined if there is nothing to learn. */
  async nextDue(): Promise<number | undefined> {
    const dues = (await this.#page([])).map(({ due }) => due);
    return dues.length === 0 ? undefined : Math.min(...dues);
  }

  /** Yields the cursors of conversations with set-aside messages. */
  async *withSetAside({ conversation }: SetAsideSelection): AsyncGenerator<Cursor> {
    const where: Filter = {
      all: [
        { field: "metadata.kind", op: "eq", value: "learner_cursor" },
        { field: "metadata.set_aside", op: "gt", value: 0 },
      ],
    };
    const group = conversation === undefined ? {} : { group: conversation };
    const request = { where, ...group, tier: this.#tier, order: "oldest" } as const;
    for await (const entry of this.#memory.entries(request)) {
      const cursor = readCursor(entry);
      if (cursor !== undefined) yield cursor;
    }
  }

  /**
   * Changes a cursor, and retries after a conflict. @returns false if it does not exist or `change` returns
   * undefined.
   */
  async update(conversation: string, tryUpdate: (cursor: Cursor) => Cursor | undefined): Promise<boolean> {
    const changed = await updateWithRetry(
      () => this.get(conversation),
      (cursor) => cursor && tryUpdate(cursor),
      (cursor) => this.change(cursor),
      {
        attemptsMax: ATTEMPTS_MAX,
        onExhausted: () => {
          const message = `other learners keep changing the cursor of ${conversation}. Try again`;
          throw new MemoryError("conflict", message);
        },
      },
    );
    return changed !== undefined;
  }

  /**
   * @returns the cursor at its new revision, or undefined after a conflict. @throws {MemoryError} as a store
   * does.
   */
  async change(cursor: Cursor): Promise<Cursor | undefined> {
    const [changed] = await this.#changeAll([cursor]);
    return changed;
  }

  /**
   * Records new messages in their cursors, and retries after conflicts.
   * @throws {MemoryError} `conflict` if other learners keep changing the cursors.
   */
  async recordFound(
    found: ReadonlyMap<string, FoundMessages>,
    change: (cursor: Cursor, messages: FoundMessages) => Cursor | undefined,
  ): Promise<void> {
    let left = [...found.keys()];
    await updateWithRetry(
      () => this.#byConversation(left),
      (known) =>
        left.flatMap((conversation) => {
          const messages = found.get(conversation)!;
          return change(known.get(conversation) ?? newCursor(conversation, messages), messages) ?? [];
        }),
      async (changed) => {
        const written = new Set((await this.#changeAll(changed)).map(({ conversation }) => conversation));
        left = changed.flatMap(({ conversation }) => (written.has(conversation) ? [] : conversation));
        return left.length === 0 || undefined;
      },
      { attemptsMax: ATTEMPTS_MAX },
    );
  }

  async #frontier(): Promise<{ readonly frontier: Frontier; readonly revision: number }> {
    const { entries } = await this.#memory.retrieve({ keys: [FRONTIER], tier: this.#tier, limit: 1 });
    const parsed = FrontierSchema.safeParse(entries[0]?.content);
    return {
      frontier: parsed.success ? parsed.data : { seq: 0, created: 0 },
      revision: entries[0]?.revision ?? 0,
    };
  }

  async #changeAll(cursors: readonly Cursor[]): Promise<Cursor[]> {
    if (cursors.length === 0) return [];
    const entries = cursors.map((cursor) => ({ ...cursorEntry(cursor), tier: this.#tier }));
    const { receipts, errors } = await this.#memory.store(entries, { partial: true });
    const failure = errors.find(({ code }) => code !== "conflict");
    if (failure !== undefined) throw parseErrorMessage(failure as never);
    return receipts.map(({ index, revision }) => ({ ...cursors[index]!, revision }));
  }

  async #byConversation(conversations: readonly string[]): Promise<Map<string, Cursor>> {
    const found = new Map<string, Cursor>();
    for (let from = 0; from < conversations.length; from += LIMITS.criteriaKeys) {
      const keys = conversations.slice(from, from + LIMITS.criteriaKeys).map(cursorKey);
      for await (const entry of this.#memory.entries({ keys, tier: this.#tier })) addTo(found, entry);
    }
    return found;
  }

  async #page(conditions: readonly Filter[]): Promise<Cursor[]> {
    const where: Filter = {
      all: [
        { field: "metadata.kind", op: "eq", value: "learner_cursor" },
        { field: "metadata.state", op: "in", value: ["open", "held"] },
        ...conditions,
      ],
    };
    const request = { where, tier: this.#tier, order: "oldest", limit: PAGE } as const;
    const { entries } = await this.#memory.retrieve(request);
    return entries.map(readCursor).filter((cursor) => cursor !== undefined);
  }
}

function addTo(found: Map<string, Cursor>, entry: MemoryEntry): void {
  const cursor = readCursor(entry);
  if (cursor !== undefined) found.set(cursor.conversation, cursor);
}
