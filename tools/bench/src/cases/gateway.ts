import { Agent, get, request } from "node:http";
import { join } from "node:path";
import { MemoryClient } from "@membus/agent-client";
import { sampleEntries } from "../harness/dataset.js";
import type { BenchEnvironment } from "../harness/environment.js";
import { pairs, runLoad } from "../harness/load.js";
import { rateRatio } from "../harness/load-ratio.js";
import type { BenchResult } from "../harness/result.js";

const STORES = 4_000;
const IN_FLIGHT = 32;
const ROUNDS = 5;

let ids = 0;

/**
 * Measures single A2E stores over HTTP, each waiting for its reply on the stream, against stores over NATS.
 */
export async function benchGateway(environment: BenchEnvironment): Promise<BenchResult[]> {
  await environment.startHost({ name: "gateway" });
  const data = join(environment.directory, "gateway-sessions");
  const started = await environment.startCommand([
    "gateway",
    "--listen",
    "127.0.0.1:0",
    "--data",
    data,
    "--json",
  ]);
  const { url } = JSON.parse(started) as { url: string };
  const contents = sampleEntries(STORES).map(({ content }) => content);
  const session = await openSession(url);
  const client = await MemoryClient.connect({ servers: environment.url, agent: "nats" });
  const measure = async (tier: "working" | "episodic") => {
    const entry = (at: number) => ({ key: { id: `entry ${++ids}` }, content: contents[at]!, tier });
    const overHttp = () =>
      runLoad(STORES, IN_FLIGHT, async (at) => {
        const reply = await session.ask({ type: "memory/store/req", entries: [entry(at)] });
        if (reply.stored?.length !== 1) throw new Error(`not stored: ${JSON.stringify(reply)}`);
      });
    const overNats = () =>
      runLoad(STORES, IN_FLIGHT, async (at) => {
        await client.store(entry(at));
      });
    await overHttp();
    await overNats();
    return pairs(ROUNDS, overHttp, overNats);
  };
  const title = "A2E stores over HTTP, 32 in flight, relative to NATS";
  const results = [
    rateRatio("gateway-x32", await measure("episodic"), { title, goal: 0.3 }),
    rateRatio("gateway-x32-working", await measure("working"), { title: "the same in the working tier" }),
  ];
  await client.close();
  session.close();
  return results;
}

interface Reply {
  readonly req_id?: string;
  readonly memory_id?: string;
  readonly stored?: readonly unknown[];
}

async function openSession(url: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: IN_FLIGHT });
  const { session_id } = JSON.parse(await post(`${url}/session`, "", { agent })) as { session_id: string };
  const headers = { "x-session-id": session_id, "content-type": "text/plain" };
  const waiting = new Map<string, (reply: Reply) => void>();
  let memory_id = "";
  const stream = get(`${url}/stream`, { headers, agent: false }, (response) => {
    let text = "";
    response.setEncoding("utf8").on("data", (chunk: string) => {
      const events = (text + chunk).split("\n\n");
      text = events.pop()!;
      for (const event of events) {
        if (!event.startsWith("data: ")) continue;
        const reply = JSON.parse(event.replaceAll(/^data: /gm, "")) as Reply;
        waiting.get(reply.req_id ?? "")?.(reply);
        waiting.delete(reply.req_id ?? "");
      }
    });
    response.on("error", () => {});
  });
  stream.on("error", () => {});
  const ask = (message: object): Promise<Reply> => {
    const id = `message-${++ids}`;
    return new Promise((resolve, reject) => {
      waiting.set(id, resolve);
      post(`${url}/send`, JSON.stringify({ id, version: "1.0", memory_id, ...message }), {
        agent,
        headers,
      }).catch(reject);
    });
  };
  await ask({ type: "handshake/req", agent_id: "http", agent_caps: ["memory"], auth_token: "" });
  ({ memory_id = "" } = await ask({ type: "memory/init/req", namespace: "default" }));
  const close = () => {
    stream.destroy();
    agent.destroy();
  };
  return { ask, close };
}

function post(
  url: string,
  body: string,
  options: { readonly agent: Agent; readonly headers?: object },
): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { ...options.headers, "content-length": Buffer.byteLength(body) };
    const posted = request(url, { method: "POST", agent: options.agent, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve(text));
    });
    posted.on("error", reject).end(body);
  });
}
