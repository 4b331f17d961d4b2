import type { ObjectStore, StoredObject } from "./object-store.js";
import { isWrite, type S3Request } from "./s3-request.js";
import { deletedXml, errorXml, keysOfDelete, listXml, uploadedXml, uploadsXml, uploadXml } from "./s3-xml.js";

export interface S3Response {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
}

export function errorResponse(status: number, code: string, region?: string): S3Response {
  return { status, headers: XML, body: errorXml(code, region) };
}

const XML = { "content-type": "application/xml" };
const LIST_MAX = 1_000;

/** Carries out a request, as S3 does. A request that the plugin does not send is answered with 501. */
export function respond(store: ObjectStore, request: S3Request): S3Response {
  return isWrite(request) ? write(store, request) : read(store, request);
}

function write(store: ObjectStore, request: S3Request): S3Response {
  const { operation, key, query, body } = request;
  const upload = query.get("uploadId") ?? "";
  switch (operation) {
    case "put":
      return put(store, request, body);
    case "delete":
      store.delete(key);
      return { status: 204 };
    case "delete_many": {
      const keys = keysOfDelete(body.toString());
      for (const each of keys) store.delete(each);
      return { status: 200, headers: XML, body: deletedXml(keys) };
    }
    case "begin_upload":
      return { status: 200, headers: XML, body: uploadXml(store.beginUpload(key)) };
    case "put_part": {
      const etag = store.putPart(upload, Number(query.get("partNumber")), body);
      return etag === undefined ? errorResponse(404, "NoSuchUpload") : { status: 200, headers: { etag } };
    }
    case "complete_upload": {
      const whole = store.completeUpload(upload);
      return whole === undefined ? errorResponse(404, "NoSuchUpload") : put(store, request, whole);
    }
    case "abort_upload":
      return store.abortUpload(upload) ? { status: 204 } : errorResponse(404, "NoSuchUpload");
    default:
      return errorResponse(501, "NotImplemented");
  }
}

function put(store: ObjectStore, { operation, key, headers }: S3Request, body: Buffer): S3Response {
  if (headers["x-amz-copy-source"] !== undefined) return errorResponse(501, "NotImplemented");
  const conditions = { ifNoneMatch: headers["if-none-match"], ifMatch: headers["if-match"] };
  const stored = store.put(key, body, conditions);
  if (stored === undefined) return errorResponse(412, "PreconditionFailed");
  const { etag } = stored;
  return operation === "put"
    ? { status: 200, headers: { etag } }
    : { status: 200, headers: XML, body: uploadedXml(etag) };
}

function read(store: ObjectStore, { operation, key, query, headers }: S3Request): S3Response {
  switch (operation) {
    case "list":
      return { status: 200, headers: XML, body: listObjects(store, query) };
    case "list_uploads": {
      const body = (store.ignoresUploads ? listObjects : listUploads)(store, query);
      return { status: 200, headers: XML, body };
    }
    case "get":
    case "head": {
      const found = store.get(key);
      if (found === undefined) return errorResponse(404, "NoSuchKey");
      const answer = readObject(found, headers.range);
      const version = store.versionId && { "x-amz-version-id": store.versionId };
      return { ...answer, headers: { ...answer.headers, ...version } };
    }
    default:
      return errorResponse(501, "NotImplemented");
  }
}

function listObjects(store: ObjectStore, query: URLSearchParams): string {
  const request = {
    prefix: query.get("prefix") ?? "",
    delimiter: query.get("delimiter") ?? "",
    after: query.get("continuation-token") ?? query.get("start-after") ?? "",
    limit: Number(query.get("max-keys") ?? LIST_MAX),
  };
  return listXml(store.list(request), (name) => store.get(name)!);
}

function listUploads({ uploads }: ObjectStore, query: URLSearchParams): string {
  const [key, id] = [query.get("key-marker") ?? "", query.get("upload-id-marker") ?? ""];
  const found = uploads.filter((upload) => upload.key.startsWith(query.get("prefix") ?? ""));
  const from = found.findIndex((upload) => upload.key === key && upload.id === id) + 1;
  const page = found.slice(from, from + LIST_MAX);
  return uploadsXml(page, from + page.length < found.length ? page.at(-1) : undefined);
}

const RANGE = /^bytes=(\d*)-(\d*)$/;

function readObject({ body, etag, modified }: StoredObject, range: string | undefined): S3Response {
  const headers = { etag, "last-modified": modified.toUTCString(), "accept-ranges": "bytes" };
  const asked = RANGE.exec(range ?? "");
  if (asked === null) return { status: 200, headers, body };
  const [, first = "", last = ""] = asked;
  // Without a first byte, the number is the count of the last bytes.
  const from = first === "" ? Math.max(0, body.length - Number(last)) : Number(first);
  const to = first === "" || last === "" ? body.length - 1 : Math.min(body.length - 1, Number(last));
  if (from > to) return errorResponse(416, "InvalidRange");
  const contentRange = { "content-range": `bytes ${from}-${to}/${body.length}` };
  return { status: 206, headers: { ...headers, ...contentRange }, body: body.subarray(from, to + 1) };
}
