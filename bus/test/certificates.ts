import { generate } from "selfsigned";
import type { NatsFixture } from "./nats-fixture.js";

type Extensions = NonNullable<NonNullable<Parameters<typeof generate>[1]>["extensions"]>;

const SHARED = { keyType: "ec", algorithm: "sha256" } as const;
const LOCALHOST = { type: 2, value: "localhost" } as const;
/** Subject name of a server that is addressed by IP. */
export const LOOPBACK = { type: 7, ip: "127.0.0.1" } as const;

/** Paths of PEM files. */
export interface Certificates {
  readonly caFile: string;
  readonly server: { readonly certFile: string; readonly keyFile: string };
  readonly client: { readonly certFile: string; readonly keyFile: string };
}

/** Issues certificates of a new authority: for a server, by default at localhost, and for a client. */
export async function issueCertificates(
  fixture: Pick<NatsFixture, "file">,
  at: typeof LOCALHOST | typeof LOOPBACK = LOCALHOST,
): Promise<Certificates> {
  const authority = await generate([{ name: "commonName", value: "authority" }], {
    ...SHARED,
    extensions: [
      { name: "basicConstraints", cA: true },
      { name: "keyUsage", keyCertSign: true },
    ],
  });
  const ca = { key: authority.private, cert: authority.cert };
  const issue = async (commonName: string, extensions: Extensions) => {
    const pems = await generate([{ name: "commonName", value: commonName }], { ...SHARED, ca, extensions });
    const keyFile = await fixture.file("key.pem", pems.private);
    return { certFile: await fixture.file("cert.pem", pems.cert), keyFile };
  };
  return {
    caFile: await fixture.file("ca.pem", authority.cert),
    server: await issue("server", [
      { name: "subjectAltName", altNames: [at] },
      { name: "extKeyUsage", serverAuth: true },
    ]),
    client: await issue("client", [{ name: "extKeyUsage", clientAuth: true }]),
  };
}

/** Returns the `tls` configuration of a server. `verify` requires a client certificate. */
export function tlsConfig({ caFile, server }: Certificates, verify = false): string {
  const own = `cert_file: "${server.certFile}", key_file: "${server.keyFile}"`;
  return `tls { ${own}, ca_file: "${caFile}", verify: ${verify} }\n`;
}
