import { systemClock } from "@membus/protocol";
import { afterEach, beforeEach, expect, it } from "vitest";
import { TableBucket } from "../../src/s3.js";
import { FakeS3 } from "./fake-s3.js";
import { bucketOptions } from "./s3-fixture.js";
import type { S3Operation, S3Request } from "./s3-request.js";

let s3: FakeS3;
beforeEach(async () => {
  s3 = await FakeS3.start();
});
afterEach(() => s3.stop());

const bucket = () => TableBucket.connect(bucketOptions(s3), systemClock);
const check = () => bucket().check();
const refusal = (message: string) => ({ code: "runtime_error", message: expect.stringContaining(message) });

it("a suitable bucket is accepted, and the check leaves nothing in it", async () => {
  await check();
  expect(s3.store.keys).toEqual([]);
});

it("a store that ignores If-None-Match is refused", async () => {
  s3.store.ignoresConditions = () => true;
  await expect(check()).rejects.toMatchObject(
    refusal("ignores If-None-Match, so hosts would overwrite each other's tables: use an object store"),
  );
});

it("a bucket that keeps earlier versions is refused, but not one that no longer does", async () => {
  s3.store.versionId = "3sL4kqtJlcpXroDTDmJ";
  await expect(check()).rejects.toMatchObject(refusal("turn off versioning and object lock"));
  s3.store.versionId = "null";
  await check();
});

it("a store in which two writers make the same version is refused", async () => {
  const isManifest = (key: string) => key.endsWith(".manifest");
  s3.store.ignoresConditions = isManifest;
  // The first manifest with a row waits until another writer has made the same version.
  let version = "";
  const held = s3.hold(({ operation, key }) => {
    if (operation !== "put" || !isManifest(key) || s3.store.keys.filter(isManifest).length < 2) return false;
    version = key;
    return true;
  });
  const opened = expect(check()).rejects.toMatchObject(
    refusal("lose rows: use an object store with conditional writes"),
  );
  await held.arrived;
  await expect.poll(() => s3.store.keys).toContain(version);
  await held.release();
  await opened;
});

it.each<[S3Operation, string]>([
  ["put", "/bucket/tables: allow PutObject to these credentials"],
  ["get", "cannot be read: allow GetObject to these credentials"],
  ["list", "cannot be listed: allow ListBucket to these credentials"],
  ["delete_many", "cannot be deleted: allow DeleteObject to these credentials"],
])("a bucket that forbids %s is refused", async (operation, message) => {
  const matches = (request: S3Request) => request.operation === operation;
  s3.fail({ matches, afterEffect: false, answer: 403, isLasting: true });
  await expect(check()).rejects.toMatchObject(refusal(message));
});

it.each([
  [403, "InvalidAccessKeyId", undefined, "403 InvalidAccessKeyId. Correct AWS_ACCESS_KEY_ID,"],
  [404, "XAdminUserNotFound", undefined, "404 XAdminUserNotFound. Correct AWS_ACCESS_KEY_ID,"],
  [403, "SignatureDoesNotMatch", undefined, "403 SignatureDoesNotMatch. Correct AWS_ACCESS_KEY_ID,"],
  [400, "AuthorizationHeaderMalformed", "eu-west-1", "Set AWS_REGION to the region of the bucket, eu-west-1"],
  [301, "PermanentRedirect", undefined, "Set AWS_REGION to the region of the bucket"],
  [404, "NoSuchBucket", undefined, "Create the bucket, or correct its name"],
] as const)("an answer %i %s is refused with its remedy", async (answer, code, region, message) => {
  s3.fail({
    matches: () => true,
    afterEffect: false,
    answer,
    code,
    isLasting: true,
    ...(region && { region }),
  });
  await expect(check()).rejects.toMatchObject(refusal(message));
  await expect(bucket().owner()).rejects.toMatchObject(refusal(message));
});

it("an owner that cannot be read is refused, and nothing is written", async () => {
  s3.fail({ matches: ({ operation }) => operation === "get", afterEffect: false, answer: 403 });
  const message = "cannot be read: allow GetObject and ListBucket to these credentials";
  await expect(bucket().owner()).rejects.toMatchObject(refusal(message));
  expect(s3.requestCount).toBe(1);
});

it("a store that does not answer is named, and may be tried again", async () => {
  s3.fail({ matches: () => true, afterEffect: false, answer: 503, isLasting: true });
  const silent = {
    code: "unavailable",
    message: `the object store ${s3.storageOptions.endpoint} does not answer: start it, or correct AWS_ENDPOINT_URL or AWS_REGION`,
    detail: { reason: "storage_unreachable" },
  };
  await expect(check()).rejects.toMatchObject(silent);
  await expect(bucket().owner()).rejects.toMatchObject(silent);
});

it("an unknown option is refused", () => {
  const options = { ...bucketOptions(s3), buckett: "b" };
  expect(() => TableBucket.connect(options, systemClock)).toThrow("unknown option `buckett`");
});
