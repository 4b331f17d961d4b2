import { z } from "zod";
import { boundedString } from "../bounded-values.js";
import { NamespacePatternSchema } from "../filter/index.js";
import { LIMITS } from "../limits.js";
import { NAMESPACE } from "../scope.js";

/** Protocol version of this package. It accepts every 1.x (clause ENV-8). */
export const PROTOCOL_VERSION = "1.1";
export const CONTENT_TYPE_HEADER = "Content-Type";

/** Rejects the Unicode categories control, format, surrogate, private use and unassigned. */
const PRINTABLE = /^[^\p{C}]+$/u;

/** Returns true for a valid message `id`: 1..128 printable characters (clause ENV-3). */
export function isMessageId(value: unknown): value is string {
  return typeof value === "string" && value.length <= LIMITS.idLength && PRINTABLE.test(value);
}

export const MessageIdSchema = boundedString(LIMITS.idLength)
  .regex(PRINTABLE, "must be 1..128 printable characters")
  .meta({ description: "idempotency key, UUIDv7 recommended" });

const VersionSchema = z.string().regex(/^1\.\d{1,6}$/, "must be 1.x");

/** Fields of every message except `type`. The receiver applies defaults for absent fields. */
export const envelopeShape = {
  id: MessageIdSchema.nullish(),
  version: VersionSchema.nullish().meta({ description: 'default "1.0"' }),
  ts: z.number().nullish().meta({ description: "Unix seconds, default now" }),
};

const requestShape = {
  ...envelopeShape,
  session_id: boundedString(LIMITS.idLength).nullish().meta({ description: 'default ""' }),
  deadline_ms: z
    .int()
    .min(1)
    .max(LIMITS.deadlineMs)
    .nullish()
    .meta({ description: "milliseconds from receipt, default 5000" }),
  requires: z
    .array(boundedString(64).min(1))
    .max(64)
    .nullish()
    .meta({ description: "features that the host must have" }),
};

/** Fields of a request that writes to one namespace. */
export const writeShape = {
  ...requestShape,
  namespace: z.string().regex(NAMESPACE, "must be a path of 1..8 segments").nullish(),
};

/** Fields of a request that reads or forgets one namespace or a subtree. */
export const selectShape = { ...requestShape, namespace: NamespacePatternSchema.nullish() };

export { requestShape };

/** Fields of every reply. Receivers ignore unknown fields. */
export const replyShape = {
  id: z.string(),
  version: VersionSchema,
  ts: z.number(),
  req_id: z.string(),
};

export const PingSchema = z.strictObject({ type: z.literal("ping"), ...requestShape }).meta({ id: "Ping" });
export type Ping = z.input<typeof PingSchema>;

/** `pong`: the host's id and its tiers. */
export const PongSchema = z
  .looseObject({ type: z.literal("pong"), ...replyShape, host_id: z.string(), tiers: z.array(z.string()) })
  .meta({ id: "Pong" });
export type Pong = z.infer<typeof PongSchema>;
