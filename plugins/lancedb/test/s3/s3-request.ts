import type { IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";

/** Requests of S3 that LanceDB and the plugin send. */
export type S3Operation =
  | "get"
  | "head"
  | "put"
  | "delete"
  | "list"
  | "list_uploads"
  | "delete_many"
  | "begin_upload"
  | "put_part"
  | "complete_upload"
  | "abort_upload";

export interface S3Request {
  readonly operation: S3Operation | undefined;
  readonly bucket: string;
  readonly key: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

/** Operations that change objects. */
const WRITES: readonly (S3Operation | undefined)[] = [
  "put",
  "delete",
  "delete_many",
  "begin_upload",
  "put_part",
  "complete_upload",
  "abort_upload",
];

export function isWrite({ operation }: S3Request): boolean {
  return WRITES.includes(operation);
}

/** Reads a request. Returns undefined if the client ended before it was sent whole. */
export async function readRequest(message: IncomingMessage): Promise<S3Request | undefined> {
  const { pathname, searchParams: query } = new URL(message.url ?? "/", "http://localhost");
  const body = await buffer(message).catch(() => undefined);
  if (body === undefined) return undefined;
  const [, bucket = "", ...key] = decodeURIComponent(pathname).split("/");
  return {
    operation: operationOf(message.method ?? "", query),
    bucket,
    key: key.join("/"),
    query,
    headers: message.headers,
    body,
  };
}

function operationOf(method: string, query: URLSearchParams): S3Operation | undefined {
  const isUpload = query.has("uploadId");
  switch (method) {
    case "GET":
      if (query.has("uploads")) return "list_uploads";
      return query.has("list-type") ? "list" : "get";
    case "HEAD":
      return "head";
    case "PUT":
      return isUpload ? "put_part" : "put";
    case "DELETE":
      return isUpload ? "abort_upload" : "delete";
    case "POST":
      if (query.has("delete")) return "delete_many";
      if (query.has("uploads")) return "begin_upload";
      return isUpload ? "complete_upload" : undefined;
    default:
      return undefined;
  }
}
