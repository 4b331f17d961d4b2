import { inspect } from "node:util";
import { expect, it } from "vitest";
import { memoryErrorOf } from "../../../openai-client/test/provider-fixture.js";
import { echo, replyBody } from "../../../openai-client/test/provider-server.js";
import { startOpenAi } from "./openai-fixture.js";

it("sends one request for a few texts, with the model and the float format", async () => {
  const { server, embedder } = await startOpenAi(echo, { apiKey: "sk-test" });
  await embedder.embed(["four", "sixsix"], "document");
  expect(server.requests.length).toBe(1);
  expect(server.requests[0]!.path).toBe("/v1/embeddings");
  expect(server.requests[0]!.body).toEqual({
    model: "m",
    input: ["four", "sixsix"],
    encoding_format: "float",
  });
  expect(server.requests[0]!.headers.authorization).toBe("Bearer sk-test");
});

it("returns vectors of length 1 in the order of the texts", async () => {
  const { embedder } = await startOpenAi(() => ({
    body: replyBody([
      [3, 4, 0],
      [0, 0, 2],
    ]),
  }));
  const vectors = await embedder.embed(["a", "b"], "query");
  expect(vectors).toEqual([Float32Array.of(0.6, 0.8, 0), Float32Array.of(0, 0, 1)]);
});

it("orders a shuffled reply by its index", async () => {
  const data = [
    { index: 2, embedding: [0, 0, 1] },
    { index: 0, embedding: [1, 0, 0] },
    { index: 1, embedding: [0, 1, 0] },
  ];
  const { embedder } = await startOpenAi(() => ({ body: { data } }));
  const vectors = await embedder.embed(["a", "b", "c"], "document");
  expect(vectors).toEqual([Float32Array.of(1, 0, 0), Float32Array.of(0, 1, 0), Float32Array.of(0, 0, 1)]);
});

it("returns null for a blank text, which is not sent, and for a vector of zeros", async () => {
  const { server, embedder } = await startOpenAi(() => ({ body: replyBody([[0, 0, 0]]) }));
  expect(await embedder.embed(["", "a", " \n"], "document")).toEqual([null, null, null]);
  expect(server.requests[0]!.body.input).toEqual(["a"]);
});

it("sends nothing if there is nothing to embed", async () => {
  const { server, embedder } = await startOpenAi(echo);
  expect(await embedder.embed([], "document")).toEqual([]);
  expect(await embedder.embed([" "], "document")).toEqual([null]);
  expect(server.requests.length).toBe(0);
});

it("adds the prefix of the kind to each text", async () => {
  const { server, embedder } = await startOpenAi(echo, { queryPrefix: "q: ", documentPrefix: "d: " });
  await embedder.embed(["tea"], "query");
  await embedder.embed(["tea"], "document");
  expect(server.requests.map(({ body }) => body.input)).toEqual([["q: tea"], ["d: tea"]]);
});

it("requests shortened vectors only if configured", async () => {
  const { server, embedder } = await startOpenAi(echo, { requestDimensions: true });
  await embedder.embed(["tea"], "query");
  expect(server.requests[0]!.body.dimensions).toBe(3);
});

it("retries a failed attempt twice, unless the provider requires a pause of more than 8 seconds", async () => {
  const soon = await startOpenAi((request, attempt) =>
    attempt < 3 ? { status: 503, headers: { "retry-after-ms": "1" } } : echo(request, attempt),
  );
  expect(await soon.embedder.embed(["a"], "query")).toHaveLength(1);
  expect(soon.server.requests).toHaveLength(3);
  const late = await startOpenAi(() => ({ status: 503, headers: { "retry-after-ms": "8001" } }));
  await memoryErrorOf(late.embedder.embed(["a"], "query"));
  expect(late.server.requests).toHaveLength(1);
});

it("keeps the key and the texts out of errors, the log and its properties", async () => {
  const apiKey = "sk-very-secret-0123456789";
  const { embedder, logger } = await startOpenAi(({ headers }) => ({ body: String(headers.authorization) }), {
    apiKey,
  });
  const error = await memoryErrorOf(embedder.embed(["the cat is called Tom"], "query"));
  expect(error.code).toBe("runtime_error");
  expect(inspect([error, embedder], { depth: 20, showHidden: true })).not.toMatch(/very-secret|Tom/);
  expect(logger.lines).toEqual([expect.stringContaining('"component":"embedder"')]);
  expect(logger.lines[0]).not.toMatch(/very-secret|Tom/);
});

it("names model, dimensions and prefixes in its id", async () => {
  const plain = await startOpenAi(echo, { model: "bge-m3" });
  const prefixed = await startOpenAi(echo, { model: "bge-m3", queryPrefix: "q: " });
  const other = await startOpenAi(echo, { model: "bge-m3", documentPrefix: "q: " });
  expect(plain.embedder.id).toBe("openai/bge-m3/3");
  expect(prefixed.embedder.id).toBe("openai/bge-m3/3/21919d87");
  expect(other.embedder.id).not.toBe(prefixed.embedder.id);
  expect(plain.embedder.dimensions).toBe(3);
});
