const REQUEST_HEADERS = ["accept", "authorization", "content-type", "user-agent"];

/**
 * Returns the `fetch` for the openai package, which otherwise sends headers with values from the environment
 * and the machine. It sends only known headers and follows no redirects, so that messages reach only the
 * configured server. It limits replies to `responseBytesMax`, and removes the API key from error texts.
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
      if (size > bytesMax)
        throw new RangeError(`the reply exceeds ${bytesMax} bytes (limit: responseBytesMax)`);
      controller.enqueue(chunk);
    },
  });
}
