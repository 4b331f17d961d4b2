import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { projectOf } from "../src/index.js";
import { canonicalRemote } from "../src/project/index.js";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "membus-project-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Creates a repository with a remote. */
function repository(name: string, url?: string): string {
  const root = join(folder, name);
  mkdirSync(join(root, ".git"), { recursive: true });
  mkdirSync(join(root, "src/deep"), { recursive: true });
  const remote = url === undefined ? "" : `[remote "origin"]\n\turl = ${url}\n`;
  writeFileSync(join(root, ".git/config"), `[core]\n\tbare = false\n${remote}`);
  return root;
}

it.each([
  ["git@github.com:acme/shop.git"],
  ["https://github.com/acme/shop"],
  ["https://ada:secret@GitHub.com/acme/shop.git/"],
  ["ssh://git@github.com:22/acme/shop.git"],
])("reads %s as the same remote", (url) => {
  expect(canonicalRemote(url)).toBe("github.com/acme/shop");
});

it("gives two clones of a remote one memory, in every folder", async () => {
  const one = repository("one", "git@github.com:acme/shop.git");
  const other = repository("other", "https://github.com/acme/shop");
  const { subject, user, root } = await projectOf(join(one, "src/deep"));
  expect(subject).toEqual({ name: "project:shop-c566806a", namespace: "about/project:shop-c566806a" });
  expect(user).toEqual({ name: "user", namespace: "about/user" });
  expect(root).toBe(one);
  expect((await projectOf(other)).subject).toEqual(subject);
});

it("gives repositories without a remote separate memories", async () => {
  const one = await projectOf(repository("a/app"));
  const other = await projectOf(repository("b/app"));
  expect(one.subject.name).toMatch(/^project:app-[0-9a-f]{8}$/);
  expect(other.subject.name).not.toBe(one.subject.name);
});

it("gives a worktree the memory of its repository", async () => {
  const root = repository("main");
  mkdirSync(join(root, ".git/worktrees/fix"), { recursive: true });
  writeFileSync(join(root, ".git/worktrees/fix/commondir"), "../..\n");
  const worktree = join(folder, "worktree");
  mkdirSync(worktree);
  writeFileSync(join(worktree, ".git"), `gitdir: ${join(root, ".git/worktrees/fix")}\n`);
  expect(await projectOf(worktree)).toEqual(await projectOf(root));
});

it("uses the path of a folder without a repository", async () => {
  const plain = join(folder, "plain folder");
  mkdirSync(plain);
  expect((await projectOf(plain)).subject.name).toMatch(/^project:plain-folder-[0-9a-f]{8}$/);
});
