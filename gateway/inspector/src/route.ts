import { useEffect, useState } from "preact/hooks";

/** The current address: `#/memories?namespace=default`. */
export interface Route {
  readonly path: string;
  readonly params: URLSearchParams;
  /** Returns the address of this view with other parameters. It omits undefined and empty parameters. */
  href(params: Readonly<Record<string, string | undefined>>): string;
  /** Navigates to this view with other parameters. */
  go(params: Readonly<Record<string, string | undefined>>): void;
}

/** Returns the address of a view with these parameters. */
export function hrefOf(path: string, params: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(params).filter((entry): entry is [string, string] => Boolean(entry[1]));
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
  return {
    path,
    params: new URLSearchParams(query),
    href: (params) => hrefOf(path, params),
    go: (params) => {
      location.hash = hrefOf(path, params);
    },
  };
}
