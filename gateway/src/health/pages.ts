import type { ServerResponse } from "node:http";

/** What is asked when somebody asks. */
export interface HealthSources {
  /** Why requests are not served, if they are not. */
  notReady(): Promise<string | undefined>;
  readonly figuresType: string;
  figures(): Promise<string>;
}

export interface Page {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** By path: whether the process lives, whether it serves, and its figures as Prometheus reads them. */
export function healthPages(sources: HealthSources): ReadonlyMap<string, () => Promise<Page>> {
  return new Map<string, () => Promise<Page>>([
    ["/healthz", async () => textPage(200, "ok")],
    [
      "/readyz",
      async () => {
        const problem = await sources.notReady();
        return textPage(problem === undefined ? 200 : 503, problem ?? "ok");
      },
    ],
    ["/metrics", async () => ({ status: 200, type: sources.figuresType, body: await sources.figures() })],
  ]);
}

export function textPage(status: number, text: string): Page {
  return { status, type: "text/plain", body: `${text}\n` };
}

export function answerPage(response: ServerResponse, { status, type, body }: Page): void {
  const headers = { "content-type": type, "content-length": Buffer.byteLength(body) };
  response.writeHead(status, { ...headers, "cache-control": "no-store" }).end(body);
}
