import type { AccessRule } from "@membus/host";
import {
  DEFAULT_PREFIX,
  LIMITS,
  type MemoryTier,
  type OptionsOf,
  option,
  optionSet,
  parseOptions,
  type ResolvedOptionsOf,
} from "@membus/protocol";
import { z } from "zod";
import { BudgetSettingsSchema } from "./budget-settings.js";
import { GatewaySchema } from "./gateway-schema.js";
import { MEMORY_LIMIT } from "./memory-limit.js";
import { EmbedderSchema, RerankerSchema } from "./provider-schema.js";
import { QuotasSchema } from "./quotas.js";
import type { SectionName, SectionOptions } from "./sections.js";

const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);

const NatsSchema = optionSet({
  /** Server to connect to. */
  url: option.text().optional(),
  /** Path of the nats-server program that `up` runs. */
  server: option.text().optional(),
  /** Port of that server. */
  port: option.integer(1, 65_535).default(4_222),
  /** Path of a credentials file. */
  credentials: option.text().optional(),
  user: option.text().optional(),
  password: option.text().optional(),
  token: option.text().optional(),
  /** Path of a file with the seed of an nkey. */
  nkey: option.text().optional(),
  /** Folder of `membus auth`. */
  auth: option.text().optional(),
  tls_ca: option.text().optional(),
  tls_cert: option.text().optional(),
  tls_key: option.text().optional(),
  /** Prefix of the reply subjects of commands. */
  inbox_prefix: option.text().optional(),
  /** Whether commands name the tier in the subject. */
  tier_subjects: z.union([z.boolean(), z.stringbool()], { error: "must be true or false" }).default(false),
});

/** A module for `loadPlugin`, or `none`. */
const PluginSchema = z.union(
  [
    z.literal("none"),
    optionSet({
      module: option.text(),
      options: option.value<Record<string, unknown>>(isObject, "must be an object").optional(),
    }),
  ],
  { error: "must be `{ module: ./my-plugin.js, options: {...} }` or `none`" },
);

const PluginsSchema = optionSet({
  working: PluginSchema.optional(),
  episodic: PluginSchema.optional(),
  semantic: PluginSchema.optional(),
});

const HealthSchema = optionSet({
  /** 0 chooses a free port. */
  port: option.integer(0, 65_535),
  host: option.text().default("127.0.0.1"),
});

const ClusterSchema = optionSet({
  /** Place of the tables. Hosts read it from the cluster, and refuse to start if they are configured with another one. */
  store: option.text().optional(),
  /** Name of the bucket in NATS. The names of the cluster's streams begin with it. */
  name: option.token().default("membus"),
  /** Monitoring addresses of the nats-servers, which say there whether they write each store to disk. */
  monitoring: option.list(option.baseUrl(), 1, 20).optional(),
  /** Name of this host, by default of the machine. No other running host of the cluster has it. */
  host: option.token().optional(),
});

const isSize = (value: unknown) =>
  typeof value === "number" ? Number.isInteger(value) && value > 0 : MEMORY_LIMIT.test(String(value));

const isAddress = (value: unknown) =>
  typeof value === "boolean" ||
  (typeof value === "string" && value !== "") ||
  (Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65_535);

/** Options of a package, without defaults. `resolveConfig` validates them. */
function section<K extends SectionName>(_name: K) {
  return option.value<SectionOptions[K]>(isObject, "must be an object").optional();
}

/** Contents of `membus.yaml`. */
export const ConfigSchema = optionSet({
  nats: NatsSchema.prefault({}),
  /** First tokens of every subject. */
  prefix: option.text().default(DEFAULT_PREFIX),
  /** Tenant of the commands. */
  tenant: option.text().default("default"),
  /** Agent as which the commands store and retrieve. */
  agent: option.text().default("cli"),
  /** Session of the working tier. */
  session: option.text().default(""),
  /** Namespace of the commands. */
  namespace: option.text().default("default"),
  /** Timeout of a command's request, in milliseconds. */
  timeout_ms: option.integer(1, LIMITS.deadlineMs).default(5_000),
  /** Data folder. */
  data: option.text().default("./.membus"),
  /** Memory that `up` may use, in bytes or with a unit. Default: see `memoryLimit`. */
  memory_limit: option
    .value<number | string>(isSize, "must be a number of bytes, or a size such as 2GiB or 800MiB")
    .optional(),
  /** Failure that acknowledged stores survive: `disk` (power loss) or `process` (the process is killed). */
  durability: option.choice("disk", "process").default("disk"),
  embedder: EmbedderSchema.default({ provider: "static" }),
  reranker: RerankerSchema.optional(),
  /** Plugin of each tier. */
  plugins: PluginsSchema.default({}),
  /** Tenants that the host serves. */
  tenants: option.list(option.text(), 1).optional(),
  /** Access rules. The host validates them. */
  rules: option.list(option.value<AccessRule>(isObject, "must be an object")).optional(),
  log_level: option.choice("debug", "info", "warn", "error", "silent").default("warn"),
  /** Whether audit lines are written to standard error. */
  audit: option.boolean().default(false),
  /** File with the secret that keys in audit lines are hashed with. By default one of the data folder. */
  audit_key: option.text().optional(),
  quotas: QuotasSchema.optional(),
  /** Budget of the model calls of `learn`, `chat` and `openMemory`. */
  budget: BudgetSettingsSchema.optional(),
  /** Address of the health checks and metrics. */
  health: HealthSchema.optional(),
  gateway: GatewaySchema.prefault({}),
  /** Whether the host also runs a gateway, or the address of that gateway. */
  http: option
    .value<boolean | number | string>(isAddress, "must be true, false, an address or a port")
    .default(false),
  /** Makes the host part of a cluster. */
  cluster: ClusterSchema.optional(),
  host: section("host"),
  lru: section("lru"),
  kit: section("kit"),
  log: section("log"),
  storage: section("storage"),
});

export interface ConfigFile extends OptionsOf<typeof ConfigSchema> {}

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
export interface Config extends Omit<ResolvedOptionsOf<typeof ConfigSchema>, "plugins"> {
  readonly plugins: Readonly<Partial<Record<MemoryTier, PluginSettings | "none">>>;
}

export const CONFIG_DEFAULTS: Config = parseOptions(ConfigSchema, {}) as Config;
