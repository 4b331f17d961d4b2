import { type ChatModel, openaiChatModel } from "@membus/agentic";
import { ensureNatsServer } from "@membus/nats-server";
import { withBus, withFolder } from "./demo/with-bus.js";

/** A model and its server. */
export interface Endpoint {
  readonly model: string;
  /** Undefined for the URL of the provider. */
  readonly baseUrl: string | undefined;
  readonly apiKey: string | undefined;
}

/** API of a model. */
export type Api = "openai" | "anthropic";

export interface Example {
  readonly api: Api;
  play(setting: Setting): Promise<void>;
}

/** Environment of an example with a model. */
export interface Setting extends Environment {
  readonly endpoint: Endpoint;
  /** The same model as a client of OpenAI's API. */
  readonly model: ChatModel;
}

/** Environment of an example. */
export interface Environment {
  /** Address of the bus. */
  readonly servers: string;
  /** Temporary folder, removed afterwards. */
  readonly folder: string;
}

const MODEL_HELP: Readonly<Record<Api, string>> = {
  openai: `No model is set. For a server with the OpenAI chat completions API, such as Ollama:
  OPENAI_BASE_URL=http://127.0.0.1:11434/v1 OPENAI_MODEL=qwen3:8b
For OpenAI:
  OPENAI_API_KEY=<your key> OPENAI_MODEL=<an OpenAI chat model>
Without a model, use scripted answers: npm run example -- assistant --scripted`,
  anthropic: `No model is set. For Anthropic:
  ANTHROPIC_API_KEY=<your key> ANTHROPIC_MODEL=<an Anthropic model>
Without a model, use scripted answers: npm run example -- memory-tool --scripted`,
};

/**
 * Returns the model configured in the environment.
 *
 * @throws {TypeError} with the variables to set, if there is none.
 */
function endpointOf(env: NodeJS.ProcessEnv, api: Api): Endpoint {
  const settingOf = (name: string) => env[`${api.toUpperCase()}_${name}`] || undefined;
  const [model, baseUrl, apiKey] = ["MODEL", "BASE_URL", "API_KEY"].map(settingOf);
  if (model === undefined || (baseUrl ?? apiKey) === undefined) throw new TypeError(MODEL_HELP[api]);
  return { model, baseUrl, apiKey };
}

/** Runs an example with the model configured in the environment. */
export async function withModel(
  env: NodeJS.ProcessEnv,
  interrupted: Promise<never>,
  { api, play }: Example,
): Promise<void> {
  const endpoint = endpointOf(env, api);
  const model = openaiChatModel(endpoint);
  await withEnvironment(env, interrupted, (environment) => play({ ...environment, endpoint, model }));
}

/** Runs an example on the bus at NATS_URL, or on a temporary bus. */
export async function withEnvironment(
  env: NodeJS.ProcessEnv,
  interrupted: Promise<never>,
  play: (environment: Environment) => Promise<void>,
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
