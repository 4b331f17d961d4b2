import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { sendRequest } from "../src/send-request.js";

const servers: ReturnType<typeof createServer>[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

it("sends the method, the headers and the body, and returns the response", async () => {
  const url = await serve(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    response.writeHead(201, { "x-test": "yes", "set-cookie": ["a=1", "b=2"] });
    response.end(JSON.stringify({ method: request.method, type: request.headers["content-type"], body }));
  });
  const headers = { "content-type": "text/plain" };
  const response = await sendRequest(url, { method: "POST", headers, body: "hello" });
  expect([response.status, response.ok, response.headers.get("x-test")]).toEqual([201, true, "yes"]);
  expect(await response.json()).toEqual({ method: "POST", type: "text/plain", body: "hello" });
});

it("follows no redirects and reads responses without a body", async () => {
  const url = await serve((request, response) => {
    response.writeHead(request.method === "GET" ? 302 : 204, { location: "/elsewhere" }).end();
  });
  expect((await sendRequest(url)).status).toBe(302);
  expect(await (await sendRequest(url, { method: "POST", body: "x" })).text()).toBe("");
});

it("rejects a refused connection with its cause", async () => {
  await expect(sendRequest("http://127.0.0.1:1/")).rejects.toMatchObject({ code: "ECONNREFUSED" });
});

it("sends a request again if the server has closed the kept connection", async () => {
  let requests = 0;
  const url = await serve((request, response) => {
    requests += 1;
    if (requests === 2) request.socket.destroy();
    else response.end(`answer ${requests}`);
  });
  expect(await (await sendRequest(url)).text()).toBe("answer 1");
  expect(await (await sendRequest(url)).text()).toBe("answer 3");
});

it("ends the request when the signal aborts, before and within the response", async () => {
  const stop = new AbortController();
  const url = await serve((_, response) => void response.write("half"));
  const response = await sendRequest(url, { signal: stop.signal });
  stop.abort(new Error("enough"));
  await expect(response.text()).rejects.toThrow();
  await expect(sendRequest(url, { signal: stop.signal })).rejects.toThrow();
});
