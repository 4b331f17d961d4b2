import { z } from "zod";
import type { ChatMessage } from "./chat-model.js";
import { toOpenAiMessage } from "./openai/request-body.js";

const CallSchema = z.looseObject({
  id: z.string(),
  name: z.string().optional(),
  arguments: z.string().optional(),
  function: z.looseObject({ name: z.string(), arguments: z.string() }).optional(),
});

const ResponseSchema = z.looseObject({
  role: z.enum(["system", "developer", "user", "assistant", "tool"]).nullish(),
  content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]).nullish(),
  name: z.string().nullish(),
  tool_calls: z.array(CallSchema).nullish(),
  reasoning_details: z.array(z.unknown()).nullish(),
});

/** A message in the form of a provider. */
export type MessageDict = Readonly<Record<string, unknown>>;

/**
 * Returns the fields of a message that a model may use: the calls of tools nested in `function`, the calls of
 * agents, images and `reasoning_details`. Absent and empty fields are left out.
 */
export function toLlmDict(message: ChatMessage): MessageDict {
  const { role, content, name, tool_calls = [], tool_call_id, agent_calls, images = [], reasoning } = message;
  const calls = tool_calls.map(({ id, name: tool, arguments: written }) => ({
    id,
    type: "function",
    function: { name: tool, arguments: written },
  }));
  return {
    role,
    content,
    ...(name !== undefined && { name }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(tool_call_id !== undefined && { tool_call_id }),
    ...(agent_calls !== undefined && { agent_calls }),
    ...(images.length > 0 && { images }),
    ...(reasoning !== undefined && { reasoning_details: reasoning }),
  };
}

/** Returns the message for an OpenAI-compatible API. Images of a user are parts. Thinking is left out. */
export function toApiFormat(message: ChatMessage): MessageDict {
  return toOpenAiMessage(message, "system") as MessageDict;
}

/**
 * Reads the message of a model's response, with tool calls that are flat or nested in `function`. The role is
 * "assistant" if it is absent.
 * @throws {TypeError} for another form.
 */
export function fromResponseDict(response: unknown, { name }: { readonly name?: string } = {}): ChatMessage {
  const parsed = ResponseSchema.safeParse(response);
  if (!parsed.success)
    throw new TypeError(`invalid response: ${z.prettifyError(parsed.error).slice(0, 500)}`);
  const { role, content, tool_calls, reasoning_details } = parsed.data;
  const ownName = name ?? parsed.data.name ?? undefined;
  const calls = (tool_calls ?? []).map(flatCall);
  return {
    role: role ?? "assistant",
    content: content ?? null,
    ...(ownName !== undefined && { name: ownName }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(reasoning_details != null && { reasoning: reasoning_details as ChatMessage["reasoning"] }),
  };
}

/** Reads a response object with `content`, `role`, `tool_calls` and `reasoning_details`, as `fromResponseDict`. */
export function fromHarmonizedResponse(
  response: Readonly<Record<string, unknown>>,
  options: { readonly name?: string } = {},
): ChatMessage {
  const { role, content, tool_calls, reasoning_details } = response;
  return fromResponseDict({ role, content, tool_calls, reasoning_details }, options);
}

function flatCall({ id, name, arguments: written, function: nested }: z.infer<typeof CallSchema>) {
  const call = { id, name: nested?.name ?? name, arguments: nested?.arguments ?? written ?? "{}" };
  if (call.name === undefined) throw new TypeError(`invalid response: the tool call ${id} has no name`);
  return { ...call, name: call.name };
}

const NextActionSchema = z.enum(["call_tool", "invoke_agent", "final_response"]);

/** Decision of an agent, for `structured` of a message. */
export interface MessageContent {
  readonly thought?: string | undefined;
  readonly next_action?: z.infer<typeof NextActionSchema> | undefined;
  readonly action_input?: Readonly<Record<string, unknown>> | undefined;
}

const MessageContentSchema = z.strictObject({
  thought: z.string().optional(),
  next_action: NextActionSchema.optional(),
  action_input: z.record(z.string(), z.unknown()).optional(),
});

/**
 * Returns the decision of an agent after a check.
 * @throws {TypeError} for a `next_action` other than "call_tool", "invoke_agent" and "final_response".
 */
export function messageContent(given: unknown): MessageContent {
  const parsed = MessageContentSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new TypeError(`invalid message content: ${z.prettifyError(parsed.error).slice(0, 500)}`);
}
