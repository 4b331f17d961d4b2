import type { LongTermItem, LongTermMemory } from "@membus/agentic";
import type { ModelReply } from "@membus/agentic/model";
import { isMemoryError } from "@membus/protocol";
import type { Output } from "../terminal/output.js";
import { type AnswerSources, answerStream } from "./answer-stream.js";
import { memoryLine, whyLines } from "./memory-text.js";

export const CHAT_HELP = `Commands in the chat:
  /memories     list the memories, newest first
  /forget <n>   forget memory number n of that list
  /why          show the memories used for the latest answer
  /help         show this help
  /quit         end the chat (so does the end of the input)`;

const INSTRUCTIONS =
  "You are a helpful assistant. You remember the user from earlier conversations. A message may begin with memories: use them, and answer the text after them.";

/**
 * Options of the window of a chat. It leaves out the oldest messages, because a summary would cost minutes with a slow
 * model, and recall returns the facts of these messages. The free part keeps the prompt the same for several messages,
 * so that servers reuse their cache.
 */
export const CHAT_WINDOW = { mode: "sliding_window", slidingHeadroom: 0.4 } as const;

/** Maximum number of memories listed. */
const LIST_MAX = 50;

export interface ChatParts extends AnswerSources {
  readonly longTerm: LongTermMemory;
  readonly output: Output;
}

/** The reason why a message has no answer. */
class NoAnswer extends Error {
  override readonly name = "NoAnswer";
}

/** Errors that fail one message and not the chat. */
function isFailure(error: unknown): error is Error {
  return isMemoryError(error) || (error instanceof Error && ["ModelError", "NoAnswer"].includes(error.name));
}

/** A chat that answers with the help of memories, and stores each message together with its answer. */
export class Chat {
  readonly #parts: ChatParts;
  /** Memories that `/forget` numbers refer to. */
  #listed: readonly LongTermItem[] = [];
  /** Memories used for the latest answer. */
  #used: readonly LongTermItem[] = [];
  #running: AbortController | undefined;

  constructor(parts: ChatParts) {
    this.#parts = parts;
  }

  /**
   * Processes a line of user input. Returns false if it ends the chat. Failures are reported and the chat
   * continues. A message without an answer is not kept.
   */
  async take(line: string): Promise<boolean> {
    if (line === "/quit") return false;
    try {
      if (line.startsWith("/")) await this.#command(line);
      else if (line !== "") await this.#answer(line);
    } catch (error) {
      if (!isFailure(error)) throw error;
      this.#parts.output.note(`failed: ${error.message}`);
      process.exitCode = 1;
    }
    return true;
  }

  /** Stops the answer that is being written. Returns false if there is none. */
  stop(): boolean {
    this.#running?.abort(new NoAnswer("the answer was stopped"));
    return this.#running !== undefined;
  }

  async #answer(text: string): Promise<void> {
    const { memory, output } = this.#parts;
    const recall = await memory.recall(text);
    this.#used = recall?.memories ?? [];
    for (const used of this.#used) output.note(`  remembers: ${used.text}`);
    // The memories follow the earlier messages, so that a server can reuse its cache of these.
    const question = [recall?.asText() ?? "", text].filter((part) => part !== "").join("\n\n");
    const reply = await this.#reply(question).catch((error: unknown) => {
      if (!isFailure(error)) throw error;
      const reason = error.message.replace(/\.$/, "");
      throw new NoAnswer(`${reason}. The message is not kept: send it again`, { cause: error });
    });
    this.#print(reply.text);
    if (reply.finishReason === "length") output.note("The answer was cut off: it reached the output limit.");
    await memory.keep([text, reply.text]);
  }

  /** Shows the answer while it arrives. @throws {NoAnswer} for an answer without text. */
  async #reply(question: string): Promise<ModelReply> {
    const { output } = this.#parts;
    this.#running = new AbortController();
    let reply: ModelReply | undefined;
    let hasText = false;
    try {
      const request = {
        before: [{ role: "system", content: INSTRUCTIONS }] as const,
        after: [{ role: "user", content: question }] as const,
        signal: this.#running.signal,
      };
      for await (const part of answerStream(this.#parts, request)) {
        if (part.type === "reply") reply = part.reply;
        else if (!output.json) {
          hasText = true;
          output.piece(part.text);
        }
      }
    } finally {
      this.#running = undefined;
      if (hasText) output.piece("\n");
    }
    if (reply === undefined || reply.text.trim() === "") throw new NoAnswer("the model sent an empty answer");
    return reply;
  }

  #print(answer: string): void {
    const { memory, output } = this.#parts;
    if (!output.json) return;
    const memories = this.#used.map(({ id, text }) => ({ id, text }));
    output.result({ answer, memories, memory: memory.isAvailable ? "attached" : "unavailable" }, () => "");
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
