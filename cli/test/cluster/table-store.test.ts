import { expect, it } from "vitest";
import { normalStore, tableBucketOptions } from "../../src/cluster/table-store.js";

const KEYS = { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "secret" };

it("a store has a bucket and a path", () => {
  expect(tableBucketOptions("s3://bucket/a/b/", KEYS)).toEqual({
    ...{ bucket: "bucket", prefix: "a/b", accessKeyId: "id", secretAccessKey: "secret" },
  });
  expect(normalStore("s3://bucket/a/b//")).toBe("s3://bucket/a/b");
});

it("the variables of AWS give the address, the region and a session", () => {
  const env = { ...KEYS, AWS_ENDPOINT_URL: "http://127.0.0.1:9000", AWS_DEFAULT_REGION: "eu-west-1" };
  expect(
    tableBucketOptions("s3://bucket/m", { ...env, AWS_SESSION_TOKEN: "token", AWS_REGION: "" }),
  ).toMatchObject({
    ...{ endpoint: "http://127.0.0.1:9000", region: "eu-west-1", sessionToken: "token" },
  });
});

it.each(["s3://bucket", "s3://bucket/", "https://bucket/m", "bucket/m"])("%s is refused", (store) => {
  expect(() => normalStore(store)).toThrow(`the store must be s3://bucket/path, got ${store}`);
});

it("missing credentials are refused", () => {
  expect(() => tableBucketOptions("s3://bucket/m", { AWS_ACCESS_KEY_ID: "id" })).toThrow(
    "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY for s3://bucket/m",
  );
});
