import { expect, it } from "vitest";
import { echo } from "../../../openai-client/test/provider-server.js";
import { startOpenAi } from "./openai-fixture.js";

const reason = new Error("no longer wanted");

it("rejects with the signal's reason while waiting for an answer", async () => {
  const abort = new AbortController();
  const { server, embedder } = await startOpenAi(() => {
    setImmediate(() => abort.abort(reason));
    return { hang: "before-headers" };
  });
  await expect(embedder.embed(["a"], "query", { signal: abort.signal })).rejects.toBe(reason);
  expect(server.requests.length).toBe(1);
});

it("rejects with the signal's reason in the queue", async () => {
  const { server, embedder } = await startOpenAi(() => ({ hang: "before-headers" }), { concurrencyMax: 1 });
  const first = new AbortController();
  const second = new AbortController();
  const firstCall = embedder.embed(["a"], "query", { signal: first.signal });
  const secondCall = embedder.embed(["b"], "query", { signal: second.signal });
  second.abort(reason);
  await expect(secondCall).rejects.toBe(reason);
  first.abort(reason);
  await expect(firstCall).rejects.toBe(reason);
  expect(server.requests.every(({ body }) => body.input[0] === "a")).toBe(true);
});

it("sends nothing if the signal is already aborted", async () => {
  const { server, embedder } = await startOpenAi(echo);
  const signal = AbortSignal.abort(reason);
  await expect(embedder.embed(["a"], "query", { signal })).rejects.toBe(reason);
  expect(server.requests.length).toBe(0);
});

it("serves later calls after an aborted one", async () => {
  const abort = new AbortController();
  const { server, embedder } = await startOpenAi(
    (request, attempt) => {
      if (attempt > 1) return echo(request, attempt);
      setImmediate(() => abort.abort(reason));
      return { hang: "before-headers" };
    },
    { concurrencyMax: 1 },
  );
  await expect(embedder.embed(["a"], "query", { signal: abort.signal })).rejects.toBe(reason);
  expect(await embedder.embed(["b"], "query")).toHaveLength(1);
  expect(server.requests.map(({ body }) => body.input)).toEqual([["a"], ["b"]]);
});
