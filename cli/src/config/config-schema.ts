import type { MemoryTier } from "@membus/protocol";
import { z } from "zod";
import { GatewaySchema } from "./gateway-schema.js";
import { MEMORY_LIMIT } from "./memory-limit.js";
import { PluginSchema } from "./plugin-schema.js";
import { EmbedderSchema, RerankerSchema } from "./provider-schema.js";
import { QuotasSchema } from "./quotas.js";

const text = z.string().min(1);
const positive = z.int().min(1);

/** Contents of `membus.yaml`. Unknown keys are rejected. */
export const ConfigSchema = z.strictObject({
  nats: z
    .strictObject({
      url: text.optional(),
      server: text.optional(),
      port: z.int().min(1).max(65_535).optional(),
      credentials: text.optional(),
      user: text.optional(),
      password: text.optional(),
      token: text.optional(),
      nkey: text.optional(),
      auth: text.optional(),
      tls_ca: text.optional(),
      tls_cert: text.optional(),
      tls_key: text.optional(),
      inbox_prefix: text.optional(),
      tier_subjects: z.union([z.boolean(), z.stringbool()]).optional(),
    })
    .optional(),
  prefix: text.optional(),
  tenant: text.optional(),
  agent: text.optional(),
  session: text.optional(),
  namespace: text.optional(),
  timeout_ms: positive.optional(),
  data: text.optional(),
  memory_limit: z
    .union([
      positive,
      z.string().regex(MEMORY_LIMIT, "must be a number of bytes, or a size such as 2GiB or 800MiB"),
    ])
    .optional(),
  durability: z.enum(["disk", "process"]).optional(),
  embedder: EmbedderSchema.optional(),
  reranker: RerankerSchema.optional(),
  /** Plugin of each tier. */
  plugins: z
    .strictObject({
      working: PluginSchema.optional(),
      episodic: PluginSchema.optional(),
      semantic: PluginSchema.optional(),
    })
    .optional(),
  tenants: z.array(text).min(1).optional(),
  /** Access rules. The host validates them. */
  rules: z.array(z.unknown()).optional(),
  log_level: z.enum(["debug", "info", "warn", "error", "silent"]).optional(),
  audit: z.boolean().optional(),
  quotas: QuotasSchema.optional(),
  /** Address of the health checks and metrics. */
  health: z.strictObject({ port: z.int().min(0).max(65_535), host: text.default("127.0.0.1") }).optional(),
  gateway: GatewaySchema.optional(),
  /** Whether the host also runs a gateway, or the address of that gateway. */
  http: z.union([z.boolean(), z.int().min(0).max(65_535), text]).optional(),
  host: z.record(text, z.unknown()).optional(),
  lru: z.record(text, z.unknown()).optional(),
  kit: z.record(text, z.unknown()).optional(),
  log: z.record(text, z.unknown()).optional(),
  storage: z.record(text, z.unknown()).optional(),
});

export type ConfigFile = z.infer<typeof ConfigSchema>;

/**
 * A module that serves a tier. `folder` resolves relative paths: the folder of the settings file, or the
 * working directory for a flag.
 */
export interface PluginSettings {
  readonly module: string;
  readonly options?: Readonly<Record<string, unknown>> | undefined;
  readonly folder: string;
}

/** Merged settings from flags, environment, file and defaults. */
export interface Config extends ConfigFile {
  readonly plugins?: Readonly<Partial<Record<MemoryTier, PluginSettings | "none">>>;
  /**
   * NATS server. `port` is the port of the embedded server.
   * @default {"port":4222}
   */
  readonly nats: NonNullable<ConfigFile["nats"]> & { readonly port: number };
  /**
   * First tokens of every subject.
   * @default "a2e"
   */
  readonly prefix: string;
  /** @default "default" */
  readonly tenant: string;
  /**
   * Agent as which the commands store and retrieve.
   * @default "cli"
   */
  readonly agent: string;
  /** @default "" */
  readonly session: string;
  /** @default "default" */
  readonly namespace: string;
  /**
   * Timeout of a command's request, in milliseconds.
   * @default 5000
   */
  readonly timeout_ms: number;
  /**
   * Data folder.
   * @default "./.membus"
   */
  readonly data: string;
  /**
   * Failure that acknowledged stores survive: `disk` (power loss) or `process` (the process is killed).
   * @default "disk"
   */
  readonly durability: "disk" | "process";
  /** @default {"provider":"static"} */
  readonly embedder: NonNullable<ConfigFile["embedder"]>;
  /** @default "warn" */
  readonly log_level: NonNullable<ConfigFile["log_level"]>;
}

export const CONFIG_DEFAULTS: Config = Object.freeze<Config>({
  nats: { port: 4222 },
  prefix: "a2e",
  tenant: "default",
  agent: "cli",
  session: "",
  namespace: "default",
  timeout_ms: 5_000,
  data: "./.membus",
  durability: "disk",
  embedder: { provider: "static" },
  log_level: "warn",
});
