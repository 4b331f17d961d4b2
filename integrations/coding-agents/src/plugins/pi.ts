import type { HookCommand } from "./hook-process.js";
import { HookSessions } from "./hook-sessions.js";
import { type ContentMessage, lastReply, textOf } from "./message-text.js";

// The parts of `@earendil-works/pi-coding-agent` 1.6.0 that are used.

export interface PiContext {
  readonly cwd: string;
  readonly hasUI: boolean;
  readonly ui: { notify(message: string, type: "warning"): void };
  readonly sessionManager: { getSessionId(): string };
}

interface PiEvents {
  readonly session_start: object;
  readonly input: { readonly source: string; readonly text: string };
  /** `prompt` has the text of a template instead of its name. A message of an extension has no `prompt`. */
  readonly before_agent_start: { readonly prompt?: string };
  readonly tool_result: {
    readonly toolName: string;
    readonly input: unknown;
    readonly content: ContentMessage["content"];
    readonly isError: boolean;
  };
  readonly agent_end: { readonly messages: readonly unknown[] };
  readonly session_before_compact: object;
  readonly session_compact: object;
  readonly session_shutdown: { readonly reason: string };
}

export interface PiApi {
  on<E extends keyof PiEvents>(event: E, handler: (event: PiEvents[E], context: PiContext) => unknown): void;
}

/** The last line of a command that the user has stopped. */
const STOPPED = "Command aborted";

/** Returns the extension for pi. */
export function piExtension(command: HookCommand): (pi: PiApi) => void {
  return (pi) => {
    let ui: PiContext["ui"] | undefined;
    /** The input of the next prompt, without the texts of templates. */
    let input: PiEvents["input"] | undefined;
    const sessions = new HookSessions(command, (message) => ui?.notify(message, "warning"));
    const idOf = (context: PiContext) => {
      ui = context.hasUI ? context.ui : undefined;
      return context.sessionManager.getSessionId();
    };
    const placeOf = (context: PiContext) => ({ session: idOf(context), folder: context.cwd });
    pi.on("session_start", (_event, context) => sessions.start(placeOf(context)));
    pi.on("input", (event) => {
      input = event;
    });
    pi.on("before_agent_start", async ({ prompt }, context) => {
      if (prompt === undefined) return undefined;
      const { text = prompt, source } = input ?? {};
      input = undefined;
      const content = await sessions.prompt(placeOf(context), text, source !== "extension");
      return content === "" ? undefined : { message: { customType: "membus", content, display: false } };
    });
    pi.on("tool_result", async ({ toolName: tool, content, isError: isFailed, ...call }, context) => {
      const output = textOf(content);
      if (output.endsWith(STOPPED)) return;
      await sessions.tool(idOf(context), { tool, input: call.input, output, isFailed });
    });
    pi.on("agent_end", ({ messages }, context) => sessions.stop(idOf(context), lastReply(messages)));
    pi.on("session_before_compact", (_event, context) => sessions.compacting(idOf(context)));
    pi.on("session_compact", (_event, context) => sessions.compacted(idOf(context)));
    pi.on("session_shutdown", async ({ reason }, context) => {
      if (reason !== "reload") await sessions.end(idOf(context));
    });
  };
}
