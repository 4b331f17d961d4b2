import type { TableBucketOptions } from "@membus/plugin-lancedb/s3";
import { definedOnly } from "../flags/defined-only.js";

const STORE = /^s3:\/\/([^/]+)\/(.*[^/])\/*$/;

/** Returns a store's URL in the form that a cluster remembers. @throws {TypeError} for another URL. */
export function normalStore(store: string): string {
  const { bucket, prefix } = placeOf(store);
  return `s3://${bucket}/${prefix}`;
}

/**
 * Returns the options of an object store. The credentials, the region and the address of the store come from the variables
 * that the programs of AWS use.
 * @throws {TypeError} for another URL, or without credentials.
 */
export function tableBucketOptions(store: string, env: NodeJS.ProcessEnv): TableBucketOptions {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env;
  if (!accessKeyId || !secretAccessKey)
    throw new TypeError(`set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY for ${store}`);
  const sessionToken = env.AWS_SESSION_TOKEN || undefined;
  const region = env.AWS_REGION || env.AWS_DEFAULT_REGION || undefined;
  const endpoint = env.AWS_ENDPOINT_URL_S3 || env.AWS_ENDPOINT_URL || undefined;
  return {
    ...{ ...placeOf(store), accessKeyId, secretAccessKey },
    ...definedOnly({ sessionToken, region, endpoint }),
  };
}

function placeOf(store: string): { readonly bucket: string; readonly prefix: string } {
  const [, bucket, prefix] = STORE.exec(store) ?? [];
  if (bucket === undefined || prefix === undefined)
    throw new TypeError(`the store must be s3://bucket/path, got ${store}`);
  return { bucket, prefix };
}
