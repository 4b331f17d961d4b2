import type { AgentMemory } from "@membus/agent-client";
import { type Clock, parseOption, parseOptions, systemClock } from "@membus/protocol";
import { type ChatMessage, type Cost, CostMeter } from "../model/index.js";
import {
  type AddOptions,
  AddOptionsSchema,
  type ClearOptions,
  ClearOptionsSchema,
  type ConversationOptions,
  ConversationOptionsSchema,
  type GetOptions,
  GetOptionsSchema,
  type LoadOptions,
  LoadOptionsSchema,
  MarkSchema,
} from "./conversation-options.js";
import { ConversationRecords } from "./conversation-records.js";
import { type ConversationState, loadState, readState } from "./conversation-state.js";
import {
  type ConversationMessage,
  checkMessage,
  DESCRIPTION_ID,
  type NewMessage,
  prepareMessage,
  readMessage,
  wholeMessage,
} from "./message.js";
import { idsAt, selectMessages } from "./select-messages.js";
import { loadStateFile, saveStateFile } from "./state-file.js";
import { type Summary, summaryEntry, summaryText } from "./summary.js";
import { addAll, addOnce, changeMessages } from "./write-messages.js";

export interface AddResult {
  /** Ids of all given messages, in their order. */
  readonly ids: readonly string[];
  /** Ids that already existed. */
  readonly duplicates: readonly string[];
  readonly cost: Cost;
}

/** Number of messages that were changed or removed. */
export interface ChangeResult {
  readonly count: number;
  readonly cost: Cost;
}

/** The messages to remove, by one of the three. Indices count from 0, negative ones from the end. */
export type Removal =
  | { readonly ids: readonly string[] }
  | { readonly indices: readonly number[] }
  | { readonly mark: string };

export interface MarkChange {
  /** Select only messages with this mark, which is removed. */
  readonly from?: string | undefined;
  /** The mark to add. Absent: none. */
  readonly to?: string | undefined;
  /** Ids to select. Absent: all messages. */
  readonly ids?: readonly string[] | undefined;
}

/** Fields of a message to change. undefined leaves a field, null removes an optional field. */
export type MessagePatch = { readonly [K in keyof ChatMessage]?: ChatMessage[K] | null };

export type SummaryInput = Pick<Summary, "text"> & Partial<Summary>;

/** Called after this object cleared the messages of a conversation. It must not throw. */
export type ResetListener = (event: {
  readonly agent: string;
  readonly session: string;
  readonly conversation: string;
  readonly removed: number;
}) => void;

/**
 * The messages of one conversation, in order of arrival. Any number of processes may write to it: no message
 * is lost, and all readers see the same order.
 *
 * Every method throws `MemoryError` for failures of the bus or the host. It throws `TypeError` for a wrong
 * argument, before it sends anything.
 */
export class Conversation {
  readonly id: string;
  /** The stored records of the conversation. */
  readonly records: ConversationRecords;
  readonly #clock: Clock;
  readonly #onReset = new Set<ResetListener>();

  constructor(records: ConversationRecords, clock: Clock) {
    this.id = records.conversation;
    this.records = records;
    this.#clock = clock;
  }

