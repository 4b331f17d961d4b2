import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

/** Everything that a page finds out about a server with OAuth. */
export interface WebClientReport {
  readonly challenge: string | null;
  readonly resource: unknown;
  readonly tools: number;
}

declare global {
  var useMcp: (url: string, token: string) => Promise<WebClientReport>;
}

/** Runs in a web page: reads the refusal and the metadata, then uses the SDK. */
globalThis.useMcp = async (url, token) => {
  const refused = await fetch(url, {
    ...{ method: "POST", body: "{}" },
    headers: { "content-type": "application/json", "mcp-protocol-version": "2026-07-28" },
  });
  const challenge = refused.headers.get("www-authenticate");
  const [, metadataUrl = ""] = /resource_metadata="([^"]+)"/.exec(challenge ?? "") ?? [];
  const metadata = await fetch(metadataUrl, { headers: { "mcp-protocol-version": "2026-07-28" } });
  const { resource } = (await metadata.json()) as { readonly resource: unknown };
  const client = new Client(
    { name: "page", version: "1.0.0" },
    { versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  const { tools } = await client.listTools();
  // Resolves when the stream is open.
  await client.listen({ resourcesListChanged: true });
  await client.close();
  return { challenge, resource, tools: tools.length };
};
