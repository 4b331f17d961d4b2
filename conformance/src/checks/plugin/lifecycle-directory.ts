import { hostname } from "node:os";
import { type Check, pluginCheck } from "../../catalogue/check.js";
import { expectWhole } from "../../fixtures/life-promises.js";

/** A directory can be open in only one instance. */
export const lifecycleDirectoryChecks: readonly Check[] = [
  pluginCheck({
    id: "lifecycle/second-opener-is-refused",
    clauses: ["PLUG-17"],
    features: ["durable"],
    async run({ caller, entry, expect, another }) {
      const one = entry();
      await caller.store(one);
      const error = await another({ sameDirectory: true }).then(
        () => undefined,
        (thrown: unknown) => thrown as Error & { detail?: unknown },
      );
      const what = "`open` of a second instance on a directory that another one has open";
      expect.holds(error !== undefined, what, "no error", "an error");
      const errorText = `${error?.message} ${JSON.stringify(error?.detail ?? {})}`;
      const names = [String(process.pid), hostname()].filter((name) => errorText.includes(name));
      const expected = `it to name the process ${process.pid} or the machine ${hostname()}`;
      expect.holds(names.length > 0, `the error of ${what}`, errorText, expected);
      await caller.store(entry());
      const { total } = await caller.retrieve();
      expect.equal(total, 2, "entries of the first instance after a second one was refused");
    },
  }),
  pluginCheck({
    id: "lifecycle/directory-is-free-after-close",
    clauses: ["PLUG-17", "PLUG-5"],
    features: ["durable"],
    async run({ caller, entry, expect, reopen, another }) {
      await caller.store(entry());
      await another({ sameDirectory: true }).catch(() => undefined);
      for (const time of ["once", "twice"]) {
        await reopen();
        const { total } = await caller.retrieve();
        expect.equal(total, 1, `entries after close and open, ${time}, after a second open was refused`);
      }
    },
  }),
  pluginCheck({
    id: "lifecycle/another-process-is-refused",
    clauses: ["PLUG-17"],
    features: ["durable"],
    provisions: ["kill"],
    async run(t) {
      const { expect } = t;
      const { pid, refusal, moments } = await t.life();
      const what = "`open` on a directory that another process has open";
      expect.holds(refusal !== undefined, what, "no error", "an error");
      const { message, detail = {} } = refusal as Error & { readonly detail?: unknown };
      const errorText = `${message} ${JSON.stringify(detail)}`;
      const names = [String(pid), hostname()].filter((name) => errorText.includes(name));
      const expected = `it to name the process ${pid} or the machine ${hostname()}`;
      expect.holds(names.length > 0, `the error of ${what}`, errorText, expected);
      const last = moments.at(-1)!;
      await t.resume(last, "that was killed after another open was refused");
      await expectWhole(t, last, "in a directory on which another process was refused");
    },
  }),
];
