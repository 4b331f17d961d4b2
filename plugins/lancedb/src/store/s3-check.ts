import { randomUUID } from "node:crypto";
import { storageUnreachable } from "@membus/plugin-kit";
import { type Clock, MemoryError } from "@membus/protocol";
import { lancedb } from "../lancedb.js";
import { S3Client, S3Refusal } from "./s3-client.js";
import { endpointOf, lanceOptions, type ResolvedTableBucketOptions } from "./s3-options.js";
import { isUnreachable } from "./unreachable.js";

const CONTENT = "membus";
/** Codes for keys that the store does not know, or that have expired. */
const WRONG_KEYS = new Set([
  ...["InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidToken", "ExpiredToken", "XAdminUserNotFound"],
]);
/** Codes of a bucket in another region. */
const WRONG_REGION = new Set([
  ...["AuthorizationHeaderMalformed", "PermanentRedirect", "IllegalLocationConstraintException"],
]);
/** With fewer, a store that lets two of them make the same version could pass. */
const WRITER_COUNT = 4;

/**
 * Checks that tables can be kept in a bucket, and that two writers of one table cannot overwrite each other.
 * @throws {MemoryError} `runtime_error` for a bucket that is not suitable, with the remedy. `unavailable` if the
 * object store does not answer.
 */
export async function checkBucket(options: ResolvedTableBucketOptions, clock: Clock): Promise<void> {
  const client = new S3Client(options, clock, () => Promise.resolve());
  const prefix = `${options.prefix}/_check/${randomUUID()}/`;
  const place = placeOf(options);
  await checkObjects(client, prefix, place);
  await requireStep(
    () => checkWriters(options, prefix),
    `concurrent writers of a table in ${place} lose rows: use an object store with conditional writes`,
  );
  await requireStep(
    () => removeAll(client, prefix),
    `objects in ${place} cannot be deleted: allow DeleteObject to these credentials`,
  );
}

async function checkObjects(client: S3Client, prefix: string, place: string): Promise<void> {
  const key = `${prefix}object`;
  await requireStep(
    // A repeated request may find the object of the first attempt.
    async () => [await client.create(key, CONTENT)],
    `objects cannot be written to ${place}: allow PutObject to these credentials`,
  );
  await requireStep(
    async () => !(await client.create(key, CONTENT)),
    `${place} ignores If-None-Match, so hosts would overwrite each other's tables: use an object store with conditional writes`,
  );
  await requireStep(
    async () => (await client.get(key))?.toString() === CONTENT,
    `objects in ${place} cannot be read: allow GetObject to these credentials`,
  );
  await requireStep(
    async () => !(await client.keepsVersions(key)),
    `${place} keeps earlier versions of objects, so forgotten entries would stay: turn off versioning and object lock`,
  );
  await requireStep(
    async () => (await client.list(prefix)).objects.some((found) => found.key === key),
    `objects in ${place} cannot be listed: allow ListBucket to these credentials`,
  );
}

/**
 * Lets writers add a row each to the same version at once. Returns false unless each has made another version, and
 * all rows are there.
 */
async function checkWriters(options: ResolvedTableBucketOptions, prefix: string): Promise<boolean> {
  const storageOptions = lanceOptions(options);
  const connection = await lancedb().connect(`s3://${options.bucket}/${prefix}`, { storageOptions });
  try {
    const name = "writers";
    const created = await connection.createTable(name, [{ writer: 0 }]);
    await created.delete("writer = 0");
    const ids = Array.from({ length: WRITER_COUNT }, (_, writer) => writer);
    const writers = await Promise.all(ids.map(() => connection.openTable(name)));
    await Promise.all(writers.map((table, writer) => table.add([{ writer }])));
    const versions = new Set(await Promise.all(writers.map((table) => table.version())));
    const rowCount = await (await connection.openTable(name)).countRows();
    return versions.size === WRITER_COUNT && rowCount === WRITER_COUNT;
  } finally {
    connection.close();
  }
}

/** Returns whether nothing is left. */
async function removeAll(client: S3Client, prefix: string): Promise<boolean> {
  const { objects } = await client.list(prefix);
  await client.delete(objects.map(({ key }) => key));
  return (await client.list(prefix)).objects.length === 0;
}

/** Returns the place of the tables, for messages. */
export function placeOf(options: ResolvedTableBucketOptions): string {
  return `${endpointOf(options)}/${options.bucket}/${options.prefix}`;
}

/** Returns the result of a step. @throws {MemoryError} `unavailable` with the address if the object store does not answer. */
export async function answered<T>(options: ResolvedTableBucketOptions, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (cause) {
    if (!isUnreachable(cause)) throw cause;
    const message = `the object store ${endpointOf(options)} does not answer: start it, or correct AWS_ENDPOINT_URL or AWS_REGION`;
    throw new MemoryError("unavailable", message, storageUnreachable(cause).detail, { cause });
  }
}

async function requireStep(step: () => Promise<unknown>, message: string): Promise<void> {
  if (!(await explained(step, message))) throw unsuitable(message, undefined);
}

/**
 * Returns the result of a step.
 * @throws {MemoryError} `runtime_error` with the message, or a better remedy, if the step fails. The error of the step if the object
 * store does not answer, for `answered`.
 */
export async function explained<T>(step: () => Promise<T>, message: string): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (isUnreachable(error)) throw error;
    const remedy = error instanceof S3Refusal ? remedyFor(error) : undefined;
    throw unsuitable(remedy ?? message, error);
  }
}

function unsuitable(message: string, cause: unknown): MemoryError {
  return new MemoryError("runtime_error", message, { reason: "bucket_unsuitable" }, { cause });
}

/** Returns how to reach the bucket at all. Undefined for any other refusal. */
function remedyFor({ code, region, message }: S3Refusal): string | undefined {
  if (WRONG_KEYS.has(code))
    return `${message}. Correct AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN`;
  if (WRONG_REGION.has(code))
    return `${message}. Set AWS_REGION to the region of the bucket${region === undefined ? "" : `, ${region}`}`;
  return code === "NoSuchBucket" ? `${message}. Create the bucket, or correct its name` : undefined;
}
