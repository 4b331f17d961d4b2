import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as FormerClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as FormerStdioTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as FormerHttpTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport as FormerTransport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ElicitRequestSchema, ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

/** "former": the revision of the SDK of 2025. */
export type Revision = "2026-07-28" | "2025-11-25" | "former";

export const REVISIONS: readonly Revision[] = ["2026-07-28", "2025-11-25", "former"];

export interface Called {
  readonly text: string;
  readonly structured: Record<string, unknown> | undefined;
  readonly isError: boolean;
}

export interface ListedTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: object;
  readonly outputSchema?: object | undefined;
  readonly annotations?: object | undefined;
}

/** Methods of a client in tests, with either SDK. */
export interface ConnectedClient {
  call(name: string, args?: Record<string, unknown>): Promise<Called>;
  tools(): Promise<readonly ListedTool[]>;
  resources(): Promise<readonly { readonly uri: string; readonly name: string }[]>;
  read(uri: string): Promise<string>;
  prompt(name: string, args: Record<string, string>): Promise<string>;
  /** Resolves after subscribing. `next` resolves with the next notification. */
  subscribe(...uris: string[]): Promise<{ next(): Promise<string> }>;
  close(): Promise<void>;
}

interface Command {
  readonly command: string;
  readonly args: string[];
  readonly cwd: string;
  readonly env: Record<string, string>;
}

type Agree = (question: string) => boolean;

const INFO = { name: "membus-test", version: "1.0.0" };

export async function connectStdio(
  revision: Revision,
  command: Command,
  agree?: Agree,
): Promise<ConnectedClient> {
  const quiet = { ...command, stderr: "ignore" as const };
  if (revision === "former") return connectFormer(new FormerStdioTransport(quiet), agree);
  const client = newClient(revision, agree);
  await client.connect(new StdioClientTransport(quiet));
  return connected(client, revision);
}

export async function connectHttp(
  revision: Revision,
  url: string,
  agree?: Agree,
  headers: Readonly<Record<string, string>> = {},
): Promise<ConnectedClient> {
  const settings = { requestInit: { headers } };
  if (revision === "former") {
    const transport = new FormerHttpTransport(new URL(url), settings);
    return connectFormer(transport as unknown as FormerTransport, agree);
  }
  const client = newClient(revision, agree);
  await client.connect(new StreamableHTTPClientTransport(new URL(url), settings));
  return connected(client, revision);
}

function newClient(revision: Revision, agree: Agree | undefined): Client {
  const mode = revision === "2026-07-28" ? { pin: revision } : "legacy";
  const capabilities = agree ? { elicitation: { form: {} } } : {};
  const client = new Client(INFO, { capabilities, versionNegotiation: { mode } });
  if (agree !== undefined) {
    client.setRequestHandler("elicitation/create", ({ params }) => agreement(params.message, agree));
  }
  return client;
}

async function connectFormer(transport: FormerTransport, agree: Agree | undefined): Promise<ConnectedClient> {
  const client = new FormerClient(INFO, { capabilities: agree ? { elicitation: {} } : {} });
  if (agree !== undefined) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => agreement(params.message, agree));
  }
  await client.connect(transport);
  const updates = new Updates();
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => updates.add(params.uri));
  return {
    ...common(client as unknown as Client),
    subscribe: async (...uris) => {
      for (const uri of uris) await client.subscribeResource({ uri });
      return updates;
    },
  };
}

function agreement(question: string, agree: Agree) {
  return { action: "accept" as const, content: { forget: agree(question) } };
}

function connected(client: Client, revision: Revision): ConnectedClient {
  const updates = new Updates();
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => updates.add(params.uri));
  const subscribe = async (...uris: string[]) => {
    if (revision === "2026-07-28") await client.listen({ resourceSubscriptions: uris });
    else for (const uri of uris) await client.subscribeResource({ uri });
    return updates;
  };
  return { ...common(client), subscribe };
}

/** Returns the methods that are equal in both SDKs. */
function common(client: Client): Omit<ConnectedClient, "subscribe"> {
  return {
    call: async (name, args = {}) => {
      const result = await client.callTool({ name, arguments: args });
      const [content] = result.content;
      return {
        text: content?.type === "text" ? content.text : "",
        structured: result.structuredContent as Record<string, unknown> | undefined,
        isError: result.isError === true,
      };
    },
    tools: async () => (await client.listTools()).tools as readonly ListedTool[],
    resources: async () => (await client.listResources()).resources,
    read: async (uri) =>
      (await client.readResource({ uri })).contents.map((each) => "text" in each && each.text).join(),
    prompt: async (name, args) => {
      const { messages } = await client.getPrompt({ name, arguments: args });
      return messages.map(({ content }) => (content.type === "text" ? content.text : "")).join();
    },
    close: () => client.close(),
  };
}

/** Notifications in order of arrival. */
class Updates {
  readonly #came: string[] = [];
  #wake: () => void = () => {};

  add(uri: string): void {
    this.#came.push(uri);
    this.#wake();
  }

  async next(): Promise<string> {
    while (this.#came.length === 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#came.shift()!;
  }
}
