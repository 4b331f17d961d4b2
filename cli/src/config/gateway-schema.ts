import { z } from "zod";

const text = z.string().min(1);

/** Settings of `membus gateway`. Tokens are stored only as hashes, with their tenant and agent. */
export const GatewaySchema = z.strictObject({
  listen: text.optional(),
  tokens: z.array(z.strictObject({ sha256: text, tenant: text, agent: text.optional() })).optional(),
  hosts: z.array(text).optional(),
  origins: z.array(text).optional(),
  tls_cert: text.optional(),
  tls_key: text.optional(),
  inspector: z.boolean().optional(),
  inspector_edit: z.boolean().optional(),
  mcp: z.boolean().optional(),
  mcp_read_only: z.boolean().optional(),
  session_idle_s: z.int().min(1).optional(),
  session_bucket: text.optional(),
  openai: z
    .strictObject({
      upstream: text.optional(),
      api_key_env: text.optional(),
      agent: text.optional(),
      mode: z.enum(["off", "static", "agent", "both"]).optional(),
      memory_timeout_ms: z.int().min(1).max(60_000).optional(),
    })
    .optional(),
});
