import OpenAI from "openai";
import type { ScriptedOpenAi } from "../../agentic/test/scripted-openai/index.js";
import { GatewayFixture } from "./gateway-fixture.js";
import { startRememberingModel } from "./remembering-model.js";

export const TOLD = "I live in Lisbon";
export const ASKED = "In which city do I live?";

/** A gateway with a model that knows the user's city only from recalled memories. */
export class RememberingGateway extends GatewayFixture {
  #model: ScriptedOpenAi | undefined;
  #url = "";

  get model(): ScriptedOpenAi {
    return this.#model!;
  }

  override async start(): Promise<void> {
    await super.start();
    this.#model = await startRememberingModel();
    ({ url: this.#url } = await this.gateway({ openai: { upstream: this.#model.baseUrl } }));
  }

  client(headers: Readonly<Record<string, string>> = {}): OpenAI {
    const baseURL = `${this.#url}/v1`;
    return new OpenAI({ apiKey: "sk-test", baseURL, defaultHeaders: headers, maxRetries: 0 });
  }

  override async stop(): Promise<void> {
    await this.#model?.stop();
    await super.stop();
  }
}
