import { afterAll, beforeAll, expect, it } from "vitest";
import { GatewayFixture } from "./gateway-fixture.js";

const fixture = new GatewayFixture();
let url = "";
beforeAll(async () => {
  await fixture.start();
  ({ url } = await fixture.gateway());
});
afterAll(() => fixture.stop());

const get = (path: string, headers: Record<string, string> = {}) => fetch(url + path, { headers });
const page = async () => (await get("/")).text();
const scriptOf = (document: string) => /src="(\/inspector-[\w-]+\.js)"/.exec(document)![1]!;

it("revalidates the document, and caches scripts by their hashed names", async () => {
  const document = await get("/");
  expect([document.status, document.headers.get("cache-control")]).toEqual([200, "no-cache"]);
  expect(document.headers.get("content-type")).toBe("text/html; charset=utf-8");
  const script = await get(scriptOf(await document.text()));
  expect([script.status, script.headers.get("cache-control")]).toEqual([200, "max-age=31536000, immutable"]);
  expect(script.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  expect(script.headers.get("content-security-policy")).toContain("script-src 'self'");
  for (const path of ["/inspector.css", "/inspector.svg"]) {
    const file = await get(path);
    expect([path, file.status, file.headers.get("cache-control")]).toEqual([path, 200, "no-cache"]);
  }
});

it("serves all imports of a script", async () => {
  const script = await (await get(scriptOf(await page()))).text();
  const imported = [...script.matchAll(/["'`]\.\/([\w-]+\.js)["'`]/g)].map(([, name]) => `/${name}`);
  expect(imported.map((path) => path.replace(/-[\w-]{8}\./, "."))).toEqual(
    expect.arrayContaining(["/graph.js", "/health.js"]),
  );
  for (const path of imported) expect([path, (await get(path)).status]).toEqual([path, 200]);
});

it("is compressed with gzip for clients that accept it", async () => {
  const path = scriptOf(await page());
  const zipped = await get(path, { "accept-encoding": "gzip" });
  const plain = await get(path, { "accept-encoding": "identity" });
  expect([zipped, plain].map(({ headers }) => headers.get("content-encoding"))).toEqual(["gzip", null]);
  expect([zipped, plain].map(({ headers }) => headers.get("vary"))).toEqual([
    "accept-encoding",
    "accept-encoding",
  ]);
  expect(await zipped.text()).toBe(await plain.text());
});

it.each([
  "/index.html",
  "/inspector.js",
  "/inspector-00000000.js",
  "/LICENSES.txt",
  "/../index.js",
  "/..%2findex.js",
  "/%2e%2e/index.js",
  "/constructor",
  "/__proto__",
])("does not serve %s", async (path) => {
  expect((await get(path)).status).toBe(404);
});

it("counts all files under one label in the metrics", async () => {
  await get(scriptOf(await page()));
  const figures = await (await get("/metrics")).text();
  expect(figures).toContain('route="/"');
  expect(figures).not.toContain("inspector-");
});
