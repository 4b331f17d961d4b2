import { type Clock, MemoryError } from "@membus/protocol";

export interface DownloadLimits {
  readonly connectTimeoutMs: number;
  readonly downloadTimeoutMs: number;
  readonly sizeBytesMax: number;
}

/**
 * Fetches `url` and follows redirects.
 *
 * @throws {MemoryError} `unavailable` for a timeout, a status other than 2xx, or a body over the limit.
 */
export async function download(url: string, limits: DownloadLimits, clock: Clock): Promise<Buffer> {
  const abort = new AbortController();
  const abortAfter = (timeoutMs: number, what: string) =>
    clock.after(timeoutMs, () => abort.abort(new Error(`${what} within ${timeoutMs / 1000} s`)));
  const cancelConnect = abortAfter(limits.connectTimeoutMs, "no answer");
  const cancelTotal = abortAfter(limits.downloadTimeoutMs, "not completed");
  try {
    const response = await fetch(url, { signal: abort.signal });
    cancelConnect();
    if (!response.ok || response.body === null)
      throw new Error(`the site returned status ${response.status}`);
    return await readBody(response.body, limits.sizeBytesMax);
  } catch (error) {
    abort.abort();
    throw new MemoryError("unavailable", `${url}: ${networkReason(error)}`, {}, { cause: error });
  } finally {
    cancelConnect();
    cancelTotal();
  }
}

async function readBody(body: AsyncIterable<Uint8Array>, sizeBytesMax: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of body) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > sizeBytesMax) throw new Error(`larger than ${sizeBytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * Returns the reason of a network error. fetch itself reports only "fetch failed" and keeps the reason in the
 * cause.
 */
function networkReason(error: unknown): string {
  const { message, cause } = error as Error;
  const { message: detail, code } = (cause ?? {}) as NodeJS.ErrnoException;
  return detail || code || message;
}
