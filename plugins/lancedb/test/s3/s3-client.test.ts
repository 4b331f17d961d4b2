import { parseOptions, systemClock } from "@membus/protocol";
import { afterEach, beforeEach, expect, it } from "vitest";
import { TableBucketOptionsSchema } from "../../src/s3.js";
import { S3Client } from "../../src/store/s3-client.js";
import { FakeS3 } from "./fake-s3.js";
import { bucketOptions } from "./s3-fixture.js";
import type { S3Request } from "./s3-request.js";

let s3: FakeS3;
beforeEach(async () => {
  s3 = await FakeS3.start();
});
afterEach(() => s3.stop());

function client(beforeAttempt = async () => {}): S3Client {
  return new S3Client(parseOptions(TableBucketOptionsSchema, bucketOptions(s3)), systemClock, beforeAttempt);
}

it("lists and deletes more objects than one request can name", async () => {
  const keys = Array.from({ length: 2_001 }, (_, index) => `many/${String(index).padStart(4, "0")} & more`);
  for (const key of [...keys, "other"]) s3.store.put(key, Buffer.from("12345"), {});
  const { objects } = await client().list("many/");
  expect(objects.map(({ key }) => key)).toEqual(keys);
  expect(objects[0]).toEqual({ key: "many/0000 & more", sizeBytes: 5 });
  await client().delete(keys);
  expect(s3.store.keys).toEqual(["other"]);
});

it("lists folders once each", async () => {
  for (const key of ["a/b/1", "a/b/2", "a/c/1", "a/d"]) s3.store.put(key, Buffer.from(""), {});
  const { objects, prefixes } = await client().list("a/", "/");
  expect([objects.map(({ key }) => key), prefixes]).toEqual([["a/d"], ["a/b/", "a/c/"]]);
});

it("lists more unfinished uploads than one answer names, and aborts them", async () => {
  for (let index = 0; index < 1_500; index++) s3.store.beginUpload(`many/${index} & more`);
  for (let time = 0; time < 600; time++) s3.store.beginUpload("many/0 & more");
  s3.store.beginUpload("other");
  const uploads = await client().uploads("many/");
  expect(new Set(uploads.map(({ id }) => id)).size).toBe(2_100);
  const [first, second] = uploads;
  for (const upload of [first!, second!, first!]) await client().abort(upload);
  expect(await client().uploads("many/")).toEqual(uploads.slice(2));
});

it("refuses the answer of a store that lists objects instead of uploads", async () => {
  expect(await client().uploads("many/")).toEqual([]);
  s3.store.ignoresUploads = true;
  await expect(client().uploads("many/")).rejects.toThrow("refused to list unfinished uploads");
});

it("creates an object once, replaces it, and reads it", async () => {
  expect(await client().get("key")).toBeUndefined();
  expect(await client().create("key", "first")).toBe(true);
  expect(await client().create("key", "second")).toBe(false);
  expect(String(await client().get("key"))).toBe("first");
  await client().put("key", "third");
  expect(String(await client().get("key"))).toBe("third");
});

it("signs its requests", async () => {
  const signed: (string | undefined)[] = [];
  const matches = ({ headers }: S3Request) => {
    signed.push(headers.authorization?.split("/").slice(2).join("/").split(",")[0]);
    return false;
  };
  s3.fail({ matches, afterEffect: false, answer: 500 });
  await client().put("key", "content");
  expect(signed).toEqual(["us-east-1/s3/aws4_request"]);
});

it("repeats a request that was not answered, and refuses to once that is not allowed", async () => {
  s3.fail({ matches: () => true, afterEffect: false, answer: 503 });
  await client().put("key", "content");
  expect(s3.store.keys).toEqual(["key"]);
  let attemptCount = 0;
  const guarded = client(async () => {
    if (++attemptCount > 1) throw new Error("lost");
  });
  s3.fail({ matches: () => true, afterEffect: false, answer: "cut" });
  await expect(guarded.delete(["key"])).rejects.toThrow("lost");
  expect(s3.store.keys).toEqual(["key"]);
});

it("names the refused request and the reason", async () => {
  s3.fail({ matches: () => true, afterEffect: false, answer: 403 });
  await expect(client().put("key", "content")).rejects.toThrow(
    "the object store refused PUT of bucket/key: 403 AccessDenied",
  );
});

it("a request without an answer in time fails as unreachable", async () => {
  const options = parseOptions(TableBucketOptionsSchema, {
    ...bucketOptions(s3),
    requestTimeoutMs: 100,
    attemptCountMax: 1,
  });
  const held = s3.hold(() => true);
  const request = new S3Client(options, systemClock, async () => {}).put("key", "content");
  await expect(request).rejects.toMatchObject({ detail: { reason: "storage_unreachable" } });
  await held.release();
});
