import type { AgentMemory } from "@membus/agent-client";
import { booleanOption, type Clock, resolveOptions, systemClock } from "@membus/protocol";
import { type ChatMessage, type Cost, CostMeter } from "../model/index.js";
import { type ConversationOptions, resolveConversationOptions } from "./conversation-options.js";
import { ConversationRecords } from "./conversation-records.js";
import { type ConversationState, loadState, readState } from "./conversation-state.js";
import {
  type ConversationMessage,
  checkMark,
  checkMessage,
  DESCRIPTION_ID,
  type NewMessage,
  prepareMessage,
  readMessage,
  wholeMessage,
} from "./message.js";
import { idsAt, type MessageSelection, SELECTION_RULES, selectMessages } from "./select-messages.js";
import { loadStateFile, saveStateFile } from "./state-file.js";
import { type Summary, summaryEntry, summaryText } from "./summary.js";
import { addAll, addOnce, changeMessages } from "./write-messages.js";

export interface AddOptions {
  /**
   * Adds a message whose id is taken once more, under a new id; otherwise adding it again changes nothing.
   * @default false
   */
  readonly allowDuplicates?: boolean | undefined;
}

export const ADD_DEFAULTS = Object.freeze({ allowDuplicates: false });

export interface GetOptions extends MessageSelection {
  /**
   * Puts the summary in front, as a message of the user, where there is one. It counts for none of `last`.
   * @default false
   */
  readonly prependSummary?: boolean | undefined;
}

export const GET_DEFAULTS = Object.freeze({ prependSummary: false });

export interface ClearOptions {
  /**
   * A leading system message stays.
   * @default false
   */
  readonly keepSystem?: boolean | undefined;
}

export const CLEAR_DEFAULTS = Object.freeze({ keepSystem: false });

export interface LoadOptions {
  /**
   * Refuses a state that lacks a part; otherwise what it lacks stays as it is.
   * @default true
   */
  readonly strict?: boolean | undefined;
}

export const LOAD_DEFAULTS = Object.freeze({ strict: true });

export interface AddResult {
  /** Of every message that was given, in their order. */
  readonly ids: readonly string[];
  /** Those ids that were there already. */
  readonly duplicates: readonly string[];
  readonly cost: Cost;
}

/** How many messages there were to change, or to remove. */
export interface ChangeResult {
  readonly count: number;
  readonly cost: Cost;
}

/** Which messages to remove: by one of the three. Indices count from 0, negative ones from the end. */
export type Removal =
  | { readonly ids: readonly string[] }
  | { readonly indices: readonly number[] }
  | { readonly mark: string };

export interface MarkChange {
  /** Only messages with this mark, which they lose. */
  readonly from?: string | undefined;
  /** What they are marked with; absent: with nothing. */
  readonly to?: string | undefined;
  /** Only these; absent: all. */
  readonly ids?: readonly string[] | undefined;
}

/** Fields that a message takes; an undefined one stays, and null removes one that it need not have. */
export type MessagePatch = { readonly [K in keyof ChatMessage]?: ChatMessage[K] | null };

export type SummaryInput = Pick<Summary, "text"> & Partial<Summary>;

/** Told after the messages of a conversation were cleared here; it must not throw. */
export type ResetListener = (event: { readonly conversation: string; readonly removed: number }) => void;

/**
 * The messages of one conversation, in the order in which they arrived. Any number of processes may write to it: none
 * loses a message, and all see one order.
 *
 * Every method throws `MemoryError` for what the bus or the host reports, and `TypeError`, before anything is sent, for
 * a mistake in the call.
 */
export class Conversation {
  readonly id: string;
  /** What it is stored as. */
  readonly records: ConversationRecords;
  readonly #clock: Clock;
  readonly #onReset = new Set<ResetListener>();

  constructor(records: ConversationRecords, clock: Clock) {
    this.id = records.conversation;
    this.records = records;
    this.#clock = clock;
  }

