import { type ChatModel, openaiChatModel } from "@membus/agentic";
import { ensureNatsServer } from "@membus/nats-server";
import { withBus, withFolder } from "./demo/with-bus.js";

/** Where a model is reached, and by which name. */
export interface Endpoint {
  readonly model: string;
  /** Absent: the provider's own. */
  readonly baseUrl: string | undefined;
  readonly apiKey: string | undefined;
}

/** Whose API a model speaks. */
export type Api = "openai" | "anthropic";

export interface Example {
  readonly api: Api;
  play(setting: Setting): Promise<void>;
}

/** What an example works with that asks a model. */
export interface Setting extends Place {
  readonly endpoint: Endpoint;
  /** The same model, where it speaks OpenAI's API. */
  readonly model: ChatModel;
}

/** Where an example takes place. */
export interface Place {
  /** Where the bus is. */
  readonly servers: string;
  /** For files; gone afterwards. */
  readonly folder: string;
}

const MODEL_HELP: Readonly<Record<Api, string>> = {
  openai: `No model is set. For a server that speaks OpenAI's chat completions, such as Ollama:
  OPENAI_BASE_URL=http://127.0.0.1:11434/v1 OPENAI_MODEL=qwen3:8b
for OpenAI itself:
  OPENAI_API_KEY=<your key> OPENAI_MODEL=<a chat model of OpenAI's>
Without any, answers are played from a script: npm run example -- assistant --scripted`,
  anthropic: `No model is set. For Anthropic:
  ANTHROPIC_API_KEY=<your key> ANTHROPIC_MODEL=<a model of Anthropic's>
Without any, answers are played from a script: npm run example -- memory-tool --scripted`,
};

/** The model that the environment names. @throws {TypeError} that says what to set. */
function endpointOf(env: NodeJS.ProcessEnv, api: Api): Endpoint {
  const settingOf = (name: string) => env[`${api.toUpperCase()}_${name}`] || undefined;
  const [model, baseUrl, apiKey] = ["MODEL", "BASE_URL", "API_KEY"].map(settingOf);
  if (model === undefined || (baseUrl ?? apiKey) === undefined) throw new TypeError(MODEL_HELP[api]);
  return { model, baseUrl, apiKey };
}

/** Plays with the model of the environment. */
export async function withSetting(
  env: NodeJS.ProcessEnv,
  interrupted: Promise<never>,
  { api, play }: Example,
): Promise<void> {
  const endpoint = endpointOf(env, api);
  const model = openaiChatModel(endpoint);
  await withPlace(env, interrupted, (place) => play({ ...place, endpoint, model }));
}

/** Plays on the bus of NATS_URL; without it on one of its own, which ends with the play. */
export async function withPlace(
  env: NodeJS.ProcessEnv,
  interrupted: Promise<never>,
  play: (place: Place) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    if (env.NATS_URL) {
      await Promise.race([play({ servers: env.NATS_URL, folder }), interrupted]);
      return;
    }
    const explicitPath = env.MEMBUS_NATS_SERVER || undefined;
    const obtaining = ensureNatsServer({ explicitPath, env, onStep: (step) => console.error(step) });
    const { path } = await Promise.race([obtaining, interrupted]);
    await withBus(path, interrupted, ({ server, host }) => {
      console.log(`nats-server at ${server.url}: process ${server.pid}; host: process ${host.pid}`);
      return play({ servers: server.url, folder });
    });
  });
}
