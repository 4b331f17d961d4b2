import { useEffect, useState } from "preact/hooks";

type RouteParams = Readonly<Record<string, string | undefined>>;

/** The current address: `#/memories?agent=alice&namespace=default`. It holds the whole state of the page. */
export interface Route {
  readonly path: string;
  readonly params: URLSearchParams;
  /** Returns the address of this view with other parameters. It omits undefined and empty parameters. */
  href(params: RouteParams): string;
  /** Navigates to this view with other parameters. */
  go(params: RouteParams): void;
  /** Changes parameters and keeps the others. It adds no step to the history of the browser. */
  adjust(params: RouteParams): void;
}

/** Parameters that every address keeps. */
const WHO = ["tenant", "agent"] as const;

/** Returns the address of a view with these parameters. It shows the same tenant and agent unless they are given. */
export function hrefOf(path: string, params: RouteParams = {}): string {
  const current = routeOf(location.hash).params;
  const kept = WHO.filter((name) => !Object.hasOwn(params, name)).map(
    (name) => [name, current.get(name)] as const,
  );
  const given = [...Object.entries(params), ...kept].filter((entry): entry is [string, string] =>
    Boolean(entry[1]),
  );
  const query = new URLSearchParams(given).toString();
  return `#/${path}${query === "" ? "" : `?${query}`}`;
}

/** Returns the current route, and updates when it changes. */
export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const changed = () => setHash(location.hash);
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return routeOf(hash);
}

function routeOf(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  const params = new URLSearchParams(query);
  return {
    path,
    params,
    href: (changed) => hrefOf(path, changed),
    go: (changed) => {
      location.hash = hrefOf(path, changed);
    },
    adjust: (changed) => {
      history.replaceState(null, "", hrefOf(path, { ...Object.fromEntries(params), ...changed }));
      dispatchEvent(new HashChangeEvent("hashchange"));
    },
  };
}
