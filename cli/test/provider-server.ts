import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

interface ProviderRequest {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly input: string[];
  readonly documents: string[];
}

/** Starts a provider on loopback with scripted responses. It stops with the test. */
export async function startProvider(
  answer: (requests: ProviderRequest) => { status?: number; body: unknown },
) {
  const requests: ProviderRequest[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { authorization } = request.headers;
    const fields = JSON.parse(Buffer.concat(chunks).toString()) as Pick<
      ProviderRequest,
      "input" | "documents"
    >;
    requests.push({ path: request.url ?? "", authorization, ...fields });
    const { status = 200, body } = answer(requests.at(-1)!);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, requests };
}
