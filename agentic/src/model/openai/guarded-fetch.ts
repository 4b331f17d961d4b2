const REQUEST_HEADERS = ["accept", "authorization", "content-type", "user-agent"];

/**
 * The `fetch` under the openai package, which by itself adds headers from the environment and about the machine. This one
 * sends the headers that it knows, follows no redirects (messages go only where they were meant to), ends a reply that is
 * longer than `responseBytesMax`, and takes the API key out of errors that repeat it.
 */
export function createGuardedFetch({
  apiKey,
  responseBytesMax,
}: {
  readonly apiKey: string;
  readonly responseBytesMax: number;
}): typeof fetch {
  return async (url, init) => {
    const headers = new Headers(
      [...new Headers(init?.headers)].filter(([name]) => REQUEST_HEADERS.includes(name)),
    );
    const response = await fetch(url, { ...init, headers, redirect: "manual" });
    const body = response.body?.pipeThrough(bounded(responseBytesMax)) ?? null;
    const { status } = response;
    if (response.ok || body === null || apiKey === "") {
      return new Response(body, { status, headers: response.headers });
    }
    const text = await new Response(body).text();
    return new Response(text.replaceAll(apiKey, "[api key]"), { status, headers: response.headers });
  };
}

function bounded(bytesMax: number): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let size = 0;
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.byteLength;
      if (size > bytesMax) throw new RangeError(`the reply is longer than ${bytesMax} bytes`);
      controller.enqueue(chunk);
    },
  });
}
