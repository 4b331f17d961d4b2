import { once } from "node:events";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as FormerClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as FormerTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { generate } from "selfsigned";
import type { Revision } from "../../../integrations/mcp/test/mcp-clients.js";

const INFO = { name: "membus-test", version: "1.0.0" };
const REDIRECT_URL = "http://127.0.0.1:9/callback";

/** Serves the metadata document of a client at an https URL, which is the client's id. */
export class ClientDocument {
  readonly metadata = {
    client_name: "membus test",
    redirect_uris: [REDIRECT_URL],
    token_endpoint_auth_method: "none",
  };
  #server: Server | undefined;
  #authority = "";
  #url = "";

  get url(): string {
    return this.#url;
  }

  /** Certificate of the server. */
  get authority(): string {
    return this.#authority;
  }

  async start(): Promise<void> {
    const pems = await generate([{ name: "commonName", value: "client" }], {
      ...{ keyType: "ec", algorithm: "sha256" },
      extensions: [{ name: "subjectAltName", altNames: [{ type: 7, ip: "127.0.0.1" }] }],
    });
    this.#authority = pems.cert;
    const document = () => JSON.stringify({ client_id: this.#url, ...this.metadata });
    this.#server = createServer({ key: pems.private, cert: pems.cert }, (_, response) =>
      response.end(document()),
    );
    await once(this.#server.listen(0, "127.0.0.1"), "listening");
    this.#url = `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}/client.json`;
  }

  async stop(): Promise<void> {
    this.#server?.close();
    this.#server?.closeAllConnections();
  }
}

/** The OAuth part of a client. Its user follows the redirect at once. */
class Consenting {
  readonly redirectUrl = REDIRECT_URL;
  readonly clientMetadataUrl: string;
  readonly clientMetadata;
  /** The callback of the authorization server. */
  callback = new URLSearchParams();
  authorization: URL | undefined;
  readonly #saved = new Map<string, unknown>();

  constructor({ url, metadata }: ClientDocument) {
    this.clientMetadataUrl = url;
    this.clientMetadata = metadata;
  }

  readonly clientInformation = () => this.#saved.get("client") as never;
  readonly saveClientInformation = (client: object) => void this.#saved.set("client", client);
  readonly tokens = () => this.#saved.get("tokens") as never;
  readonly saveTokens = (tokens: object) => void this.#saved.set("tokens", tokens);
  readonly codeVerifier = () => this.#saved.get("verifier") as string;
  readonly saveCodeVerifier = (verifier: string) => void this.#saved.set("verifier", verifier);
  readonly discoveryState = () => this.#saved.get("discovery") as never;
  readonly saveDiscoveryState = (state: object) => void this.#saved.set("discovery", state);
  readonly redirectToAuthorization = async (url: URL) => {
    this.authorization = url;
    const { headers } = await fetch(url, { redirect: "manual" });
    this.callback = new URL(headers.get("location")!).searchParams;
  };
}

function sdkOf(revision: Revision) {
  if (revision === "former") return { client: () => new FormerClient(INFO), Transport: FormerTransport };
  const mode = revision === "2026-07-28" ? { pin: revision } : "legacy";
  const client = () => new Client(INFO, { versionNegotiation: { mode } });
  return { client, Transport: StreamableHTTPClientTransport };
}

/** Connects to a server that needs an access token, and returns the client and the authorization request. */
export async function connectWithConsent(revision: Revision, url: string, document: ClientDocument) {
  const authProvider = new Consenting(document);
  const sdk = sdkOf(revision);
  const transport = () => new sdk.Transport(new URL(url), { authProvider });
  const first = transport();
  const refusal = await sdk
    .client()
    .connect(first as never)
    .then(
      () => undefined,
      (error: Error) => error,
    );
  await first.finishAuth(
    (revision === "former" ? authProvider.callback.get("code") : authProvider.callback) as never,
  );
  const client = sdk.client() as Client;
  await client.connect(transport() as never);
  return { client, refusal, authorization: authProvider.authorization!.searchParams };
}
