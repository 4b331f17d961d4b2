import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { type AgentName, type HookDependencies, runHook } from "../../src/index.js";

const RELAY = fileURLToPath(new URL("./relay.js", import.meta.url));

/** A command that answers hooks in the process of the test, because a new `membus hook` takes longer to start. */
export class HookRelay {
  readonly #server: Server;

  constructor(agent: AgentName, dependencies: HookDependencies) {
    const answer = async (socket: Socket) => {
      const chunks: Buffer[] = [];
      // A loop over the socket would close it before the answer.
      socket.on("data", (chunk) => chunks.push(chunk));
      await once(socket, "end");
      const payload = JSON.parse(Buffer.concat(chunks).toString()) as unknown;
      // A failure is a message in the answer, as `membus hook` prints it.
      const given = await runHook(agent, payload, dependencies, { recallTimeoutMs: 10_000 }).catch(
        (error: Error) => ({ systemMessage: `membus: ${error.message}` }),
      );
      socket.end(JSON.stringify(given));
    };
    this.#server = createServer({ allowHalfOpen: true }, (socket) => void answer(socket));
  }

  /** Listens on a free port. Returns the command. */
  async start(): Promise<[string, ...string[]]> {
    await once(this.#server.listen(0, "127.0.0.1"), "listening");
    const { port } = this.#server.address() as AddressInfo;
    return [process.execPath, RELAY, String(port)];
  }

  async stop(): Promise<void> {
    this.#server.close();
    await once(this.#server, "close");
  }
}
