import { createHash } from "node:crypto";

export interface StoredObject {
  readonly body: Buffer;
  readonly etag: string;
  readonly modified: Date;
}

/** Conditions of a write, as their headers have them. */
export interface Conditions {
  readonly ifNoneMatch?: string | undefined;
  readonly ifMatch?: string | undefined;
}

/** One page of a listing, in the order of the keys. */
export interface Listing {
  readonly keys: readonly string[];
  /** Keys up to the delimiter, once each. */
  readonly prefixes: readonly string[];
  /** Last key that the page covers, if more follow. */
  readonly last: string | undefined;
}

export interface ListRequest {
  readonly prefix: string;
  readonly delimiter: string;
  /** Only later keys are listed. */
  readonly after: string;
  readonly limit: number;
}

/** An upload in parts that was neither completed nor aborted. */
export interface Upload {
  readonly id: string;
  readonly key: string;
  readonly parts: ReadonlyMap<number, Buffer>;
}

/** Where the objects of a bucket are. */
export interface Objects {
  get(key: string): StoredObject | undefined;
  set(key: string, body: Buffer): void;
  delete(key: string): void;
  /** Returns all keys with a prefix. */
  keysBelow(prefix: string): Iterable<string>;
}

class ObjectsInRam implements Objects {
  readonly #objects = new Map<string, StoredObject>();

  get(key: string): StoredObject | undefined {
    return this.#objects.get(key);
  }

  set(key: string, body: Buffer): void {
    this.#objects.set(key, { body, etag: etagOf(body), modified: new Date() });
  }

  delete(key: string): void {
    this.#objects.delete(key);
  }

  keysBelow(prefix: string): Iterable<string> {
    return [...this.#objects.keys()].filter((key) => key.startsWith(prefix));
  }
}

/** Objects of a bucket, with atomic conditional writes. */
export class ObjectStore {
  /** Whether writes of a key ignore their conditions, as some stores do. */
  ignoresConditions: (key: string) => boolean = () => false;
  /** Whether a listing of uploads is answered with one of objects, as by a store that does not know it. */
  ignoresUploads = false;
  /** Id of all versions, in a bucket with versioning. Earlier versions are not kept. */
  versionId: string | undefined;
  readonly #objects: Objects;
  readonly #uploads = new Map<string, Upload & { readonly parts: Map<number, Buffer> }>();
  #uploadCount = 0;

  constructor(objects: Objects = new ObjectsInRam()) {
    this.#objects = objects;
  }

  get keys(): readonly string[] {
    return this.#keysBelow("");
  }

  get(key: string): StoredObject | undefined {
    return this.#objects.get(key);
  }

  /** Stores an object. Returns undefined, and stores nothing, if a condition is not met. */
  put(key: string, body: Buffer, { ifNoneMatch, ifMatch }: Conditions): StoredObject | undefined {
    const present = this.#objects.get(key);
    if (this.ignoresConditions(key)) return this.#set(key, body);
    if (ifNoneMatch === "*" && present !== undefined) return undefined;
    if (ifMatch !== undefined && ifMatch !== present?.etag) return undefined;
    return this.#set(key, body);
  }

  delete(key: string): void {
    this.#objects.delete(key);
  }

  list({ prefix, delimiter, after, limit }: ListRequest): Listing {
    const keys: string[] = [];
    const prefixes = new Set<string>();
    let last: string | undefined;
    for (const key of this.#keysBelow(prefix).filter((name) => name > after)) {
      if (keys.length + prefixes.size >= limit) return { keys, prefixes: [...prefixes], last };
      const end = delimiter === "" ? -1 : key.indexOf(delimiter, prefix.length);
      if (end < 0) keys.push(key);
      else prefixes.add(key.slice(0, end + delimiter.length));
      last = key;
    }
    return { keys, prefixes: [...prefixes], last: undefined };
  }

  /** Unfinished uploads, in the order of their keys and then of their beginnings. */
  get uploads(): readonly Upload[] {
    return [...this.#uploads.values()].sort((a, b) => (a.key === b.key ? 0 : a.key < b.key ? -1 : 1));
  }

  beginUpload(key: string): string {
    const id = `upload-${++this.#uploadCount}`;
    this.#uploads.set(id, { id, key, parts: new Map() });
    return id;
  }

  /** Stores a part. Returns its tag, or undefined if the upload does not exist. */
  putPart(id: string, part: number, body: Buffer): string | undefined {
    const upload = this.#uploads.get(id);
    upload?.parts.set(part, body);
    return upload && etagOf(body);
  }

  /** Joins the parts of an upload in the order of their numbers. */
  completeUpload(id: string): Buffer | undefined {
    const upload = this.#uploads.get(id);
    this.#uploads.delete(id);
    return upload && Buffer.concat([...upload.parts].sort(([a], [b]) => a - b).map(([, body]) => body));
  }

  /** Returns whether the upload existed. */
  abortUpload(id: string): boolean {
    return this.#uploads.delete(id);
  }

  #keysBelow(prefix: string): readonly string[] {
    return [...this.#objects.keysBelow(prefix)].sort();
  }

  #set(key: string, body: Buffer): StoredObject {
    this.#objects.set(key, body);
    return this.#objects.get(key)!;
  }
}

export function etagOf(body: Buffer): string {
  return `"${createHash("md5").update(body).digest("hex")}"`;
}
