import type { HookEvent, HookEventBody } from "./hook-event.js";
import { type Payload, PayloadSchema } from "./payload.js";
import { readToolCall } from "./read-tool-call.js";

/** Sources of a prompt that a person has written. Absent in older versions, and in Codex. */
const USER_SOURCES: ReadonlySet<string> = new Set(["user", "sdk"]);

/**
 * Reads the payload of a hook.
 * @throws {TypeError} for a payload without the fields that all events have.
 */
export function readPayload(payload: unknown): HookEvent {
  const parsed = PayloadSchema.safeParse(payload);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new TypeError(`unknown payload: ${issue?.path.join(".") ?? ""} ${issue?.message ?? ""}`);
  }
  const { hook_event_name: name, session_id: session, cwd: folder } = parsed.data;
  return { name, session, folder, ...bodyOf(parsed.data) };
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
      return { kind: "other" };
  }
}
