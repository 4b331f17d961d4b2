import { serverAddress } from "@membus/bus";
import { option } from "@membus/protocol";
import type { z } from "zod";
import type { Config } from "../config/config-schema.js";
import { EmbedderSchema } from "../config/provider-schema.js";
import { numberFlag } from "../flags/json-argument.js";
import { type EvaluationOptions, EvaluationOptionsSchema } from "./evaluation-options.js";
import { SET_FORMATS, type SetFormat } from "./formats/read-set.js";

/** Flags of `membus eval`, as commander parses them. Flags that begin with `--no-` are true by default. */
export interface EvalFlags {
  readonly tier?: string;
  readonly mode?: string;
  readonly format?: string;
  readonly unit?: string;
  readonly embedder?: string;
  readonly namespace: boolean;
  readonly group: boolean;
  readonly date: boolean;
  readonly context?: string;
  readonly plain?: boolean;
  readonly all?: boolean;
  readonly run?: string;
  readonly baseline?: string;
  readonly failOnLoss?: boolean;
  readonly natsServer?: string;
}

/** @throws {TypeError} naming the invalid flag. */
export function evaluationOptions(flags: EvalFlags): EvaluationOptions {
  if (flags.failOnLoss === true && flags.baseline === undefined)
    throw new TypeError("--fail-on-loss requires --baseline");
  const { tier, mode, unit, contextTurns } = EvaluationOptionsSchema.shape;
  const context = flags.context === undefined ? undefined : numberFlag("--context", flags.context);
  const plain = flags.plain === true;
  return {
    tier: flagValue("--tier", tier, flags.tier),
    mode: flagValue("--mode", mode, flags.mode),
    unit: flagValue("--unit", unit, flags.unit),
    namespaces: flags.namespace,
    groups: flags.group && !plain,
    dates: flags.date && !plain,
    contextTurns: plain ? 0 : flagValue("--context", contextTurns, context),
    all: flags.all === true,
  };
}

const FormatSchema = option.choice(...SET_FORMATS).default("membus");

/** @throws {TypeError} for an unknown format. */
export function setFormat({ format }: EvalFlags): SetFormat {
  return flagValue("--format", FormatSchema, format);
}

/**
 * Returns the settings with `--embedder` and `--nats-server` applied. Other embedder settings are kept.
 * @throws {TypeError} for an unknown embedder, or if a running host is used.
 */
export function evalConfig(config: Config, { embedder, natsServer }: EvalFlags): Config {
  if (embedder !== undefined && config.nats.url !== undefined) {
    const at = serverAddress(config.nats.url);
    throw new TypeError(
      `--embedder needs a temporary host, but ${at} names a running one: remove --nats and NATS_URL`,
    );
  }
  return {
    ...config,
    nats: natsServer === undefined ? config.nats : { ...config.nats, server: natsServer },
    embedder: embedder === undefined ? config.embedder : withProvider(config.embedder, embedder),
  };
}

function withProvider(embedder: Config["embedder"], provider: string): Config["embedder"] {
  const { provider: schema } = EmbedderSchema.shape;
  return { ...embedder, provider: flagValue("--embedder", schema, provider) };
}

/** @throws {TypeError} naming the flag if the value is invalid. */
function flagValue<T>(flag: string, schema: z.ZodType<T>, given: unknown): T {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new TypeError(`${flag} ${parsed.error.issues[0]!.message}`);
}
