import { z } from "zod";
import { replyShape, requestShape } from "./envelope.js";

export const PingSchema = z.strictObject({ type: z.literal("ping"), ...requestShape }).meta({ id: "Ping" });
export type Ping = z.input<typeof PingSchema>;

/** `pong`: who answers, and which tiers it serves. */
export const PongSchema = z
  .looseObject({ type: z.literal("pong"), ...replyShape, host_id: z.string(), tiers: z.array(z.string()) })
  .meta({ id: "Pong" });
export type Pong = z.infer<typeof PongSchema>;
