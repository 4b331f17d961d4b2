import { z } from "zod";

const text = z.string().nullish();

/**
 * Fields of the contracts of Claude Code and Codex that are read. The plugins of other agents send the same form.
 * Unknown fields and events are ignored, because new versions of the agents add some.
 */
export const PayloadSchema = z.looseObject({
  hook_event_name: z.string(),
  session_id: z.string(),
  cwd: z.string(),
  /** Only of plugins. */
  person: text,
  source: text,
  prompt: text,
  tool_name: text,
  tool_input: z.unknown().optional(),
  tool_response: z.unknown().optional(),
  error: text,
  is_interrupt: z.boolean().nullish(),
  last_assistant_message: text,
});

export type Payload = z.infer<typeof PayloadSchema>;

/** @throws {TypeError} for a payload of another form. */
export function parsePayload<T>(schema: z.ZodType<T>, payload: unknown): T {
  const parsed = schema.safeParse(payload);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new TypeError(`unknown payload: ${issue?.path.join(".") ?? ""} ${issue?.message ?? ""}`);
}
