import { type Clock, systemClock } from "@membus/protocol";
import { OpenAiClient, type OpenAiClientOptions, ProviderError } from "../src/index.js";
import { startProvider } from "./provider-fixture.js";
import type { Answer } from "./provider-server.js";

const untilStopped = new AbortController().signal;

/** Starts a client without retries and its real server, which ends with the test. */
export async function startClient(
  answer: Answer,
  options: Partial<OpenAiClientOptions> = {},
  dependencies: { readonly clock?: Clock; readonly fetch?: typeof fetch } = {},
) {
  const { server, logger } = await startProvider(answer);
  const client = new OpenAiClient(
    {
      provider: "the server",
      component: "test",
      baseUrl: server.baseUrl,
      apiKey: "",
      retryCountMax: 0,
      responseBytesMax: 1_000_000,
      ...options,
    },
    { clock: systemClock, logger, ...dependencies },
  );
  const post = (signal = untilStopped) => client.post("/echo", { input: ["a"] }, signal);
  const stream = (signal = untilStopped) => client.stream("/echo", { input: ["a"] }, signal);
  return { server, logger, client, post, stream };
}

/** Returns the `ProviderError` that `promise` rejects with. Anything else fails the test. */
export async function providerErrorOf(promise: Promise<unknown>): Promise<ProviderError> {
  const error: unknown = await promise.then(
    () => new Error("resolved"),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ProviderError)) throw error;
  return error;
}
