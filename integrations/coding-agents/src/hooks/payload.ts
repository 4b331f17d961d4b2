import { z } from "zod";

const text = z.string().nullish();

/** A memory that an agent asks to keep. */
export const RememberedSchema = z.string().trim().min(1).max(4_000);
export const QuerySchema = z.string().trim().min(1);
/** The beginning of the id of a memory. */
export const MemoryIdSchema = z.string().regex(/^[0-9a-f]{8,64}$/);

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

/** @throws {TypeError} for a payload, or the field `name` of one, of another form. */
export function parsePayload<T>(schema: z.ZodType<T>, payload: unknown, name = "payload"): T {
  const parsed = schema.safeParse(payload);
  if (parsed.success) return parsed.data;
  const [{ path, message } = { path: [], message: "" }] = parsed.error.issues;
  const problem = path.length === 0 ? message : `${path.join(".")} ${message}`;
  throw new TypeError(`unknown ${name}: ${problem}`);
}
