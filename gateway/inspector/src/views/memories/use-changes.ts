import { useEffect, useState } from "preact/hooks";
import type { Api, LiveEvent } from "../../api.js";
import type { Place } from "./entry.js";

/** Number of changes that are kept. */
const EVENTS_MAX = 50;

export interface Changes {
  /** Changes, newest first. */
  readonly liveEvents: readonly LiveEvent[];
  readonly isOpen: boolean;
}

/** Subscribes to changes of one entry. `onFirstOpen` reads the changes before the subscription. */
export function useChanges(api: Api, { tier, namespace, key }: Place, onFirstOpen: () => void): Changes {
  const [liveEvents, setLiveEvents] = useState<readonly LiveEvent[]>([]);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    setLiveEvents([]);
    setOpen(false);
    let opened = 0;
    const onChange = (event: LiveEvent) => {
      if (event.key_hash !== key || event.tier !== tier || event.namespace !== namespace) return;
      setLiveEvents((known) => [event, ...known].slice(0, EVENTS_MAX));
    };
    const onOpen = () => {
      setOpen(true);
      if (opened++ === 0) onFirstOpen();
    };
    return api.events(onChange, { onOpen, onLost: () => setOpen(false) });
  }, [api, tier, namespace, key]);
  return { liveEvents, isOpen };
}