  /**
   * Adds messages at the end, in their order. A message over 256 KiB is stored in parts.
   * @throws {MemoryError} `too_large` for a message over 180 MB. No message is then added.
   */
  async add(
    messages: ChatMessage | NewMessage | readonly (ChatMessage | NewMessage)[],
    options: AddOptions = {},
  ): Promise<AddResult> {
    const { allowDuplicates } = parseOptions(AddOptionsSchema, options);
    const meter = new CostMeter(this.#clock);
    const given = (Array.isArray(messages) ? messages : [messages]) as readonly (ChatMessage | NewMessage)[];
    const added = await (allowDuplicates ? addAll : addOnce)(this.records, given.map(prepareMessage), meter);
    return { ...added, cost: meter.cost };
  }

  /** Returns the number of messages. */
  size(): Promise<number> {
    return this.records.count("message");
  }

  /**
   * Returns copies of all messages, or of those that match all of `options`, oldest first. A message with
   * missing parts is `incomplete` and contains a note.
   */
  async get(options: GetOptions = {}): Promise<ConversationMessage[]> {
    const { prependSummary, ...selection } = parseOptions(GetOptionsSchema, options);
    const [messages, summary] = await Promise.all([
      selectMessages(this.records, selection),
      prependSummary ? this.summary() : undefined,
    ]);
    return summary === undefined ? messages : [summaryMessage(summary), ...messages];
  }

  /**
   * Returns messages by relevance to `query`, best first: at most `limit` (1..1000).
   * @returns an empty list if nothing matches.
   */
  async search(
    query: string,
    { limit = 10 }: { readonly limit?: number } = {},
  ): Promise<ConversationMessage[]> {
    const entries = await this.records.search("message", { query, limit });
    return entries.map(readMessage).filter((message) => message !== undefined);
  }

  /** Returns every message in the form for a model, without ids and marks. */
  async messages(): Promise<ChatMessage[]> {
    return (await this.get()).map(({ message }) => message);
  }

  /**
   * Changes fields of a message. Its other fields, position and marks stay. `count` is 0 if the id does not
   * exist.
   * @throws {MemoryError} `memory_not_found` for an `incomplete` message.
   */
  async update(id: string, patch: MessagePatch): Promise<ChangeResult> {
    return this.#change([id], (current) => patched(wholeMessage(current), patch));
  }

  /**
   * Replaces the message at an index. Its position, id and marks stay.
   * @throws {TypeError} if no message has this index.
   */
  async replace(index: number, message: ChatMessage): Promise<ChangeResult> {
    const replacement = checkMessage(message);
    return this.#change(await idsAt(this.records, [index]), () => replacement);
  }

  /**
   * Removes messages and the entries derived from them: offloaded texts, and summaries that cover them.
   * @throws {TypeError} if no message has a given index.
   */
  async remove(removal: Removal): Promise<ChangeResult> {
    const meter = new CostMeter(this.#clock);
    const found = await this.#toRemove(removal);
    const derived = await this.records.forgetDerived(found);
    const keys = found.map(({ id }) => this.records.key(id));
    const count = keys.length === 0 ? 0 : await this.records.forget({ keys });
    // Second pass: a concurrent compaction checks the messages only after it has stored the derived
    // entries.
    const late = await this.records.forgetDerived(found);
    meter.written(derived + count + late);
    return { count, cost: meter.cost };
  }

  /**
   * Moves, adds or removes a mark: see `MarkChange`. `count` is the number of changed messages.
   * @throws {MemoryError} `memory_not_found` for an `incomplete` message. No message is then changed.
   */
  async mark({ from, to, ids }: MarkChange): Promise<ChangeResult> {
    for (const mark of [from, to]) parseOption(MarkSchema.optional(), mark, "mark");
    const meter = new CostMeter(this.#clock);
    const messages = await selectMessages(this.records, {
      mark: from,
      ids,
      excludeMark: from === to ? undefined : to,
    });
    const change = (current: ConversationMessage) => ({
      ...current,
      message: wholeMessage(current),
      marks: changedMarks(current.marks, from, to),
    });
    const changed = await changeMessages(this.records, from === to ? [] : messages, change, meter);
    return { count: changed.length, cost: meter.cost };
  }

  /**
   * Removes all messages, summaries and offloaded texts in one request. `count` is the number of deleted
   * entries, including parts of long messages.
   */
  async clear(options: ClearOptions = {}): Promise<ChangeResult> {
    const { keepSystem } = parseOptions(ClearOptionsSchema, options);
    const meter = new CostMeter(this.#clock);
    const leading = keepSystem ? await this.leadingSystem() : undefined;
    const count = await this.records.forgetAll(leading?.id);
    meter.written(count);
    const event = { ...this.records.context, conversation: this.id, removed: count };
    for (const listener of this.#onReset) listener(event);
    return { count, cost: meter.cost };
  }

  /** Calls `listener` after each `clear` of this object. Returns a function that stops this. */
  onReset(listener: ResetListener): () => void {
    this.#onReset.add(listener);
    return () => void this.#onReset.delete(listener);
  }

  /** Returns the first message if its role is system or developer. */
  async leadingSystem(): Promise<ConversationMessage | undefined> {
    const [first] = await this.records.messages({ limit: 1 });
    return first !== undefined && isSystem(first.message) ? first : undefined;
  }

  summary(): Promise<Summary | undefined> {
    return this.records.summary();
  }

  /**
   * Writes the summary. Without `covers` it covers the range of the existing summary, or no message if there
   * is none.
   */
  async setSummary(input: SummaryInput): Promise<{ readonly cost: Cost }> {
    const meter = new CostMeter(this.#clock);
    const covers = input.covers ?? (await this.summary())?.covers ?? { from: 0, to: 0 };
    const none = { keyFacts: [], openThreads: [], level: 1, userRequests: "", images: [] };
    const sources = input.sources ?? (await this.records.sourcesWithin(covers));
    await this.records.store([summaryEntry(this.id, { ...none, ...input, covers, sources })]);
    meter.written(1);
    return { cost: meter.cost };
  }

  /**
   * Returns the whole conversation as JSON, for `loadState` of this or another conversation.
   * @throws {MemoryError} `memory_not_found` if a message is `incomplete`.
   */
  state(): Promise<ConversationState> {
    return readState(this.records);
  }

  /**
   * Replaces the content of the conversation by a state, after the whole state was checked. This takes
   * several requests: after a crash, load the state again.
   * @throws {TypeError} for an invalid state, before anything changes.
   */
  async loadState(state: unknown, options: LoadOptions = {}): Promise<{ readonly cost: Cost }> {
    const { strict } = parseOptions(LoadOptionsSchema, options);
    const meter = new CostMeter(this.#clock);
    await loadState(this.records, state, strict, meter);
    return { cost: meter.cost };
  }

  /** Writes the state and `additionalState` to a file. The replacement is atomic. */
  async save(path: string, additionalState?: Readonly<Record<string, unknown>>): Promise<void> {
    await saveStateFile(path, { state: await this.state(), additional_state: additionalState });
  }

  /**
   * Loads a file written by `save`.
   * @returns the additional state, or undefined if there is none.
   * @throws {TypeError} for a file without a valid state. Errors of the file system are passed through.
   */
  async load(path: string, options: LoadOptions = {}): Promise<Record<string, unknown> | undefined> {
    const { state, additional_state } = await loadStateFile(path);
    await this.loadState(state, options);
    return additional_state;
  }

  async #change(
    ids: readonly string[],
    change: (current: ConversationMessage) => ChatMessage,
  ): Promise<ChangeResult> {
    const meter = new CostMeter(this.#clock);
    const found = await this.records.messagesById(ids);
    const prepare = (current: ConversationMessage) => ({
      ...current,
      message: checkMessage(change(current)),
    });
    const changed = await changeMessages(this.records, found, prepare, meter);
    meter.written(await this.records.forgetDerived(changed));
    return { count: changed.length, cost: meter.cost };
  }

  async #toRemove(removal: Removal): Promise<ConversationMessage[]> {
    if ("mark" in removal) return selectMessages(this.records, { mark: removal.mark });
    const ids = "ids" in removal ? removal.ids : await idsAt(this.records, removal.indices);
    return selectMessages(this.records, { ids });
  }
}

/**
 * Opens a conversation, new or existing. Processes that use the same `id` and `tier` share it.
 * @throws {MemoryError} as a store does, if there is a description to write.
 */
export async function openConversation(
  memory: AgentMemory,
  options: ConversationOptions,
  { clock = systemClock }: { readonly clock?: Clock } = {},
): Promise<Conversation> {
  const { description, ...location } = parseOptions(ConversationOptionsSchema, options);
  const conversation = new Conversation(new ConversationRecords(memory, location), clock);
  if (description !== "") await writeDescription(conversation, { role: "system", content: description });
  return conversation;
}

/** Writes nothing if the description is unchanged. */
async function writeDescription(conversation: Conversation, message: ChatMessage): Promise<void> {
  const { duplicates } = await conversation.add({ id: DESCRIPTION_ID, message });
  if (duplicates.length === 0) return;
  const [current] = await conversation.get({ ids: [DESCRIPTION_ID] });
  if (current?.message.content !== message.content) await conversation.update(DESCRIPTION_ID, message);
}

function isSystem({ role }: ChatMessage): boolean {
  return role === "system" || role === "developer";
}

function changedMarks(marks: readonly string[], from: string | undefined, to: string | undefined): string[] {
  const kept = marks.filter((mark) => mark !== from && mark !== to);
  return to === undefined ? kept : [...kept, to];
}

function patched(message: ChatMessage, patch: MessagePatch): ChatMessage {
  const merged: Record<string, unknown> = { ...message };
  for (const [name, value] of Object.entries(patch)) {
    if (value === null && name !== "content") delete merged[name];
    else if (value !== undefined) merged[name] = value;
  }
  return merged as ChatMessage;
}

function summaryMessage(summary: Summary): ConversationMessage {
  const { to } = summary.covers;
  const message: ChatMessage = { role: "user", content: summaryText(summary) };
  return { id: `summary-${to}`, marks: [], message, seq: to, revision: 0, created: 0, updated: 0 };
}
