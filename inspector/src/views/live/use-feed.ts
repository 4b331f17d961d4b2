import { useEffect, useRef, useState } from "preact/hooks";
import type { Api } from "../../api.js";
import { after } from "../../clock.js";
import { type Change, heard, listed, merge, type RecentChange, withTexts } from "./feed.js";
import { readTexts } from "./texts.js";

/** Texts of what comes within this time are asked for together. */
const GATHER_MS = 300;
/** Of what comes faster than texts can be read, the latest. */
const GATHERED_MAX = 200;

export interface Feed {
  readonly changes: readonly Change[];
  readonly state: "connecting" | "open" | "refused";
  readonly failure?: Error | undefined;
}

/** What happens, from now on, and what happened last: subscribed first, then listed, so that nothing falls between the two. */
export function useFeed(api: Api): Feed {
  const [changes, setChanges] = useState<readonly Change[]>([]);
  const [state, setState] = useState<Feed["state"]>("connecting");
  const [failure, setFailure] = useState<Error>();
  const waiting = useRef<Change[]>([]);
  useEffect(() => {
    setState("connecting");
    setChanges([]);
    const ended = new AbortController();
    let cancelTexts: (() => void) | undefined;
    const readLater = () => {
      cancelTexts ??= after(GATHER_MS, () => {
        cancelTexts = undefined;
        const stored = waiting.current.splice(0);
        void readTexts(api, stored, ended.signal).then((texts) =>
          setChanges((known) => withTexts(known, texts)),
        );
      });
    };
    const list = async () => {
      const { changes: recent } = await api.get<{ changes: RecentChange[] }>("recent", {}, ended.signal);
      setChanges((known) => merge(known, recent.map(listed)));
    };
    const stop = api.events(
      (event) => {
        const change = heard(event);
        setChanges((known) => merge(known, [change]));
        if (event.action !== "stored") return;
        waiting.current = [...waiting.current, change].slice(-GATHERED_MAX);
        readLater();
      },
      {
        onOpen: () => {
          setState("open");
          setFailure(undefined);
          list().catch((error: Error) => !ended.signal.aborted && setFailure(error));
        },
        onLost: () => setState("connecting"),
        onFailure: (error) => {
          setState("refused");
          setFailure(error);
        },
      },
    );
    return () => {
      cancelTexts?.();
      ended.abort();
      stop();
    };
  }, [api]);
  return { changes, state, failure };
}
