import type {
  ContextWindow,
  Conversation,
  LongTermItem,
  LongTermMemory,
  StreamingChatModel,
} from "@membus/agentic";
import { isMemoryError } from "@membus/protocol";
import type { Output } from "../terminal/output.js";
import { memoryLine, whyLines } from "./memory-text.js";

export const CHAT_HELP = `Beside what you say:
  /memories     what is remembered, the newest first
  /forget <n>   forget number n of that list
  /why          which memories the latest answer was given with
  /help         this
  /quit         the end; so is the end of the input`;

const SYSTEM = "You are a helpful assistant. You remember the user from earlier talks.";

/** Memories of one list. */
const LIST_MAX = 50;

export interface ChatParts {
  readonly conversation: Conversation;
  readonly longTerm: LongTermMemory;
  readonly window: ContextWindow;
  readonly model: StreamingChatModel;
  readonly output: Output;
}

/** A talk: what is said is kept, and answered with what is remembered. */
export class Chat {
  readonly #parts: ChatParts;
  /** What `/forget` counts in. */
  #listed: readonly LongTermItem[] = [];
  /** Of the latest answer. */
  #used: readonly LongTermItem[] = [];

  constructor(parts: ChatParts) {
    this.#parts = parts;
  }

  greet(size: number, isTerminal: boolean): void {
    const { conversation, output } = this.#parts;
    if (size > 0) output.note(`${conversation.id} goes on, with ${size} messages`);
    if (isTerminal) output.note("/help tells what you can do");
  }

  /** A line of the user's. @returns false where that was the end. What fails is told, and the talk goes on. */
  async take(line: string): Promise<boolean> {
    if (line === "/quit") return false;
    try {
      if (line.startsWith("/")) await this.#command(line);
      else if (line !== "") await this.#say(line);
    } catch (error) {
      if (!isMemoryError(error) && (error as Error).name !== "ModelError") throw error;
      this.#parts.output.note(`failed: ${(error as Error).message}`);
      process.exitCode = 1;
    }
    return true;
  }

  async #say(text: string): Promise<void> {
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
        { answer, memories: recall.memories.map(({ id, text: said }) => ({ id, text: said })) },
        () => "",
      );
    await conversation.add({ role: "assistant", content: answer });
  }

  async #command(line: string): Promise<void> {
    const [name, ...rest] = line.split(/\s+/);
    if (name === "/memories") await this.#list();
    else if (name === "/forget") await this.#forget(rest.join(" "));
    else if (name === "/why") this.#why();
    else this.#parts.output.note(name === "/help" ? CHAT_HELP : `there is no ${name}\n${CHAT_HELP}`);
  }

  async #list(): Promise<void> {
    const { longTerm, output } = this.#parts;
    const listed: LongTermItem[] = [];
    for await (const memory of longTerm.entries()) if (listed.push(memory) === LIST_MAX) break;
    this.#listed = listed;
    const lines = listed.map((memory, n) => `${n + 1}. ${memoryLine(memory)}`);
    output.result(listed, () => (lines.length === 0 ? "nothing is remembered yet" : lines.join("\n")));
  }

  async #forget(number: string): Promise<void> {
    const { longTerm, output } = this.#parts;
    const memory = this.#listed[Number(number) - 1];
    if (memory === undefined) {
      const isListed = this.#listed.length > 0;
      output.note(
        isListed ? `which of 1 to ${this.#listed.length}?` : "nothing is listed: /memories does it first",
      );
      return;
    }
    await longTerm.forget({ ids: [memory.id] });
    output.result(
      { forgotten: memory.id },
      () => `forgot: ${memory.text}\nWhat was said of it stays in this conversation.`,
    );
  }

  #why(): void {
    const lines = this.#used.flatMap(whyLines);
    this.#parts.output.result(this.#used, () =>
      lines.length === 0 ? "the latest answer was given without memories" : lines.join("\n"),
    );
  }
}
