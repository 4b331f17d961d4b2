import { Deadline, type OpenAiClient, ProviderError, tokensOf } from "@membus/openai-client";
import { type Clock, isJsonObject, type JsonObject } from "@membus/protocol";

/** Time for all requests together. */
const TIMEOUT_MS = 5_000;

/** Fields of a model's entry with the size of its context: vLLM, LM Studio, OpenRouter, Groq, Mistral. */
const FIELDS = [
  "max_model_len",
  "loaded_context_length",
  "context_length",
  "context_window",
  "max_context_length",
];

interface Source {
  readonly path: string;
  readonly below: "base" | "origin";
  readonly read: (reply: JsonObject, model: string) => number | undefined;
}

/** Where servers report the size, in the order in which they are asked. */
const SOURCES: readonly Source[] = [
  { path: "/models", below: "base", read: fromModels },
  // llama-server. Earlier versions list only the size that the model was trained with.
  { path: "/props", below: "origin", read: fromSettings },
  // Ollama, for a loaded model.
  { path: "/api/ps", below: "origin", read: fromModels },
  // LM Studio.
  { path: "/api/v0/models", below: "origin", read: fromModels },
];

/**
 * Asks a model server for the size of a model's context, in tokens.
 * @returns undefined if the server does not report it, or does not answer within five seconds.
 * @throws the signal's reason if aborted.
 */
export async function readContextTokens(
  client: OpenAiClient,
  model: string,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<number | undefined> {
  const deadline = new Deadline(clock, TIMEOUT_MS, "the model provider did not report its models", signal);
  try {
    for (const { path, below, read } of SOURCES) {
      const reply = await client.get(path, deadline.signal, { below }).catch(ignoreStatus);
      const tokens = isJsonObject(reply) ? read(reply, model) : undefined;
      if (tokens !== undefined) return tokens;
    }
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
  } finally {
    deadline.stop();
  }
  return undefined;
}

/** Continues with the next source if the server has no such path or another form of it. */
function ignoreStatus(error: unknown): undefined {
  const isAnswer =
    error instanceof ProviderError && (error.status !== undefined || error.failure === "invalid_reply");
  if (!isAnswer) throw error;
}

function fromModels({ data, models }: JsonObject, model: string): number | undefined {
  const listed = [data, models].flatMap((list) => (Array.isArray(list) ? list.filter(isJsonObject) : []));
  const named = listed.filter((entry) => [entry.id, entry.name, entry.model].includes(model));
  const sizes = (named.length > 0 ? named : listed.length === 1 ? listed : []).map(sizeOf);
  return sizes.find((size) => size !== undefined);
}

function sizeOf(entry: JsonObject): number | undefined {
  const { meta } = entry;
  const served = isJsonObject(meta) ? tokensOf(meta.n_ctx) : undefined;
  return served ?? FIELDS.map((field) => tokensOf(entry[field])).find((size) => size !== undefined);
}

function fromSettings({ default_generation_settings: settings }: JsonObject): number | undefined {
  return isJsonObject(settings) ? tokensOf(settings.n_ctx) : undefined;
}
