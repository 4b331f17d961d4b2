import { randomUUID } from "node:crypto";
import { commandIn, type HookCommand } from "./hook-process.js";
import { HookSessions } from "./hook-sessions.js";
import { textOf } from "./message-text.js";
import { RecentMap } from "./recent-map.js";

// The parts of `@opencode-ai/plugin` 1.18.33 that are used.

interface Part {
  readonly id: string;
  readonly sessionID: string;
  readonly messageID: string;
  readonly type: string;
  readonly text?: string;
  /** Written by OpenCode or a plugin, and not by the user. */
  readonly synthetic?: boolean;
  readonly ignored?: boolean;
}

export interface OpenCodeEvent {
  readonly type: string;
  readonly properties: object;
}

/** Properties of the events about sessions. Other events have other properties. */
interface SessionProperties {
  readonly sessionID?: string;
  readonly info?: { readonly id?: string; readonly parentID?: string };
}

/** Result of a tool. A tool of MCP has no `output`: OpenCode passes the result of its server as it is. */
interface OpenCodeResult {
  readonly output?: string;
  readonly content?: unknown;
  readonly metadata?: unknown;
}

export interface OpenCodeInput {
  readonly directory: string;
  readonly client: {
    readonly tui: {
      showToast(options: { body: { message: string; variant: "warning" } }): Promise<unknown>;
    };
  };
}

export interface OpenCodeHooks {
  event(input: { readonly event: OpenCodeEvent }): Promise<void>;
  "chat.message"(
    input: { readonly sessionID: string },
    output: { readonly message: { readonly id: string }; readonly parts: Part[] },
  ): Promise<void>;
  "tool.execute.after"(
    input: { readonly tool: string; readonly sessionID: string; readonly args: unknown },
    output: OpenCodeResult,
  ): Promise<void>;
  "experimental.text.complete"(
    input: { readonly sessionID: string },
    output: { readonly text: string },
  ): Promise<void>;
  "experimental.session.compacting"(input: { readonly sessionID: string }): Promise<void>;
}

export interface OpenCodePlugin {
  readonly id: string;
  server(input: OpenCodeInput, options?: Readonly<Record<string, unknown>>): Promise<OpenCodeHooks>;
}

/** Returns the plugin for OpenCode. Its option `command` replaces the command. */
export function openCodePlugin(command: HookCommand): OpenCodePlugin {
  return {
    id: "membus",
    server: async (input, options) => hooksOf(input, commandIn(options) ?? command),
  };
}

function hooksOf({ client, directory }: OpenCodeInput, command: HookCommand): OpenCodeHooks {
  const sessions = new HookSessions(command, (message) => {
    // Without a terminal there is no place for a notice. The agent has it in its context.
    client.tui.showToast({ body: { message, variant: "warning" } }).catch(() => undefined);
  });
  const replies = new RecentMap<string>();
  /** Sessions of subagents: an agent has written their prompts. */
  const children = new RecentMap<true>();
  return {
    async event({ event }) {
      const { info, sessionID: session = info?.id } = event.properties as SessionProperties;
      if (session === undefined) return;
      if (event.type === "session.created" && info?.parentID !== undefined) children.set(session, true);
      if (event.type === "session.idle") await sessions.stop(session, replies.get(session));
      if (event.type === "session.compacted") sessions.compacted(session);
      if (event.type === "session.deleted") await sessions.end(session);
    },
    async "chat.message"({ sessionID: session }, { message, parts }) {
      const isByUser = children.get(session) === undefined;
      const text = await sessions.prompt({ session, folder: directory }, promptOf(parts), isByUser);
      if (text !== "") parts.unshift(contextPart(session, message.id, text));
    },
    async "tool.execute.after"({ tool, sessionID: session, args: input }, result) {
      const output = result.output ?? textOf(result.content);
      await sessions.tool(session, { tool, input, output, exitCode: exitCodeOf(result.metadata) });
    },
    async "experimental.text.complete"({ sessionID }, { text }) {
      replies.set(sessionID, text);
    },
    async "experimental.session.compacting"({ sessionID }) {
      await sessions.compacting(sessionID);
    },
  };
}

/** Returns the words of the user in a message. */
function promptOf(parts: readonly Part[]): string {
  const own = parts.filter(({ type, synthetic, ignored }) => type === "text" && !synthetic && !ignored);
  return own.map(({ text }) => text ?? "").join("\n");
}

function contextPart(sessionID: string, messageID: string, text: string): Part {
  const id = `prt_${randomUUID().replaceAll("-", "")}`;
  return { id, sessionID, messageID, type: "text", text, synthetic: true };
}

function exitCodeOf(metadata: unknown): number | undefined {
  const { exit } = (metadata ?? {}) as { readonly exit?: unknown };
  return typeof exit === "number" ? exit : undefined;
}
