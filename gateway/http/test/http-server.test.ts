import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  boundedBody,
  checkCaller,
  EventStream,
  headOnlyFor,
  hostnameOf,
  jsonResponse,
  limitRequests,
  RequestPool,
  ResponseWriter,
  textResponse,
} from "../src/index.js";
import { HttpFixture, textOf } from "./http-fixture.js";

let fixture: HttpFixture;
beforeEach(() => {
  fixture = new HttpFixture();
});
afterEach(() => fixture.stop());

async function statusOf(path: string, options: { method?: string; body?: string } = {}): Promise<number> {
  return (await fetch(fixture.url + path, options)).status;
}

describe("routing", () => {
  it("matches the path as it was sent, and answers an invalid target after the checks", async () => {
    const rules = {
      isHostAllowed: (host: string) => hostnameOf(host) === "localhost",
      isOriginAllowed: () => false,
    };
    await fixture.start((app) => {
      app.use(checkCaller(rules, (c, cause) => jsonResponse(c, 403, { cause })));
      app.get("/a", (c) => c.text("found"));
    });
    const raw = async (target: string, host: string) => {
      const socket = connect(Number(new URL(fixture.url).port), "127.0.0.1");
      socket.write(`GET ${target} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
      return (await textOf(socket)).slice(9, 12);
    };
    expect(await raw("/a", "localhost")).toBe("200");
    for (const target of ["/x/../a", "/%61", "//a", "*", "http://localhost/a", "/x\\..\\a"]) {
      expect([target, await raw(target, "localhost")]).toEqual([target, "404"]);
    }
    for (const host of ["evil.example", "a b", ""])
      expect([host, await raw("/a", host)]).toEqual([host, "403"]);
  });

  it("answers HEAD only where it is allowed, and labels metrics by route", async () => {
    await fixture.start((app) => {
      app.use(headOnlyFor(["/a"]));
      app.get("/a", (c) => c.text("found"));
      app.get("/b/*", (c) => c.text("found"));
    });
    expect(await statusOf("/a", { method: "HEAD" })).toBe(200);
    expect(await statusOf("/b/x", { method: "HEAD" })).toBe(404);
    expect(await statusOf("/b/x")).toBe(200);
    expect(await statusOf("/c")).toBe(404);
    await expect.poll(() => fixture.ended.length).toBe(4);
    expect(fixture.ended.map(({ route, status }) => `${route} ${status}`)).toEqual([
      "/a 200",
      "/b 404",
      "/b 200",
      "none 404",
    ]);
  });
});

describe("limits", () => {
  it("answers a body that is too long after it was sent, and closes the connection of an endless one", async () => {
    await fixture.start((app) => {
      app.post(
        "/",
        boundedBody(10, (c) => textResponse(c, 413, "too long")),
        (c) => c.text(c.get("body").bytes.toString()),
      );
      app.onError((_, c) => c.text("failed", 500));
    });
    expect(await statusOf("/", { method: "POST", body: "0123456789" })).toBe(200);
    expect(await statusOf("/", { method: "POST", body: "0123456789a" })).toBe(413);
    await expect(statusOf("/", { method: "POST", body: "x".repeat(1_000_000) })).rejects.toThrow();
  });

  it("refuses one request too many until another has ended", async () => {
    const pool = new RequestPool({ countMax: 1 });
    let release = () => {};
    await fixture.start((app) =>
      app.get(
        "/",
        limitRequests(pool, (c) => textResponse(c, 503, "too many")),
        async (c) => {
          await new Promise<void>((resolve) => {
            release = resolve;
          });
          return c.text("done");
        },
      ),
    );
    const first = statusOf("/");
    await expect.poll(() => pool.count).toBe(1);
    expect(await statusOf("/")).toBe(503);
    release();
    expect(await first).toBe(200);
    await expect.poll(() => pool.count).toBe(0);
  });
});

describe("shutdown", () => {
  it("waits for the response and for the work of a request, but not for a stream", async () => {
    const done: string[] = [];
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    await fixture.start((app) => {
      app.get("/stream", (c) => new EventStream(c, 1_000).response);
      app.get("/work", (c) => {
        c.get("openRequest").addWork(finished.then(() => void done.push("work")));
        return c.text("accepted");
      });
    });
    const stream = await fetch(`${fixture.url}/stream`);
    expect(await (await fetch(`${fixture.url}/work`)).text()).toBe("accepted");
    await fixture.stop(() => {
      const idle = fixture.tracker.idle().then(() => void done.push("idle"));
      finish();
      return idle;
    });
    expect(done).toEqual(["work", "idle"]);
    await expect(stream.text()).rejects.toThrow();
    await fixture.start(() => {});
  });
});

describe("a response that is written piece by piece", () => {
  it("is written as fast as the client reads", async () => {
    let written = 0;
    const end = new AbortController();
    await fixture.start((app) =>
      app.get("/", (c) => {
        const writer = new ResponseWriter(c.env.outgoing, end.signal);
        const write = async () => {
          writer.begin(200, {});
          for (; written < 1_000; written++) await writer.write(new Uint8Array(0x10000));
          writer.end();
        };
        write().catch(() => writer.cut());
        return writer.response;
      }),
    );
    const sent = request(fixture.url, { agent: false }).end();
    const [response] = await once(sent, "response");
    await new Promise((resolve) => setTimeout(resolve, 500));
    // The kernel takes some megabytes.
    expect(written).toBeLessThan(300);
    end.abort();
    await expect(async () => {
      for await (const _ of response);
    }).rejects.toThrow();
  });

  it("has no body if its status has none", async () => {
    await fixture.start((app) =>
      app.get("/", (c) => {
        const writer = new ResponseWriter(c.env.outgoing, new AbortController().signal);
        writer.begin(204, { "x-a": "b" });
        writer.end();
        return writer.response;
      }),
    );
    const response = await fetch(fixture.url);
    expect([response.status, response.headers.get("x-a")]).toEqual([204, "b"]);
  });
});
