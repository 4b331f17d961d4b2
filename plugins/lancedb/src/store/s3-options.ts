import { type OptionsOf, option, optionSet, type ResolvedOptionsOf } from "@membus/protocol";

const PREFIX = /^[A-Za-z0-9_.-]+(?:\/[A-Za-z0-9_.-]+)*$/;

function isPrefix(value: unknown): boolean {
  return typeof value === "string" && PREFIX.test(value);
}

export const TableBucketOptionsSchema = optionSet({
  /** Name of an existing bucket. */
  bucket: option.text(),
  /** Path in the bucket below which all tables are kept. */
  prefix: option.value<string>(isPrefix, "must be a path of A-Z a-z 0-9 _ . - without a slash at its ends"),
  /** URL of the object store, by default of AWS. */
  endpoint: option.baseUrl().optional(),
  region: option.text().default("us-east-1"),
  accessKeyId: option.text(),
  secretAccessKey: option.text(),
  /** Token of temporary credentials. */
  sessionToken: option.text().optional(),
  /** Time limit of one request in milliseconds. */
  requestTimeoutMs: option.integer(100, 600_000).default(30_000),
  /** Maximum attempts of a request that is not answered. */
  attemptCountMax: option.integer(1, 20).default(4),
});

export interface TableBucketOptions extends OptionsOf<typeof TableBucketOptionsSchema> {}
export interface ResolvedTableBucketOptions extends ResolvedOptionsOf<typeof TableBucketOptionsSchema> {}

/** Returns the URL of the object store. */
export function endpointOf({ endpoint, region }: ResolvedTableBucketOptions): string {
  return (endpoint ?? `https://s3.${region}.amazonaws.com`).replace(/\/$/, "");
}

/** Returns the options with which LanceDB connects. */
export function lanceOptions(options: ResolvedTableBucketOptions): Record<string, string> {
  const { region, accessKeyId, secretAccessKey, sessionToken, requestTimeoutMs, attemptCountMax } = options;
  return {
    endpoint: endpointOf(options),
    allow_http: "true",
    region,
    access_key_id: accessKeyId,
    secret_access_key: secretAccessKey,
    ...(sessionToken === undefined ? {} : { session_token: sessionToken }),
    timeout: `${requestTimeoutMs}ms`,
    client_max_retries: String(attemptCountMax - 1),
    client_retry_timeout: String(Math.ceil((attemptCountMax * requestTimeoutMs) / 1_000)),
  };
}
