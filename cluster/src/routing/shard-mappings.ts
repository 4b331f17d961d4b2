/** First token of the subjects that owners subscribe to. The number of the shard follows. */
const SHARD_TOKEN = "p";
/** Number of tokens before the original subject. */
export const SHARD_TOKEN_COUNT = 2;

/** A subject and the subject that the server replaces it with. */
export interface SubjectMapping {
  readonly from: string;
  readonly to: string;
}

/** Endings of request subjects, after the tenant and the agent. */
const ENDINGS = ["memory.*.req", "memory.*.*.req", "ping"];

/** Returns the mappings that send each request to the shard of its tenant. They belong to the hosts' account. */
export function shardMappings(prefix: string, shardCount: number): SubjectMapping[] {
  return ENDINGS.map((ending) => {
    const from = `${prefix}.*.*.${ending}`;
    let wildcard = 0;
    const target = from.replaceAll("*", () => `{{wildcard(${++wildcard})}}`);
    return { from, to: `${SHARD_TOKEN}.{{partition(${shardCount},1)}}.${target}` };
  });
}

/** Returns the subject on which the owner of a shard receives requests with this subject. */
export function shardSubject(shard: number | "*", subject: string): string {
  return `${SHARD_TOKEN}.${shard}.${subject}`;
}

/** Returns the subject of commands for a shard that read or write no entries. No request has it. */
export function controlSubject(shard: number | "*"): string {
  return shardSubject(shard, "control");
}

/** Returns the subject of commands that read, write or erase entries of a shard. Only hosts may publish on it. */
export function entriesSubject(shard: number | "*"): string {
  return shardSubject(shard, "entries");
}

/** Subjects of all shards, which only hosts subscribe to. */
export const SHARD_SUBJECTS = `${SHARD_TOKEN}.>`;

/** Returns the shard and the original subject of a received request. */
export function parseShardSubject(subject: string): { readonly shard: number; readonly subject: string } {
  const [, shard = "", ...rest] = subject.split(".");
  return { shard: Number(shard), subject: rest.join(".") };
}
