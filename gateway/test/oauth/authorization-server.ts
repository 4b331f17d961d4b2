import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { get } from "node:https";
import type { AddressInfo } from "node:net";
import { json, text } from "node:stream/consumers";
import {
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  type JWTHeaderParameters,
  type JWTPayload,
  SignJWT,
} from "jose";

type Reply = readonly [status: number, body: object | string];
interface Consent {
  readonly query: URLSearchParams;
  readonly user: string;
}

/** A small OAuth authorization server that consents for its user. Clients are known by their metadata documents. */
export class AuthorizationServer {
  /** The user that consents. */
  user = "alice";
  /** Status of the key set. */
  keysStatus = 200;
  /** Replaces the scopes that a client asks for. */
  grantedScope: string | undefined;
  /** Replaces fields of the metadata. */
  metadata: object = {};
  /** Whether requests are not answered. */
  isSilent = false;
  /** Paths of all requests. */
  readonly requests: string[] = [];
  /** Scopes of all authorization requests. */
  readonly askedScopes: (string | null)[] = [];
  readonly #codes = new Map<string, Consent>();
  readonly #clientCa: string;
  #server: Server | undefined;
  #keys!: { readonly publicKey: CryptoKey; readonly privateKey: CryptoKey };
  #issuer = "";

  /** @param clientCa authority of the servers with metadata documents of clients. */
  constructor(clientCa = "") {
    this.#clientCa = clientCa;
  }

  get issuer(): string {
    return this.#issuer;
  }

  get publicKey(): CryptoKey {
    return this.#keys.publicKey;
  }

  async start(): Promise<void> {
    this.#keys = await generateKeyPair("ES256", { extractable: true });
    this.#server = createServer(async (request, response) => {
      const [status, body] = await this.#reply(request);
      if (this.isSilent) return;
      if (typeof body === "string") response.writeHead(status, { location: body }).end();
      else response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
    await once(this.#server.listen(0, "127.0.0.1"), "listening");
    this.#issuer = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server?.close();
    this.#server?.closeAllConnections();
  }

  /** Issues a token for `audience`. A claim that is undefined is left out. */
  issue(
    audience: string,
    claims: Readonly<Record<string, unknown>> = {},
    header: Partial<JWTHeaderParameters> = {},
  ): Promise<string> {
    const now = Math.floor(Date.now() / 1_000);
    const usual = {
      iss: this.#issuer,
      aud: audience,
      sub: this.user,
      iat: now,
      exp: now + 600,
      scope: "memory",
    };
    const signed = new SignJWT({ ...usual, ...claims } as JWTPayload);
    return signed
      .setProtectedHeader({ alg: "ES256", kid: "k1", typ: "at+jwt", ...header })
      .sign(this.#keys.privateKey);
  }

  async #reply(request: IncomingMessage): Promise<Reply> {
    const { pathname, searchParams } = new URL(request.url!, this.#issuer);
    this.requests.push(pathname);
    if (pathname === "/.well-known/oauth-authorization-server") return [200, this.#metadata()];
    if (pathname === "/keys")
      return [this.keysStatus, { keys: [{ ...(await exportJWK(this.publicKey)), kid: "k1" }] }];
    if (pathname === "/authorize") return this.#authorize(searchParams);
    if (pathname === "/token") return this.#exchange(new URLSearchParams(await text(request)));
    return [404, {}];
  }

  #metadata(): object {
    return {
      issuer: this.#issuer,
      jwks_uri: `${this.#issuer}/keys`,
      authorization_endpoint: `${this.#issuer}/authorize`,
      token_endpoint: `${this.#issuer}/token`,
      response_types_supported: ["code"],
      grant_types_supported: ["authorization_code"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none"],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
      ...this.metadata,
    };
  }

  /** Reads the metadata document of the client, and redirects only to an address in it. */
  async #authorize(query: URLSearchParams): Promise<Reply> {
    this.askedScopes.push(query.get("scope"));
    const clientId = query.get("client_id")!;
    const client = await this.#readClient(clientId);
    const redirectUri = query.get("redirect_uri")!;
    if (client.client_id !== clientId || !client.redirect_uris.includes(redirectUri)) {
      return [400, { error: "invalid_client" }];
    }
    if (query.get("code_challenge_method") !== "S256") return [400, { error: "invalid_request" }];
    const code = randomUUID();
    this.#codes.set(code, { query, user: this.user });
    const callback = new URL(redirectUri);
    callback.search = new URLSearchParams({
      code,
      state: query.get("state") ?? "",
      iss: this.#issuer,
    }).toString();
    return [302, callback.href];
  }

  async #readClient(url: string) {
    const [response] = (await once(get(url, { ca: this.#clientCa }), "response")) as [IncomingMessage];
    return (await json(response)) as {
      readonly client_id: string;
      readonly redirect_uris: readonly string[];
    };
  }

  async #exchange(form: URLSearchParams): Promise<Reply> {
    const code = form.get("code") ?? "";
    const consent = this.#codes.get(code);
    this.#codes.delete(code);
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const isSame = (name: string) => consent?.query.get(name) === form.get(name);
    if (
      consent?.query.get("code_challenge") !== challenge ||
      !["client_id", "redirect_uri", "resource"].every(isSame)
    ) {
      return [400, { error: "invalid_grant" }];
    }
    const scope = this.grantedScope ?? consent.query.get("scope") ?? "";
    const token = await this.issue(form.get("resource")!, { sub: consent.user, scope });
    return [200, { access_token: token, token_type: "Bearer", expires_in: 600, scope }];
  }
}
