import { afterEach, describe, expect, it } from "vitest";
import { issueCertificates, LOOPBACK, tlsConfig } from "./certificates.js";
import { rejection } from "./expect-error.js";
import { NatsFixture } from "./nats-fixture.js";
import { NATS_SERVERS } from "./nats-server.js";

const fixture = new NatsFixture();
afterEach(() => fixture.close());

describe.each(NATS_SERVERS)("encryption with %s", (binary) => {
  it("trusts only the given certificate authority", async () => {
    const [certificates, others] = [await issueCertificates(fixture), await issueCertificates(fixture)];
    const { port } = await fixture.launchConfigured(binary, tlsConfig(certificates));
    const servers = `tls://localhost:${port}`;
    await (await fixture.connect({ servers, tls: { caFile: certificates.caFile } })).bus.flush();
    await rejection(fixture.connect({ servers, tls: { caFile: others.caFile } }), "unavailable");
    await rejection(fixture.connect({ servers }), "unavailable");
  });

  it("checks the certificate against the host name or address of the URL", async () => {
    for (const [at, right, wrong] of [
      [undefined, "localhost", "127.0.0.1"],
      [LOOPBACK, "127.0.0.1", "localhost"],
    ] as const) {
      const certificates = await issueCertificates(fixture, at);
      const { port } = await fixture.launchConfigured(binary, tlsConfig(certificates));
      const tls = { caFile: certificates.caFile };
      await (await fixture.connect({ servers: `tls://${right}:${port}`, tls })).bus.flush();
      const error = await rejection(
        fixture.connect({ servers: `tls://${wrong}:${port}`, tls }),
        "unavailable",
      );
      expect(error.message).toMatch(/altnames/);
    }
  });

  it("presents a client certificate if the server requires one", async () => {
    const certificates = await issueCertificates(fixture);
    const { port } = await fixture.launchConfigured(binary, tlsConfig(certificates, true));
    const { caFile, client } = certificates;
    const servers = `nats://localhost:${port}`;
    await (await fixture.connect({ servers, tls: { caFile, ...client } })).bus.flush();
    const { client: forged } = await issueCertificates(fixture);
    for (const own of [undefined, forged]) {
      // The client sees the refusal only as a timeout.
      const refused = fixture.connect({ servers, tls: { caFile, ...own }, connectTimeoutMs: 1_000 });
      await rejection(refused, "unavailable");
    }
  });

  it("rejects a server without TLS if the URL or the options require it", async () => {
    const { caFile } = await issueCertificates(fixture);
    const { port } = await fixture.launch({ binary });
    for (const options of [
      { servers: `tls://127.0.0.1:${port}` },
      { servers: `127.0.0.1:${port}`, tls: { caFile } },
    ]) {
      expect((await rejection(fixture.connect(options), "unavailable")).message).toMatch(/tls/);
    }
  });
});

it("rejects an unreadable TLS file with its option name", async () => {
  const { port } = await fixture.launch({ binary: NATS_SERVERS[0]! });
  const tls = { caFile: "/nowhere/ca.pem" };
  const connecting = fixture.connect({ servers: `tls://127.0.0.1:${port}`, tls });
  await expect(connecting).rejects.toThrow(/^cannot read tls\.caFile: .*\/nowhere\/ca\.pem/);
  await expect(connecting).rejects.toBeInstanceOf(TypeError);
});
