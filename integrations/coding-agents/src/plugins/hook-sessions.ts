import { type HookCommand, runHookProcess } from "./hook-process.js";
import { RecentMap } from "./recent-map.js";
import { UnreadNotices } from "./unread-notices.js";

/** Characters of an output that are sent, from its end. */
const OUTPUT_LENGTH_MAX = 50_000;
const NO_CONTEXT = Promise.resolve("");

/** A call of a tool that has ended. */
export interface EndedCall {
  readonly tool: string;
  readonly input: unknown;
  readonly output: string;
  readonly exitCode?: number | undefined;
  readonly isFailed?: boolean | undefined;
}

/** The session of an event. */
export interface Place {
  readonly session: string;
  readonly folder: string;
  /** Person on a messaging platform, who has a separate memory. Absent: the user of this machine. */
  readonly person?: string | undefined;
}

/** A request that a tool of the agent makes. */
export type MemoryRequest = "MemorySearch" | "MemoryStore" | "MemoryForget";

interface Session {
  readonly place: Place;
  /** Text of the start, which no prompt has taken yet. */
  readonly context: Promise<string>;
}

/**
 * Sends the events of an agent to `membus hook`, one process for each. No method rejects. Events of a session
 * without a start or a prompt are ignored, because its folder is not known.
 */
export class HookSessions {
  readonly #command: HookCommand;
  readonly #notify: (message: string) => void;
  readonly #sessions = new RecentMap<Session>();
  readonly #unread = new UnreadNotices();

  /** `notify` shows a notice to the user. */
  constructor(command: HookCommand, notify: (message: string) => void) {
    this.#command = command;
    this.#notify = notify;
  }

  /** Reports the start of a session. Its memories come with the next prompt. */
  start(place: Place): void {
    this.#start(place, "startup");
  }

  /** Keeps a prompt. Returns notices and memories for its context, or "". */
  async prompt(place: Place, prompt: string, isByUser: boolean): Promise<string> {
    const { session } = place;
    if (this.#sessions.get(session) === undefined) this.start(place);
    const atStart = await this.#sessions.get(session)?.context;
    this.#sessions.set(session, { place, context: NO_CONTEXT });
    const source = isByUser ? "user" : "agent";
    const atPrompt = await this.#send(place, "UserPromptSubmit", () => ({ prompt, source }));
    return joined([...this.#unread.take(place), atStart ?? "", atPrompt]);
  }

  async tool(session: string, { tool, input, output, exitCode, isFailed }: EndedCall): Promise<void> {
    await this.#report(session, "PostToolUse", () => ({
      tool_name: tool,
      tool_input: input,
      tool_response: { output: output.slice(-OUTPUT_LENGTH_MAX), exit_code: exitCode, is_error: isFailed },
    }));
  }

  /** Reports the end of a turn, with the last reply of the agent. */
  async stop(session: string, reply: string | undefined): Promise<void> {
    await this.#report(session, "Stop", () => ({ last_assistant_message: reply }));
  }

  async compacting(session: string): Promise<void> {
    await this.#report(session, "PreCompact");
  }

  /** Reports that the context was summarized. The next prompt shows the memories of a start again. */
  compacted(session: string): void {
    const known = this.#sessions.get(session);
    if (known !== undefined) this.#start(known.place, "compact");
  }

  async end(session: string): Promise<void> {
    const known = this.#sessions.get(session);
    await this.#report(session, "SessionEnd");
    this.#sessions.delete(session);
    if (known !== undefined) this.#unread.end(known.place);
  }

  /** Searches, stores or forgets a memory. Returns the text for the agent, or "". */
  async request(place: Place, request: MemoryRequest, text: string): Promise<string> {
    return await this.#send(place, request, () => ({ prompt: text }));
  }

  #start(place: Place, source: string): void {
    const context = this.#send(place, "SessionStart", () => ({ source }));
    this.#sessions.set(place.session, { place, context });
  }

  /** Sends an event that accepts no context. Its notice waits for the next prompt. */
  async #report(session: string, event: string, fields?: () => object): Promise<void> {
    const known = this.#sessions.get(session);
    const notice = known === undefined ? "" : await this.#send(known.place, event, fields);
    if (notice !== "") this.#unread.add(session, notice);
  }

  /** Returns the text for the agent. It includes the notices of the hook, or why there is no answer. */
  async #send(place: Place, event: string, fields?: () => object): Promise<string> {
    const { session, folder, person } = place;
    try {
      const payload = { hook_event_name: event, session_id: session, cwd: folder, person, ...fields?.() };
      const { systemMessage, hookSpecificOutput } = await runHookProcess(this.#command, payload);
      if (systemMessage !== undefined) this.#show(systemMessage);
      return hookSpecificOutput?.additionalContext ?? systemMessage ?? "";
    } catch (error) {
      const notice = `membus: ${(error as Error).message}`;
      this.#show(notice);
      return notice;
    }
  }

  #show(notice: string): void {
    try {
      this.#notify(notice);
    } catch {
      // The agent has no place for it, or no longer. It reads the notice in its context.
    }
  }
}

/** Joins parts with an empty line. A notice that a later part repeats is left out. */
function joined(parts: readonly string[]): string {
  const isRepeated = (part: string, index: number) =>
    parts.slice(index + 1).some((later) => later.includes(part));
  return parts.filter((part, index) => part !== "" && !isRepeated(part, index)).join("\n\n");
}
