import { nkeys } from "@nats-io/transport-node";

type KeyPair = ReturnType<typeof nkeys.createUser>;

const UNLIMITED = { subs: -1, data: -1, payload: -1 };
const ACCOUNT = { ...UNLIMITED, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 };

/** Returns the configuration of a server with one account, and the credentials file of one of its users. */
export function operatorMode(): { config: string; creds: string } {
  const [operator, account, user] = [nkeys.createOperator(), nkeys.createAccount(), nkeys.createUser()];
  const operatorJwt = sign(operator, operator, { type: "operator" });
  const accountJwt = sign(operator, account, { type: "account", limits: ACCOUNT });
  const userJwt = sign(account, user, { type: "user", ...UNLIMITED });
  const preload = `resolver_preload: { ${account.getPublicKey()}: ${accountJwt} }`;
  return {
    config: `operator: ${operatorJwt}\nresolver: MEMORY\n${preload}\n`,
    creds: credsFile(userJwt, new TextDecoder().decode(user.getSeed())),
  };
}

/** Returns a JWT in the format of NATS, signed with an nkey. */
function sign(issuer: KeyPair, subject: KeyPair, nats: object): string {
  const header = { typ: "JWT", alg: "ed25519-nkey" };
  const claims = { iss: issuer.getPublicKey(), sub: subject.getPublicKey(), nats: { ...nats, version: 2 } };
  const signed = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"));
  const signature = issuer.sign(Buffer.from(signed.join(".")));
  return [...signed, Buffer.from(signature).toString("base64url")].join(".");
}

function credsFile(jwt: string, seed: string): string {
  const block = (name: string, content: string) =>
    `-----BEGIN ${name}-----\n${content}\n------END ${name}------\n`;
  return `${block("NATS USER JWT", jwt)}\n${block("USER NKEY SEED", seed)}`;
}
