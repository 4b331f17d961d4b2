import type { AgentName, HookEvent, HookEventBody } from "./hook-event.js";
import { type Payload, PayloadSchema, parsePayload } from "./payload.js";
import { readHermesPayload } from "./read-hermes-payload.js";
import { readToolCall } from "./read-tool-call.js";

const REMEMBERED_LENGTH_MAX = 4_000;
const MEMORY_ID = /^[0-9a-f]{8,64}$/;

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

/** Reads the events of tools that only plugins have. */
function requestOf({ hook_event_name: name, prompt }: Payload): HookEventBody {
  const text = prompt?.trim() ?? "";
  if (name === "MemorySearch" && text !== "") return { kind: "recall", query: text };
  if (name === "MemoryStore" && text !== "" && text.length <= REMEMBERED_LENGTH_MAX)
    return { kind: "remember", text, isGlobal: false };
  if (name === "MemoryForget" && MEMORY_ID.test(text)) return { kind: "forget", id: text };
  return { kind: "other" };
}
