import { connectNatsBus, type NatsBus } from "@membus/bus";
import { Gateway } from "@membus/gateway";
import { systemClock } from "@membus/protocol";
import OpenAI from "openai";
import { ScriptedOpenAi } from "../../../../agentic/test/scripted-openai/index.js";
import { RecordingLogger } from "../../../../bus/test/recording-logger.js";
import { A2eClient } from "../../../../gateway/test/a2e-client.js";
import { NAMESPACES, type Program } from "./program.js";

/** Programs that use a gateway: an OpenAI client and an A2E client. */
export class GatewayPrograms {
  readonly #agent: string;
  #bus: NatsBus | undefined;
  #gateway: Gateway | undefined;
  #model: ScriptedOpenAi | undefined;
  #a2e: A2eClient | undefined;
  #url = "";

  constructor(agent: string) {
    this.#agent = agent;
  }

  async start(servers: string, sessions: string): Promise<void> {
    const logger = new RecordingLogger();
    this.#bus = await connectNatsBus({ servers }, { logger, clock: systemClock });
    this.#model = await ScriptedOpenAi.start(() => ({ text: "Noted." }));
    const openai = { upstream: this.#model.baseUrl, agent: this.#agent, memoryTimeoutMs: 60_000 };
    this.#gateway = new Gateway({ bus: this.#bus, sessions, logger }, { port: 0, openai });
    this.#url = await this.#gateway.start();
    this.#a2e = await A2eClient.create(this.#url);
    await this.#a2e.openStream(this.#url);
    await this.#a2e.handshake(this.#url, { agent_id: this.#agent });
  }

  async stop(): Promise<void> {
    this.#a2e?.breakStream();
    await this.#gateway?.stop();
    await this.#model?.stop();
    await this.#bus?.close();
  }

  get programs(): Program[] {
    return [
      {
        name: "OpenAI's client behind the gateway",
        kept: "facts",
        write: async (text) => void (await this.#say(text)),
        find: (question) => this.#say(question),
      },
      {
        name: "a client of A2E",
        kept: "clients",
        write: async (text) => {
          for (const namespace of NAMESPACES) {
            const entries = [{ key: { fact: text }, content: { text }, tier: "episodic" }];
            await this.#ask("memory/store/req", namespace, { entries });
          }
        },
        find: (query, namespace) => this.#ask("memory/retrieve/req", namespace, { query }),
      },
    ];
  }

  /** Returns the memories that the gateway added to the prompt. */
  async #say(content: string): Promise<unknown> {
    this.#model!.play(() => ({ text: "Noted." }));
    const client = new OpenAI({ apiKey: "sk-test", baseURL: `${this.#url}/v1`, maxRetries: 0 });
    const messages = [{ role: "user" as const, content }];
    await client.chat.completions.create({ model: "scripted", messages, user: "ada" });
    return this.#model!.requests[0]!.body.messages.filter(({ role }) => role === "system");
  }

  async #ask(type: string, namespace: string, message: object): Promise<unknown> {
    const memory_id = await this.#a2e!.init(this.#url, namespace);
    const reply = await this.#a2e!.ask(this.#url, { type, memory_id, ...message });
    if (reply.type === "error") throw new Error(JSON.stringify(reply));
    return reply;
  }
}
