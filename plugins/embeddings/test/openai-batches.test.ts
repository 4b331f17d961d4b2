import { expect, it } from "vitest";
import { memoryErrorOf } from "../../../openai-client/test/provider-fixture.js";
import { echo, replyBody } from "../../../openai-client/test/provider-server.js";
import { startOpenAi } from "./openai-fixture.js";

const texts = Array.from({ length: 30 }, (_, i) => "x".repeat(i + 1));

it("splits many texts into batches and joins the vectors in order", async () => {
  const { server, embedder } = await startOpenAi(echo, { batchSize: 7 });
  const vectors = await embedder.embed(texts, "document");
  expect(server.requests.map(({ body }) => body.input.length).sort((a, b) => a - b)).toEqual([2, 7, 7, 7, 7]);
  // The server's vector is (length, 1, 0), so the quotient identifies the text.
  expect(vectors.map((vector) => Math.round(vector![0]! / vector![1]!))).toEqual(
    texts.map((text) => text.length),
  );
});

it("keeps batches below the byte limit and sends a longer text in its own request", async () => {
  const { server, embedder } = await startOpenAi(echo, { batchBytesMax: 10, concurrencyMax: 1 });
  await embedder.embed(["12345", "éé", "6", "7", "x".repeat(20), "8"], "document");
  expect(server.requests.map(({ body }) => body.input)).toEqual([
    ["12345", "éé", "6"],
    ["7"],
    ["x".repeat(20)],
    ["8"],
  ]);
});

it("refuses a text over the byte limit without sending anything", async () => {
  const { server, embedder } = await startOpenAi(echo, { textBytesMax: 8, documentPrefix: "d: " });
  const error = await memoryErrorOf(embedder.embed(["short", "éééé"], "document"));
  expect(error.code).toBe("too_large");
  expect(error.detail).toEqual({ limit: "text", max: 8, got: 11, index: 1 });
  expect(await embedder.embed(["éééé"], "query")).toHaveLength(1);
  expect(server.requests.length).toBe(1);
});

it("never exceeds the number of concurrent requests over all calls", async () => {
  let open = 0;
  let most = 0;
  const { server, embedder } = await startOpenAi(
    async ({ body }) => {
      open += 1;
      most = Math.max(most, open);
      await new Promise((resolve) => setTimeout(resolve, 5));
      open -= 1;
      return { body: replyBody(body.input.map(() => [1, 0, 0])) };
    },
    { batchSize: 1, concurrencyMax: 3 },
  );
  await Promise.all([embedder.embed(texts, "document"), embedder.embed(texts, "query")]);
  expect(server.requests.length).toBe(60);
  expect(most).toBe(3);
});

it("aborts the other batches when one fails", async () => {
  const { server, embedder } = await startOpenAi(
    (_request, attempt) => (attempt === 2 ? { status: 400 } : { body: replyBody([[1, 0, 0]]) }),
    { batchSize: 1, concurrencyMax: 1 },
  );
  expect((await memoryErrorOf(embedder.embed(texts, "document"))).code).toBe("schema_violation");
  expect(await embedder.embed(["again"], "query")).toEqual([Float32Array.of(1, 0, 0)]);
  expect(server.requests.length).toBe(3);
});

it("does not make Node warn about listener leaks", async () => {
  const warnings: Error[] = [];
  const collect = (warning: Error) => warnings.push(warning);
  process.on("warning", collect);
  const { embedder } = await startOpenAi(echo, { batchSize: 1, concurrencyMax: 64 });
  await embedder.embed(texts, "document");
  await embedder.embed(texts, "document", { signal: new AbortController().signal });
  await new Promise((resolve) => setImmediate(resolve));
  process.off("warning", collect);
  expect(warnings).toEqual([]);
});
