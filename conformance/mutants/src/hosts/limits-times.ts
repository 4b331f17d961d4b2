import { hostMutant, type Mutant } from "../mutant.js";
import { rewriteRequests } from "./intercept.js";
import { readingEntries } from "./rewrite-entries.js";

export const limitsOfTimesMutants: readonly Mutant[] = [
  hostMutant({
    id: "limits-ends-before-1970-are-long-past",
    defect: "an `expires_at` before 1970 is taken for an entry without expiry",
    check: "limits/times-in-range",
    names: /an entry with expires_at -0.001/,
    bus: readingEntries((entry) => (Number(entry.expires_at) < 0 ? { ...entry, expires_at: null } : entry)),
  }),
  hostMutant({
    id: "limits-times-cut-to-the-last",
    defect: "a time after the last possible one counts as the last",
    check: "limits/times-in-range",
    names: /a retrieve with (since|until) 100000000001/,
    bus: (bus) =>
      rewriteRequests(bus, (fields) => {
        const cut = (name: string) =>
          typeof fields[name] === "number" ? { [name]: Math.min(fields[name], 1e11) } : {};
        return fields.type === "memory/retrieve/req"
          ? { ...fields, ...cut("since"), ...cut("until") }
          : fields;
      }),
  }),
  hostMutant({
    id: "limits-lives-cut-to-the-longest",
    defect: "a `ttl` above the maximum counts as the maximum",
    check: "limits/times-in-range",
    names: /an entry with ttl 10000000001/,
    bus: readingEntries((entry) => (Number(entry.ttl) > 1e10 ? { ...entry, ttl: 1e10 } : entry)),
  }),
];
