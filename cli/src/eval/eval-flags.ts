import { serverAddress } from "@membus/bus";
import { type MemoryTier, type RetrieveMode, RetrieveModeSchema, TIERS } from "@membus/protocol";
import { type Config, ConfigSchema } from "../config/config-schema.js";
import { numberFlag } from "../flags/json-argument.js";
import { EVALUATION_DEFAULTS, type EvaluationOptions } from "./evaluation-options.js";

/** Flags of `membus eval`, as commander parses them. Flags that begin with `--no-` are true by default. */
export interface EvalFlags {
  readonly tier?: string;
  readonly mode?: string;
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

export const CONTEXT_TURNS_MAX = 20;

/** @throws {TypeError} naming the invalid flag. */
export function evaluationOptions(flags: EvalFlags): EvaluationOptions {
  if (flags.failOnLoss === true && flags.baseline === undefined)
    throw new TypeError("--fail-on-loss requires --baseline");
  const { tier, mode } = EVALUATION_DEFAULTS;
  const plain = flags.plain === true;
  return {
    tier: choice<MemoryTier>("--tier", flags.tier ?? tier, TIERS),
    mode: choice<RetrieveMode>("--mode", flags.mode ?? mode, RetrieveModeSchema.options),
    namespaces: flags.namespace,
    groups: flags.group && !plain,
    dates: flags.date && !plain,
    contextTurns: plain ? 0 : contextTurns(flags.context),
    all: flags.all === true,
  };
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
  const parsed = ConfigSchema.shape.embedder.safeParse({ ...embedder, provider });
  if (parsed.success && parsed.data !== undefined) return parsed.data;
  throw new TypeError(`--embedder: ${parsed.error?.issues[0]?.message ?? provider}`);
}

function contextTurns(given: string | undefined): number {
  if (given === undefined) return EVALUATION_DEFAULTS.contextTurns;
  const turns = numberFlag("--context", given);
  if (Number.isInteger(turns) && turns >= 0 && turns <= CONTEXT_TURNS_MAX) return turns;
  throw new TypeError(`--context must be an integer in 0..${CONTEXT_TURNS_MAX}, got ${given}`);
}

function choice<T extends string>(flag: string, given: string, choices: readonly T[]): T {
  const found = choices.find((candidate) => candidate === given);
  if (found !== undefined) return found;
  throw new TypeError(`${flag} must be one of ${choices.join(", ")}, got ${given}`);
}
