import { type ChatModel, openaiChatModel } from "@membus/agentic";
import { ensureNatsServer } from "@membus/nats-server";
import { withBus, withFolder } from "./demo/with-bus.js";

/** Where an example takes place. */
export interface Place {
  /** Where the bus is. */
  readonly servers: string;
  /** For files; gone afterwards. */
  readonly folder: string;
}

/** What an example works with that asks a model. */
export interface Setting extends Place {
  readonly model: ChatModel;
}

const MODEL_HELP = `No model is set. For a server that speaks OpenAI's chat completions, such as Ollama:
  OPENAI_BASE_URL=http://127.0.0.1:11434/v1 OPENAI_MODEL=qwen3:8b
for OpenAI itself:
  OPENAI_API_KEY=<your key> OPENAI_MODEL=<a chat model of OpenAI's>
Without any, answers are played from a script: npm run example -- assistant --scripted`;

/** The model that the environment names. @throws {TypeError} that says what to set. */
function modelOf({ OPENAI_BASE_URL, OPENAI_API_KEY, OPENAI_MODEL }: NodeJS.ProcessEnv): ChatModel {
  if (!OPENAI_MODEL || !(OPENAI_BASE_URL || OPENAI_API_KEY)) throw new TypeError(MODEL_HELP);
  return openaiChatModel({
    model: OPENAI_MODEL,
    baseUrl: OPENAI_BASE_URL || undefined,
    apiKey: OPENAI_API_KEY || undefined,
  });
}

/** Plays with the model of the environment. */
export async function withSetting(
  env: NodeJS.ProcessEnv,
  interrupted: Promise<never>,
  play: (setting: Setting) => Promise<void>,
): Promise<void> {
  const model = modelOf(env);
  await withPlace(env, interrupted, (place) => play({ ...place, model }));
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
