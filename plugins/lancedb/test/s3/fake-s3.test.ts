import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect as connectSocket } from "node:net";
import { connect } from "@lancedb/lancedb";
import { afterEach, beforeEach, expect, it } from "vitest";
import { FakeS3 } from "./fake-s3.js";

let s3: FakeS3;

beforeEach(async () => {
  s3 = await FakeS3.start();
});

afterEach(() => s3.stop());

function send(method: string, path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${s3.storageOptions.endpoint}/bucket${path}`, { ...init, method });
}

const statusOf = async (response: Promise<Response>) => (await response).status;
const namesIn = (xml: string, element: string) =>
  [...xml.matchAll(new RegExp(`<${element}>([^<]*)</${element}>`, "g"))].map(([, name]) => name);

it("stores an object once if the write forbids to replace it", async () => {
  const create = (body: string) => send("PUT", "/a", { body, headers: { "if-none-match": "*" } });
  expect(await statusOf(create("1"))).toBe(200);
  expect(await statusOf(create("2"))).toBe(412);
  expect(await (await send("GET", "/a")).text()).toBe("1");
});

it("replaces an object only if it has the given tag", async () => {
  const etag = (await send("PUT", "/a", { body: "1" })).headers.get("etag")!;
  const replace = (tag: string) => send("PUT", "/a", { body: "2", headers: { "if-match": tag } });
  expect(await statusOf(replace('"other"'))).toBe(412);
  expect(await statusOf(replace(etag))).toBe(200);
  expect(await statusOf(replace(etag))).toBe(412);
});

it("ignores a request that its client does not finish", async () => {
  const { port } = new URL(s3.storageOptions.endpoint!);
  const client = connectSocket(Number(port), "127.0.0.1");
  client.write(
    "PUT /bucket/a HTTP/1.1\r\nhost: bucket\r\nexpect: 100-continue\r\ncontent-length: 10\r\n\r\n",
  );
  await once(client, "data");
  client.destroy();
  await once(client, "close");
  expect(await statusOf(send("GET", "/a"))).toBe(404);
  expect(s3.requestCount).toBe(1);
});

it.each([
  ["bytes=2-4", 206, "234"],
  ["bytes=7-", 206, "789"],
  ["bytes=-2", 206, "89"],
  ["bytes=8-20", 206, "89"],
])("reads the range %s", async (range, status, text) => {
  await send("PUT", "/a", { body: "0123456789" });
  const response = await send("GET", "/a", { headers: { range } });
  expect([response.status, await response.text()]).toEqual([status, text]);
});

it("refuses a range after the end, and reports missing objects", async () => {
  await send("PUT", "/a", { body: "0123456789" });
  expect(await statusOf(send("GET", "/a", { headers: { range: "bytes=10-" } }))).toBe(416);
  expect(await statusOf(send("GET", "/b"))).toBe(404);
  expect(await statusOf(send("HEAD", "/b"))).toBe(404);
});

it("lists keys page by page, and folders once", async () => {
  for (const key of ["x/a/1", "x/a/2", "x/b", "x/c&d", "y"]) await send("PUT", `/${encodeURI(key)}`);
  const list = async (query: string) => (await send("GET", `?list-type=2&prefix=x/${query}`)).text();
  const first = await list("&delimiter=/&max-keys=2");
  expect([namesIn(first, "Prefix"), namesIn(first, "Key")]).toEqual([["x/a/"], ["x/b"]]);
  const [token] = namesIn(first, "NextContinuationToken");
  const second = await list(`&delimiter=/&continuation-token=${token}`);
  expect([namesIn(second, "Key"), namesIn(second, "IsTruncated")]).toEqual([["x/c&amp;d"], ["false"]]);
});

it("deletes several objects, whatever their names are", async () => {
  for (const key of ["a", "b&c", "d"]) await send("PUT", `/${encodeURIComponent(key)}`);
  const objects = ["a", "b&amp;c", "none"].map((key) => `<Object><Key>${key}</Key></Object>`);
  await send("POST", "?delete", { body: `<Delete>${objects.join("")}</Delete>` });
  expect(s3.store.keys).toEqual(["d"]);
});

it("joins the parts of an upload in the order of their numbers", async () => {
  const [id] = namesIn(await (await send("POST", "/a?uploads")).text(), "UploadId");
  for (const [part, body] of [
    [2, "second"],
    [1, "first "],
  ] as const)
    await send("PUT", `/a?uploadId=${id}&partNumber=${part}`, { body });
  expect(s3.store.keys).toEqual([]);
  const complete = () => statusOf(send("POST", `/a?uploadId=${id}`, { headers: { "if-none-match": "*" } }));
  expect(await complete()).toBe(200);
  expect(await (await send("GET", "/a")).text()).toBe("first second");
  expect(await complete()).toBe(404);
});

it("refuses requests that it does not know", async () => {
  expect(await statusOf(send("PUT", "/a", { headers: { "x-amz-copy-source": "/bucket/b" } }))).toBe(501);
  expect(await statusOf(send("POST", "/a?restore"))).toBe(501);
});

it("fails one request before or after its effect, or cuts the connection", async () => {
  const isPut = ({ operation }: { operation: string | undefined }) => operation === "put";
  s3.fail({ matches: isPut, afterEffect: false, answer: 503 });
  expect(await statusOf(send("GET", "/a"))).toBe(404);
  expect(await statusOf(send("PUT", "/a"))).toBe(503);
  expect(s3.store.keys).toEqual([]);
  s3.fail({ matches: isPut, afterEffect: true, answer: 500 });
  expect(await statusOf(send("PUT", "/b"))).toBe(500);
  s3.fail({ matches: isPut, afterEffect: true, answer: "cut" });
  await expect(send("PUT", "/c")).rejects.toThrow("fetch failed");
  expect(s3.store.keys).toEqual(["b", "c"]);
});

it("ends the connection after half of an answer", async () => {
  await send("PUT", "/a", { body: "0123456789" });
  s3.fail({ matches: ({ operation }) => operation === "get", afterEffect: true, answer: "half" });
  const response = await send("GET", "/a");
  expect([response.status, response.headers.get("content-length")]).toEqual([200, "10"]);
  let text = "";
  const read = async () => {
    for await (const chunk of response.body!) text += Buffer.from(chunk).toString();
  };
  await expect(read()).rejects.toThrow("terminated");
  expect(text).toBe("01234");
  expect(await (await send("GET", "/a")).text()).toBe("0123456789");
});

it("carries held requests out once it is healed, also if their senders have gone", async () => {
  s3.holdAll(({ operation }) => operation === "put");
  const before = s3.requestCount;
  const kept = send("PUT", "/a", { body: "1" });
  const gone = new AbortController();
  const left = expect(send("PUT", "/b", { body: "2", signal: gone.signal })).rejects.toThrow("aborted");
  await expect.poll(() => s3.requestCount).toBe(before + 2);
  gone.abort();
  await left;
  expect(await statusOf(send("GET", "/a"))).toBe(404);
  s3.heal();
  expect(await statusOf(kept)).toBe(200);
  await expect.poll(() => s3.store.keys).toEqual(["a", "b"]);
  expect(await statusOf(send("PUT", "/c"))).toBe(200);
});

it("serves LanceDB tables with files that are uploaded in parts", async () => {
  const operations = new Set<string | undefined>();
  const record = ({ operation }: { operation: string | undefined }) => !operations.add(operation);
  s3.fail({ matches: record, afterEffect: false, answer: 500 });
  const connection = await connect("s3://bucket/tables", { storageOptions: s3.storageOptions });
  // Random, because LanceDB compresses texts.
  const body = randomBytes(600_000).toString("base64");
  const rows = Array.from({ length: 12 }, (_, id) => ({ id, body: `${id} ${body}` }));
  const table = await connection.createTable("large", rows);
  const read = await table.query().where("id = 7").toArray();
  expect(read.map((row) => row.body === `7 ${body}`)).toEqual([true]);
  expect(operations).toContain("complete_upload");
});
