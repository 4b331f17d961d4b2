import type { ContextWindow, Conversation, LongTermItem, LongTermMemory } from "@membus/agentic";
import type { StreamingChatModel } from "@membus/agentic/model";
import { isMemoryError } from "@membus/protocol";
import type { Output } from "../terminal/output.js";
import { memoryLine, whyLines } from "./memory-text.js";

export const CHAT_HELP = `Commands in the chat:
  /memories     list the memories, newest first
  /forget <n>   forget memory number n of that list
  /why          show the memories used for the latest answer
  /help         show this help
  /quit         end the chat (so does the end of the input)`;

const SYSTEM = "You are a helpful assistant. You remember the user from earlier conversations.";

/** Maximum number of memories listed. */
const LIST_MAX = 50;

export interface ChatParts {
  readonly conversation: Conversation;
  readonly longTerm: LongTermMemory;
  readonly window: ContextWindow;
  readonly model: StreamingChatModel;
  readonly output: Output;
}

/** A chat that stores every message and answers with the help of memories. */
export class Chat {
  readonly #parts: ChatParts;
  /** Memories that `/forget` numbers refer to. */
  #listed: readonly LongTermItem[] = [];
  /** Memories used for the latest answer. */
  #used: readonly LongTermItem[] = [];

  constructor(parts: ChatParts) {
    this.#parts = parts;
  }

  greet(size: number, isTerminal: boolean): void {
    const { conversation, output } = this.#parts;
    if (size > 0) output.note(`continuing conversation ${conversation.id} with ${size} messages`);
    if (isTerminal) output.note("type /help for the commands");
  }

  /**
   * Processes a line of user input. Returns false if it ends the chat. Failures are reported and the chat
   * continues.
   */
  async take(line: string): Promise<boolean> {
    if (line === "/quit") return false;
    try {
      if (line.startsWith("/")) await this.#command(line);
      else if (line !== "") await this.#answer(line);
    } catch (error) {
      if (!isMemoryError(error) && (error as Error).name !== "ModelError") throw error;
      this.#parts.output.note(`failed: ${(error as Error).message}`);
      process.exitCode = 1;
    }
    return true;
  }

  async #answer(text: string): Promise<void> {
    const { conversation, longTerm, window, model, output } = this.#parts;
    await conversation.add({ role: "user", content: text });
    const recall = await longTerm.retrieve(text);
    this.#used = recall.memories;
    for (const memory of recall.memories) output.note(`  remembers: ${memory.text}`);
    const system = [SYSTEM, recall.asText()].filter((part) => part !== "").join("\n\n");
    const messages = [{ role: "system", content: system } as const, ...(await window.messages())];
    let answer = "";
    for await (const part of model.completeStream({ messages })) {
      if (part.type === "reply") answer = part.reply.text;
      else if (!output.json) process.stdout.write(part.text);
    }
    if (!output.json) process.stdout.write("\n");
    else
      output.result(
        { answer, memories: recall.memories.map(({ id, text: memoryText }) => ({ id, text: memoryText })) },
        () => "",
      );
    await conversation.add({ role: "assistant", content: answer });
  }

  async #command(line: string): Promise<void> {
    const [name, ...rest] = line.split(/\s+/);
    if (name === "/memories") await this.#list();
    else if (name === "/forget") await this.#forget(rest.join(" "));
    else if (name === "/why") this.#why();
    else this.#parts.output.note(name === "/help" ? CHAT_HELP : `unknown command ${name}\n${CHAT_HELP}`);
  }

  async #list(): Promise<void> {
    const { longTerm, output } = this.#parts;
    const listed: LongTermItem[] = [];
    for await (const memory of longTerm.entries()) if (listed.push(memory) === LIST_MAX) break;
    this.#listed = listed;
    const lines = listed.map((memory, n) => `${n + 1}. ${memoryLine(memory)}`);
    output.result(listed, () => (lines.length === 0 ? "no memories yet" : lines.join("\n")));
  }

  async #forget(number: string): Promise<void> {
    const { longTerm, output } = this.#parts;
    const memory = this.#listed[Number(number) - 1];
    if (memory === undefined) {
      const isListed = this.#listed.length > 0;
      output.note(
        isListed
          ? `name a number from 1 to ${this.#listed.length}`
          : "no memories are listed: run /memories first",
      );
      return;
    }
    await longTerm.forget({ ids: [memory.id] });
    output.result(
      { forgotten: memory.id },
      () => `forgot: ${memory.text}\nThe messages about it stay in this conversation.`,
    );
  }

  #why(): void {
    const lines = this.#used.flatMap(whyLines);
    this.#parts.output.result(this.#used, () =>
      lines.length === 0 ? "no memories were used for the latest answer" : lines.join("\n"),
    );
  }
}
