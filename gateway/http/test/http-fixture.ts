import { connect, type Socket } from "node:net";
import { systemClock } from "@membus/protocol";
import {
  createApp,
  type EndedRequest,
  type HttpApp,
  type HttpServer,
  listen,
  RequestTracker,
} from "../src/index.js";

/** A server on a free port. The test adds its routes. */
export class HttpFixture {
  readonly ended: EndedRequest[] = [];
  readonly tracker = new RequestTracker(systemClock, (ended) => this.ended.push(ended));
  #server: HttpServer | undefined;

  get url(): string {
    return this.#server!.url;
  }

  async start(addRoutes: (app: HttpApp) => void): Promise<void> {
    const app = createApp();
    app.use(this.tracker.middleware);
    addRoutes(app);
    this.#server = await listen(app, { host: "127.0.0.1", port: 0, connectionsMax: 100, limits: {} });
  }

  /** Sends `GET /` on a separate connection. */
  get(path = "/"): Socket {
    const socket = connect(Number(new URL(this.url).port), "127.0.0.1").on("error", () => {});
    socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`);
    return socket;
  }

  stop(drain?: () => Promise<unknown>): Promise<void> {
    return this.#server!.close(drain);
  }
}

/** Everything that the server sends until it closes the connection. */
export async function textOf(socket: Socket): Promise<string> {
  let text = "";
  for await (const chunk of socket.setEncoding("latin1")) text += chunk;
  return text;
}
