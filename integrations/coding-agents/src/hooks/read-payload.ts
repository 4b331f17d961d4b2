import type { AgentName, HookEvent, HookEventBody } from "./hook-event.js";
import {
  MemoryIdSchema,
  type Payload,
  PayloadSchema,
  parsePayload,
  QuerySchema,
  RememberedSchema,
} from "./payload.js";
import { readHermesPayload } from "./read-hermes-payload.js";
import { readToolCall } from "./read-tool-call.js";

/** Sources of a prompt that a person has written. Absent in older versions, and in Codex. */
const USER_SOURCES: ReadonlySet<string> = new Set(["user", "sdk"]);

/**
 * Reads the payload of a hook.
 * @throws {TypeError} for a payload without the fields that all events have.
 */
export function readPayload(agent: AgentName, payload: unknown): HookEvent {
  switch (agent) {
    case "hermes":
      return readHermesPayload(payload);
    case "claude-code":
    case "codex":
    case "opencode":
    case "openclaw":
    case "pi":
      return readCommonPayload(payload);
  }
}

/** Reads the form that Claude Code, Codex and the plugins of other agents share. */
function readCommonPayload(payload: unknown): HookEvent {
  const fields = parsePayload(PayloadSchema, payload);
  const { hook_event_name: name, session_id: session, cwd: folder, person } = fields;
  return { name, session, folder, ...(person && { person }), ...bodyOf(fields) };
}

function bodyOf(payload: Payload): HookEventBody {
  switch (payload.hook_event_name) {
    case "SessionStart":
      return { kind: "session-start", isCompacted: ["compact", "clear"].includes(payload.source ?? "") };
    case "UserPromptSubmit":
      return {
        kind: "prompt",
        text: payload.prompt ?? "",
        isByUser: payload.source == null || USER_SOURCES.has(payload.source),
      };
    case "PostToolUse":
      return { kind: "tool", call: readToolCall(payload, undefined) };
    case "PostToolUseFailure":
      if (payload.is_interrupt === true) return { kind: "other" };
      return { kind: "tool", call: readToolCall(payload, payload.error ?? "") };
    case "PreCompact":
      return { kind: "compact" };
    case "Stop":
      return { kind: "stop", reply: payload.last_assistant_message ?? "" };
    case "SessionEnd":
      return { kind: "session-end" };
    default:
      return requestOf(payload);
  }
}

/** Reads the events of tools that only plugins have. @throws {TypeError} for an invalid text. */
function requestOf({ hook_event_name: name, prompt }: Payload): HookEventBody {
  switch (name) {
    case "MemorySearch":
      return { kind: "recall", query: parsePayload(QuerySchema, prompt, "query") };
    case "MemoryStore":
      return { kind: "remember", text: parsePayload(RememberedSchema, prompt, "text"), isGlobal: false };
    case "MemoryForget":
      return { kind: "forget", id: parsePayload(MemoryIdSchema, prompt?.trim(), "id") };
    default:
      return { kind: "other" };
  }
}
