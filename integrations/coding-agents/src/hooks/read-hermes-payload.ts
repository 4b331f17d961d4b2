import { z } from "zod";
import type { HookEvent, HookEventBody } from "./hook-event.js";
import { MemoryIdSchema, parsePayload, QuerySchema, RememberedSchema } from "./payload.js";
import { readToolCall } from "./read-tool-call.js";

const CALLS_MAX = 1_000;

const ORIGIN = {
  session_id: z.string(),
  cwd: z.string(),
  person: z.string().min(1).max(512).nullish(),
};
const CallSchema = z.looseObject({
  tool_name: z.string(),
  tool_input: z.unknown().optional(),
  /** The text of the result. The tools of Hermes Agent return JSON. */
  tool_response: z.string(),
});

/** Events that the memory provider for Hermes Agent in the Python package sends. */
const HermesPayloadSchema = z.discriminatedUnion("event", [
  z.looseObject({ event: z.literal("session_start"), ...ORIGIN, is_compacted: z.boolean().default(false) }),
  z.looseObject({ event: z.literal("turn_start"), ...ORIGIN, prompt: z.string() }),
  z.looseObject({
    event: z.literal("turn_end"),
    ...ORIGIN,
    prompt: z.string(),
    reply: z.string(),
    tool_calls: z.array(CallSchema).max(CALLS_MAX).default([]),
  }),
  z.looseObject({ event: z.literal("session_end"), ...ORIGIN }),
  z.looseObject({
    event: z.literal("remember"),
    ...ORIGIN,
    text: RememberedSchema,
    about: z.enum(["user", "project"]).default("project"),
  }),
  z.looseObject({ event: z.literal("recall"), ...ORIGIN, query: QuerySchema }),
  z.looseObject({ event: z.literal("forget"), ...ORIGIN, id: MemoryIdSchema }),
]);

type HermesPayload = z.infer<typeof HermesPayloadSchema>;

/** @throws {TypeError} for a payload of another form. */
export function readHermesPayload(payload: unknown): HookEvent {
  const fields = parsePayload(HermesPayloadSchema, payload);
  const { event: name, session_id: session, cwd: folder, person } = fields;
  return { name, session, folder, ...(person != null && { person }), ...bodyOf(fields) };
}

function bodyOf(payload: HermesPayload): HookEventBody {
  switch (payload.event) {
    case "session_start":
      return { kind: "session-start", isCompacted: payload.is_compacted };
    case "turn_start":
      // The end of the turn keeps the statements of the prompt.
      return { kind: "prompt", text: payload.prompt, isByUser: false };
    case "turn_end":
      return { kind: "turn", events: turnEvents(payload) };
    case "session_end":
      return { kind: "session-end" };
    case "remember":
      return { kind: "remember", text: payload.text, isGlobal: payload.about === "user" };
    case "recall":
      return { kind: "recall", query: payload.query };
    case "forget":
      return { kind: "forget", id: payload.id };
  }
}

function turnEvents({ prompt, reply, tool_calls }: HermesPayload & { event: "turn_end" }): HookEventBody[] {
  const calls = tool_calls.map(({ tool_name, tool_input, tool_response }): HookEventBody => {
    const call = { tool_name, tool_input, tool_response: resultOf(tool_response) };
    return { kind: "tool", call: readToolCall(call, undefined) };
  });
  return [{ kind: "prompt", text: prompt, isByUser: true }, ...calls, { kind: "stop", reply }];
}

function resultOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