  /**
   * Adds messages behind those that are there, in their order. One over 256 KiB is kept in parts.
   * @throws {MemoryError} `too_large` for a message over 180 MB: then none was added.
   */
  async add(
    messages: ChatMessage | NewMessage | readonly (ChatMessage | NewMessage)[],
    options: AddOptions = {},
  ): Promise<AddResult> {
    const { allowDuplicates } = resolveOptions<{ allowDuplicates: boolean }>(options, ADD_DEFAULTS, {
      allowDuplicates: booleanOption,
    });
    const meter = new CostMeter(this.#clock);
    const given = (Array.isArray(messages) ? messages : [messages]) as readonly (ChatMessage | NewMessage)[];
    const added = await (allowDuplicates ? addAll : addOnce)(this.records, given.map(prepareMessage), meter);
    return { ...added, cost: meter.cost };
  }

  /** How many messages there are. */
  size(): Promise<number> {
    return this.records.count("message");
  }

  /**
   * Messages, oldest first: all, or those that meet all of `options`. Copies. One of which parts are missing is
   * `incomplete`, and says so.
   */
  async get(options: GetOptions = {}): Promise<ConversationMessage[]> {
    const { prependSummary, ...selection } = resolveOptions<MessageSelection & { prependSummary: boolean }>(
      options,
      GET_DEFAULTS,
      { ...SELECTION_RULES, prependSummary: booleanOption },
    );
    const [messages, summary] = await Promise.all([
      selectMessages(this.records, selection),
      prependSummary ? this.summary() : undefined,
    ]);
    return summary === undefined ? messages : [summaryMessage(summary), ...messages];
  }

  /**
   * Messages by what they say, the one that says most about `query` first: 10, or `limit`, up to 1000.
   * @returns none where the query shares nothing with any.
   */
  async search(
    query: string,
    { limit = 10 }: { readonly limit?: number } = {},
  ): Promise<ConversationMessage[]> {
    const entries = await this.records.search("message", { query, limit });
    return entries.map(readMessage).filter((message) => message !== undefined);
  }

  /** What the model is given: every message, without what only its conversation knows of it. */
  async messages(): Promise<ChatMessage[]> {
    return (await this.get()).map(({ message }) => message);
  }

  /**
   * Changes fields of a message; the others, its place and its marks stay. `count` is 0 where there is no such id.
   * @throws {MemoryError} `memory_not_found` for one that is `incomplete`.
   */
  async update(id: string, patch: MessagePatch): Promise<ChangeResult> {
    return this.#change([id], (current) => patched(wholeMessage(current), patch));
  }

  /**
   * Puts another message into the place, and under the id, of one; its marks stay.
   * @throws {TypeError} for an index where there is none.
   */
  async replace(index: number, message: ChatMessage): Promise<ChangeResult> {
    const replacement = checkMessage(message);
    return this.#change(await idsAt(this.records, [index]), () => replacement);
  }

  /**
   * Removes messages, and what was made of them: offloaded texts, and summaries that stand for them.
   * @throws {TypeError} for an index where there is none.
   */
  async remove(removal: Removal): Promise<ChangeResult> {
    const meter = new CostMeter(this.#clock);
    const found = await this.#toRemove(removal);
    const derived = await this.records.forgetDerived(found);
    const keys = found.map(({ id }) => this.records.key(id));
    const count = keys.length === 0 ? 0 : await this.records.forget({ keys });
    // Once more: a window that was at it has looked for the messages after it had stored what it made of them.
    const late = await this.records.forgetDerived(found);
    meter.written(derived + count + late);
    return { count, cost: meter.cost };
  }

  /**
   * Moves, adds or removes a mark: see `MarkChange`. `count` is how many messages had it to change.
   * @throws {MemoryError} `memory_not_found` for one that is `incomplete`: then none is changed.
   */
  async mark({ from, to, ids }: MarkChange): Promise<ChangeResult> {
    for (const mark of [from, to]) if (mark !== undefined) checkMark(mark);
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
   * Removes all messages, summaries and offloaded texts, in one request. `count` has all entries that went, parts of long
   * messages too.
   */
  async clear(options: ClearOptions = {}): Promise<ChangeResult> {
    const { keepSystem } = resolveOptions<{ keepSystem: boolean }>(options, CLEAR_DEFAULTS, {
      keepSystem: booleanOption,
    });
    const meter = new CostMeter(this.#clock);
    const leading = keepSystem ? await this.leadingSystem() : undefined;
    const count = await this.records.forgetAll(leading?.id);
    meter.written(count);
    for (const listener of this.#onReset) listener({ conversation: this.id, removed: count });
    return { count, cost: meter.cost };
  }

  /** Calls `listener` after each `clear` of this object, until the function that is returned is called. */
  onReset(listener: ResetListener): () => void {
    this.#onReset.add(listener);
    return () => void this.#onReset.delete(listener);
  }

  /** The first message, if it is the system's or the developer's. */
  async leadingSystem(): Promise<ConversationMessage | undefined> {
    const [first] = await this.records.messages({ limit: 1 });
    return first !== undefined && isSystem(first.message) ? first : undefined;
  }

  summary(): Promise<Summary | undefined> {
    return this.records.summary();
  }

  /** Writes the summary; without `covers` it stands for what the one that is there stands for, else for no message. */
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
   * All of it as JSON: what `loadState` takes, here or in another conversation.
   * @throws {MemoryError} `memory_not_found` where a message is `incomplete`.
   */
  state(): Promise<ConversationState> {
    return readState(this.records);
  }

  /**
   * Puts a state in the place of what is there, once it is found to be whole. It takes several requests: after a crash
   * in between, load it again.
   * @throws {TypeError} for what is no state, before anything changes.
   */
  async loadState(state: unknown, options: LoadOptions = {}): Promise<{ readonly cost: Cost }> {
    const { strict } = resolveOptions<{ strict: boolean }>(options, LOAD_DEFAULTS, { strict: booleanOption });
    const meter = new CostMeter(this.#clock);
    await loadState(this.records, state, strict, meter);
    return { cost: meter.cost };
  }

  /** Writes the state, and what else is to be kept with it, to a file: the old one or the new one, never a part. */
  async save(path: string, additionalState?: Readonly<Record<string, unknown>>): Promise<void> {
    await saveStateFile(path, { state: await this.state(), additional_state: additionalState });
  }

  /**
   * Loads what `save` has written.
   * @returns the additional state; undefined where there is none.
   * @throws {TypeError} for a file that holds no state; what the file system reports, as it is.
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
 * Opens a conversation, new or not. A second process that opens it with the same `id` and `tier` has the same one.
 * @throws {MemoryError} as a store does, where there is a description to write.
 */
export async function openConversation(
  memory: AgentMemory,
  options: ConversationOptions,
  { clock = systemClock }: { readonly clock?: Clock } = {},
): Promise<Conversation> {
  const { description, ...place } = resolveConversationOptions(options);
  const conversation = new Conversation(new ConversationRecords(memory, place), clock);
  if (description !== "") await describe(conversation, { role: "system", content: description });
  return conversation;
}

/** Writes nothing where the description is the same already. */
async function describe(conversation: Conversation, message: ChatMessage): Promise<void> {
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
