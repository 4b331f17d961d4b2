import { createHash } from "node:crypto";
import { storageUnreachable } from "@membus/plugin-kit";
import { type Clock, delay } from "@membus/protocol";
import { AwsClient } from "aws4fetch";
import { endpointOf, type ResolvedTableBucketOptions } from "./s3-options.js";
import { elementsOf, textOf, withEntities } from "./s3-xml.js";

export interface S3Object {
  readonly key: string;
  readonly sizeBytes: number;
}

export interface S3Listing {
  readonly objects: readonly S3Object[];
  /** Beginnings of other keys up to the delimiter, once each. */
  readonly prefixes: readonly string[];
}

/** An upload in parts that was neither completed nor aborted. */
export interface S3Upload {
  readonly key: string;
  readonly id: string;
}

interface S3Request {
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
  /** Empty for the bucket. */
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

interface S3Answer {
  readonly status: number;
  /** Id of the object's version, in a bucket that keeps earlier ones. */
  readonly versionId: string | undefined;
  readonly body: Buffer;
}

/** A store refuses a request, with its code and the bucket's region if the answer has them. */
export class S3Refusal extends Error {
  readonly code: string;
  readonly region: string | undefined;

  constructor(request: string, { status, body }: Pick<S3Answer, "status" | "body">) {
    const xml = body.toString();
    const code = textOf(xml, "Code") ?? "";
    super(`the object store refused ${request}: ${status} ${code}`);
    this.code = code;
    this.region = textOf(xml, "Region");
  }
}

const RETRY_MS = 50;
/** Id of objects in a bucket that no longer keeps earlier versions. */
const NO_VERSION = "null";
/** Maximum keys of one request. */
const DELETED_MAX = 1_000;
/** Maximum pages of a listing of uploads, of usually 1,000 uploads. */
const UPLOAD_PAGES_MAX = 100;

/** Answers of a store that may answer otherwise later. With 501 it does not know the request. */
function isTemporary(status: number): boolean {
  return status === 408 || status === 429 || (status >= 500 && status !== 501);
}

/**
 * Requests to the objects of a bucket that LanceDB has no function for.
 *
 * All methods throw `unavailable` if the store does not answer, and an `S3Refusal` if it refuses a request.
 */
export class S3Client {
  readonly #options: ResolvedTableBucketOptions;
  readonly #clock: Clock;
  readonly #beforeAttempt: () => Promise<void>;
  readonly #aws: AwsClient;

  /** @param beforeAttempt delays each attempt of a request, and prevents it by a rejection. */
  constructor(options: ResolvedTableBucketOptions, clock: Clock, beforeAttempt: () => Promise<void>) {
    this.#options = options;
    this.#clock = clock;
    this.#beforeAttempt = beforeAttempt;
    const { accessKeyId, secretAccessKey, sessionToken, region } = options;
    const session = sessionToken === undefined ? {} : { sessionToken };
    this.#aws = new AwsClient({ accessKeyId, secretAccessKey, ...session, region, service: "s3" });
  }

