import type { IncomingHttpHeaders } from "node:http";
import { bearerOf } from "@membus/http";
import { LIMITS } from "@membus/protocol";
import { membusHeader } from "../membus-header.js";
import type { Identity, Tokens } from "../tokens.js";
import type { TurnRequest } from "./model-api.js";
import { OpenAiError } from "./openai-error.js";
import { MEMORY_MODES, type MemoryMode, type ResolvedOpenAiOptions } from "./openai-options.js";

/** The caller of the model, and how its request uses memory. */
export interface Caller {
  readonly identity: Identity;
  /** The user that the agent talks with. */
  readonly user: string;
  readonly conversation: string | undefined;
  readonly mode: MemoryMode;
}

/**
 * Determines the caller. Headers take precedence over fields of `metadata`. @throws {OpenAiError} for an
 * invalid value.
 */
export function callerOf(
  headers: IncomingHttpHeaders,
  { metadata, user }: Pick<TurnRequest, "metadata" | "user">,
  tokens: Tokens,
  options: Pick<ResolvedOpenAiOptions, "agent" | "mode">,
): Caller {
  const named = (field: string) => membusHeader(headers, field) ?? textOf(metadata[`membus_${field}`]);
  const identity = tokens.identityOf(bearerOf(headers), named("agent") ?? options.agent);
  if (identity === undefined) throw refused("Agent", "is not a valid agent name");
  const mode = (named("mode") ?? options.mode) as MemoryMode;
  if (!MEMORY_MODES.includes(mode)) throw refused("Mode", `must be one of ${MEMORY_MODES.join(", ")}`);
  const conversation = named("conversation");
  if ((conversation?.length ?? 0) > LIMITS.idLength) {
    throw refused("Conversation", `has at most ${LIMITS.idLength} characters`);
  }
  return { identity, mode, conversation, user: named("user") ?? user ?? "default" };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** @param field name of the header as documented. */
function refused(field: "Agent" | "Mode" | "Conversation", why: string): OpenAiError {
  return new OpenAiError(400, "invalid_value", `X-Membus-${field} ${why}`);
}
