import { inParallel } from "../in-parallel.js";
import { type S3Client, S3Refusal, type S3Upload } from "./s3-client.js";

/** Unfinished uploads of killed writers. The store keeps their bytes, but lists no object for them. */
export class S3Uploads {
  readonly #client: S3Client;
  readonly #onRefusal: (refusal: S3Refusal) => void;

  /** @param onRefusal is called if the store does not list or abort uploads. They then stay. */
  constructor(client: S3Client, onRefusal: (refusal: S3Refusal) => void) {
    this.#client = client;
    this.#onRefusal = onRefusal;
  }

  /** Lists the uploads below a prefix. Empty if the store refuses to. Errors as in `S3Client`. */
  async list(prefix: string): Promise<readonly S3Upload[]> {
    return (await this.#unlessRefused(() => this.#client.uploads(prefix))) ?? [];
  }

  /**
   * Aborts all uploads below a prefix. This owner must not write there concurrently. Uploads of a later owner are
   * spared, because the client sends no request once the tables are lost, and each upload was listed before.
   * Errors as in `S3Client`.
   */
  async abort(prefix: string): Promise<void> {
    const uploads = await this.list(prefix);
    await inParallel(uploads, (upload) => this.#unlessRefused(() => this.#client.abort(upload)));
  }

  async #unlessRefused<T>(request: () => Promise<T>): Promise<T | undefined> {
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof S3Refusal)) throw error;
      this.#onRefusal(error);
      return undefined;
    }
  }
}