  /** Lists all keys with a prefix. With `delimiter`, keys that have it after the prefix are combined. */
  async list(prefix: string, delimiter = ""): Promise<S3Listing> {
    const objects: S3Object[] = [];
    const prefixes: string[] = [];
    for (let token: string | undefined = ""; token !== undefined; ) {
      const query = { "list-type": "2", prefix, ...(delimiter && { delimiter }) };
      const page = await this.#ask({
        ...{ method: "GET", key: "" },
        query: token === "" ? query : { ...query, "continuation-token": token },
      });
      const xml = page.body.toString();
      for (const part of elementsOf(xml, "Contents"))
        objects.push({ key: textOf(part, "Key") ?? "", sizeBytes: Number(textOf(part, "Size")) });
      for (const part of elementsOf(xml, "CommonPrefixes")) prefixes.push(textOf(part, "Prefix") ?? "");
      token = textOf(xml, "NextContinuationToken");
    }
    return { objects, prefixes };
  }

  /** Returns undefined if the object does not exist, but its bucket does. */
  async get(key: string): Promise<Buffer | undefined> {
    const answer = await this.#ask({ method: "GET", key }, [404]);
    if (answer.status !== 404) return answer.body;
    const refusal = new S3Refusal(`GET of ${this.#options.bucket}/${key}`, answer);
    if (refusal.code === "NoSuchKey" || refusal.code === "") return undefined;
    throw refusal;
  }

  /** Returns whether the bucket keeps earlier versions of an object that exists. */
  async keepsVersions(key: string): Promise<boolean> {
    const { versionId = NO_VERSION } = await this.#ask({ method: "GET", key });
    return versionId !== NO_VERSION;
  }

  async put(key: string, body: string | Uint8Array<ArrayBuffer>): Promise<void> {
    await this.#ask({ method: "PUT", key, body });
  }

  /** Returns false, and stores nothing, if the object exists. */
  async create(key: string, body: string): Promise<boolean> {
    const headers = { "if-none-match": "*" };
    const { status } = await this.#ask({ method: "PUT", key, body, headers }, [412]);
    return status !== 412;
  }

  /** Deletes objects. Missing ones are ignored. */
  async delete(keys: readonly string[]): Promise<void> {
    for (let from = 0; from < keys.length; from += DELETED_MAX) {
      const objects = keys
        .slice(from, from + DELETED_MAX)
        .map((key) => `<Object><Key>${withEntities(key)}</Key></Object>`);
      const body = `<Delete><Quiet>true</Quiet>${objects.join("")}</Delete>`;
      const headers = { "content-md5": createHash("md5").update(body).digest("base64") };
      const answer = await this.#ask({ method: "POST", key: "", query: { delete: "" }, headers, body });
      const [failed] = elementsOf(answer.body.toString(), "Error");
      if (failed !== undefined)
        throw new Error(
          `the object store did not delete ${textOf(failed, "Key")}: ${textOf(failed, "Code")}`,
        );
    }
  }

  /**
   * Lists the unfinished uploads of keys with a prefix.
   * @throws {Error} for more than 100 pages.
   */
  async uploads(prefix: string): Promise<readonly S3Upload[]> {
    const uploads: S3Upload[] = [];
    let markers: Readonly<Record<string, string>> = {};
    for (let page = 0; page < UPLOAD_PAGES_MAX; page++) {
      const answer = await this.#ask({ method: "GET", key: "", query: { uploads: "", prefix, ...markers } });
      const xml = answer.body.toString();
      // A store that does not know this listing may answer with another one.
      if (!xml.includes("<ListMultipartUploadsResult"))
        throw new S3Refusal("to list unfinished uploads", answer);
      for (const part of elementsOf(xml, "Upload"))
        uploads.push({ key: textOf(part, "Key") ?? "", id: textOf(part, "UploadId") ?? "" });
      if (textOf(xml, "IsTruncated") !== "true") return uploads;
      const [key = "", id = ""] = [textOf(xml, "NextKeyMarker"), textOf(xml, "NextUploadIdMarker")];
      markers = { "key-marker": key, "upload-id-marker": id };
    }
    throw new Error(
      `${this.#options.bucket}/${prefix} has too many unfinished uploads: let the bucket abort incomplete uploads`,
    );
  }

  /** Deletes the parts of an upload. A missing one is ignored. */
  async abort({ key, id }: S3Upload): Promise<void> {
    await this.#ask({ method: "DELETE", key, query: { uploadId: id } }, [404]);
  }

  /** @param accepted further statuses that are no error. */
  async #ask(request: S3Request, accepted: readonly number[] = []): Promise<S3Answer> {
    const answer = await this.#untilAnswered(request);
    const { status } = answer;
    if ((status >= 200 && status < 300) || accepted.includes(status)) return answer;
    const { method, key } = request;
    throw new S3Refusal(`${method} of ${this.#options.bucket}/${key}`, answer);
  }

  async #untilAnswered(request: S3Request): Promise<S3Answer> {
    for (let attempt = 1; ; attempt++) {
      await this.#beforeAttempt();
      const answer = await this.#send(request);
      if (!(answer instanceof Error)) return answer;
      if (attempt === this.#options.attemptCountMax) throw storageUnreachable(answer);
      await delay(this.#clock, RETRY_MS * 2 ** attempt);
    }
  }

  /** Returns an error if the store does not answer now. */
  async #send({ method, key, query = {}, headers = {}, body }: S3Request): Promise<S3Answer | Error> {
    const { bucket, requestTimeoutMs } = this.#options;
    const url = new URL(`${endpointOf(this.#options)}/${bucket}${key && `/${encodeURI(key)}`}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const abort = new AbortController();
    const cancel = this.#clock.after(requestTimeoutMs, () => abort.abort());
    try {
      const request = await this.#aws.sign(url, { method, headers, body: body ?? null });
      const response = await fetch(request, { signal: abort.signal, redirect: "manual" });
      const { status, headers: answered } = response;
      if (isTemporary(status)) return new Error(`${method} of ${bucket}/${key} was answered ${status}`);
      const versionId = answered.get("x-amz-version-id") ?? undefined;
      return { status, versionId, body: Buffer.from(await response.arrayBuffer()) };
    } catch (error) {
      return error as Error;
    } finally {
      cancel();
    }
  }
}
