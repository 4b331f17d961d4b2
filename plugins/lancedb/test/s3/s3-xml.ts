import { withEntities, withoutEntities } from "../../src/store/s3-xml.js";
import type { Listing, StoredObject, Upload } from "./object-store.js";

export function errorXml(code: string, region?: string): string {
  const named = region === undefined ? "" : element("Region", region);
  return document("Error", element("Code", code) + element("Message", code) + named);
}

export function listXml({ keys, prefixes, last }: Listing, objectOf: (key: string) => StoredObject): string {
  const contents = keys.map((key) => {
    const { body, etag, modified } = objectOf(key);
    const facts = element("LastModified", modified.toISOString()) + element("ETag", etag);
    return `<Contents>${element("Key", key)}${facts}${element("Size", String(body.length))}</Contents>`;
  });
  const folders = prefixes.map((prefix) => `<CommonPrefixes>${element("Prefix", prefix)}</CommonPrefixes>`);
  const next = last === undefined ? "" : element("NextContinuationToken", last);
  const truncated = element("IsTruncated", String(last !== undefined));
  return document("ListBucketResult", [truncated, next, ...contents, ...folders].join(""));
}

export function deletedXml(keys: readonly string[]): string {
  return document("DeleteResult", keys.map((key) => `<Deleted>${element("Key", key)}</Deleted>`).join(""));
}

export function uploadXml(id: string): string {
  return document("InitiateMultipartUploadResult", element("UploadId", id));
}

/** @param last the last upload of the page, if more follow. */
export function uploadsXml(uploads: readonly Upload[], last: Upload | undefined): string {
  const found = uploads.map(
    ({ key, id }) => `<Upload>${element("Key", key)}${element("UploadId", id)}</Upload>`,
  );
  const next = last && element("NextKeyMarker", last.key) + element("NextUploadIdMarker", last.id);
  const truncated = element("IsTruncated", String(last !== undefined));
  return document("ListMultipartUploadsResult", [truncated, next ?? "", ...found].join(""));
}

export function uploadedXml(etag: string): string {
  return document("CompleteMultipartUploadResult", element("ETag", etag));
}

const KEY = /<Key>([^<]*)<\/Key>/g;

/** Returns the keys that a request to delete several objects names. */
export function keysOfDelete(xml: string): string[] {
  return [...xml.matchAll(KEY)].map(([, key = ""]) => withoutEntities(key));
}

function element(name: string, text: string): string {
  return `<${name}>${withEntities(text)}</${name}>`;
}

function document(name: string, content: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?><${name}>${content}</${name}>`;
}
