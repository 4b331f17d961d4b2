import type { RecentChange } from "@membus/gateway/inspector-api";
import { useEffect, useState } from "preact/hooks";
import type { Api } from "../../api.js";
import { Batcher } from "./batcher.js";
import { CHANGES_MAX, type Change, listed, merge, toChange, withTexts } from "./feed.js";
import { readTexts } from "./texts.js";

/** Changes within this time are drawn together. Milliseconds. */
const DRAW_MS = 50;
/** Texts of changes within this time are requested together. Milliseconds. */
const READ_MS = 300;

export interface Feed {
  readonly changes: readonly Change[];
  readonly state: "connecting" | "open" | "refused";
  readonly failure?: Error | undefined;
}

/**
 * Returns live and recent changes. It subscribes before it lists, so that no change is lost between the two.
 */
export function useFeed(api: Api): Feed {
  const [changes, setChanges] = useState<readonly Change[]>([]);
  const [state, setState] = useState<Feed["state"]>("connecting");
  const [failure, setFailure] = useState<Error>();
  useEffect(() => {
    setState("connecting");
    setChanges([]);
    const ended = new AbortController();
    const news = new Batcher<Change>(DRAW_MS, CHANGES_MAX, (received) =>
      setChanges((known) => merge(known, received)),
    );
    const unread = new Batcher<Change>(READ_MS, CHANGES_MAX, async (stored) => {
      const texts = await readTexts(api, stored, ended.signal);
      setChanges((known) => withTexts(known, texts));
    });
    const list = async () => {
      const { changes: recent } = await api.get<{ changes: RecentChange[] }>("recent", {}, ended.signal);
      setChanges((known) => merge(known, recent.map(listed)));
    };
    const stop = api.events(
      (event) => {
        const change = toChange(event);
        news.add(change);
        if (event.action === "stored") unread.add(change);
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
      news.stop();
      unread.stop();
      ended.abort();
      stop();
    };
  }, [api]);
  return { changes, state, failure };
}
