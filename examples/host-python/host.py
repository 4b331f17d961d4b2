"""A memory host of the profile `basic` (protocol/spec/08-basic.md): memory of one process, words for a search.

    pip install nats-py && python host.py nats://127.0.0.1:4222
"""

import asyncio, base64, difflib, hashlib, json, logging, math, re, sys, time, unicodedata, uuid
import nats

TIERS = ("working", "episodic", "semantic")
FEATURES = ("full_text", "ttl")
# What one process holds at most: what is more is refused with `memory_full`.
ENTRIES_MAX, BYTES_MAX, PARTITIONS_MAX, SWEEP_S = 100_000, 256 * 2**20, 100_000, 30
# Code: number of the NATS header. None of these is worth a retry.
CODES = {"parse_error": 400, "invalid_message": 400, "version_mismatch": 400, "schema_violation": 400, "conflict": 409,
         "too_large": 413, "runtime_error": 500, "unsupported": 501, "memory_full": 507}

ENVELOPE = {"type", "id", "version", "ts", "session_id", "deadline_ms", "requires"}
CRITERIA = {"namespace", "keys", "tags", "tier"}
FIELDS = {"ping": ENVELOPE, "store": ENVELOPE | {"namespace", "entries"}, "forget": ENVELOPE | CRITERIA | {"all"},
          "retrieve": ENVELOPE | CRITERIA | {"query", "limit", "min_score"}}
# What other profiles have: refused with `unsupported`, for whoever sends it counts on it.
OTHER_CRITERIA = {"match", "tags_mode", "group", "since", "until", "where"}
OTHER_FIELDS = {"ping": set(), "store": {"ack"}, "forget": OTHER_CRITERIA | {"dry_run", "cascade", "purge"},
                "retrieve": OTHER_CRITERIA | {"embedding", "embedding_model", "order", "cursor", "mode", "include", "fields",
                                              "recency", "diversity", "expand", "explain", "rerank"}}
OTHER_ENTRY_FIELDS = {"metadata", "text", "context", "group", "occurred_at", "importance", "sources", "embedding",
                      "embedding_model", "expires_at", "if_revision"}
SEGMENT = r"[^/*\x00-\x1f\x7f]{1,64}"
NAMESPACE = re.compile(rf"{SEGMENT}(/{SEGMENT}){{0,7}}")
TOKEN = re.compile(r"[A-Za-z0-9_-]{1,64}")
STARTED = time.time() - time.monotonic()


def now():
    """Unix seconds that never go back: revisions are made of them."""
    return STARTED + time.monotonic()


class Refused(Exception):
    def __init__(self, code, message, **detail):
        super().__init__(message)
        self.error = {"code": code, "message": message, "detail": detail, "retryable": False}


def wrong(path, message):
    return Refused("schema_violation", f"{path or 'message'}: {message}", path=path)


def at_most(limit, maximum, got):
    if got > maximum:
        raise Refused("too_large", f"{limit} is at most {maximum}, got {got}", limit=limit, max=maximum, got=got)


# Reading: what may be in a message, and in each field of it


def parse(data, content_type):
    packed = data[:1] and (0x80 <= data[0] <= 0x8F or data[0] in (0xDE, 0xDF))
    if content_type == "application/msgpack" or (packed and content_type != "application/json"):
        raise Refused("unsupported", "MessagePack is not of the profile basic")
    try:
        message = json.loads(data.decode("utf-8"), parse_constant=lambda name: float(name) / 0)
    except RecursionError:
        raise Refused("too_large", "too many levels", limit="depth", max=64, got=sys.getrecursionlimit())
    except (ValueError, ZeroDivisionError) as error:
        raise Refused("parse_error", f"no JSON in UTF-8: {error}".replace("\n", " "))
    if not isinstance(message, dict):
        raise Refused("invalid_message", "a message is an object")
    return message


def check_values(message):
    """What JSON can say, and a host or client in another language could not read."""
    count, stack = 0, [(message, 0)]
    while stack:
        value, depth = stack.pop()
        if isinstance(value, (dict, list)):
            count += 1
            at_most("depth", 64, depth)
            at_most("nestedValues", 100_000, count)
            stack.extend((part, depth + 1) for part in (value.values() if isinstance(value, dict) else value))
        if isinstance(value, dict):
            at_most("objectFields", 1_024, len(value))
            stack.extend((name, depth + 1) for name in value)
            if "__proto__" in value:
                raise wrong("", "no field may be called __proto__")
        elif isinstance(value, str) and any("\ud800" <= character <= "\udfff" for character in value):
            raise wrong("", "half a surrogate pair")
        elif isinstance(value, int) and abs(value) >= 2**53 or isinstance(value, float) and not math.isfinite(value):
            raise wrong("", "a number that not every reader can hold")


def string(value, path, limit="stringLength", maximum=4_096):
    if not isinstance(value, str) or value == "":
        raise wrong(path, "must be a string that is not empty")
    at_most(limit, maximum, len(value.encode("utf-16-le")) // 2)
    return value


def number(value, path, low, high, whole=False):
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not low <= value <= high or (whole and value != int(value)):
        raise wrong(path, f"must be {'an integer' if whole else 'a number'} of {low}..{high}")
    return int(value) if whole else value


def items(value, path, limit, maximum, read):
    if not isinstance(value, list) or not value:
        raise wrong(path, "must be a list that is not empty")
    at_most(limit, maximum, len(value))
    return [read(item, f"{path}[{at}]") for at, item in enumerate(value)]


def tag(value, path):
    return string(value, path, "tagLength", 256)


def tier_of(value, path="tier"):
    if value not in TIERS:
        raise wrong(path, f"must be one of {', '.join(TIERS)}")
    return value


def canonical(value):
    """RFC 8785: fields in the order of their UTF-16 units, numbers as ECMAScript writes them."""
    if isinstance(value, dict):
        fields = sorted(value.items(), key=lambda field: field[0].encode("utf-16-be"))
        return "{" + ",".join(f"{canonical(name)}:{canonical(part)}" for name, part in fields) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, float):
        return ecmascript(value)
    return json.dumps(value, ensure_ascii=False)


def ecmascript(value):
    """The shortest digits that read back as the same double, which Python finds too, placed as ECMAScript does."""
    digits, _, exponent = repr(abs(value)).partition("e")
    whole, _, fraction = digits.partition(".")
    point = len(whole) + int(exponent or 0)
    digits = (whole + fraction).lstrip("0")
    point -= len(whole + fraction) - len(digits)
    digits = digits.rstrip("0")
    sign = "-" if value < 0 else ""
    if digits == "":
        return "0"
    if len(digits) <= point <= 21:
        return sign + digits.ljust(point, "0")
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    return f"{sign}{digits[0]}{'.' if digits[1:] else ''}{digits[1:]}e{point - 1:+d}"


def key_of(value, path):
    key = {"name": string(value, path)} if isinstance(value, str) else value
    if not isinstance(key, dict) or not key:
        raise wrong(path, "must be a string or an object with fields")
    for name in key:
        if name == "" or name.startswith("$"):
            raise wrong(path, "must have no field without a name, and none that begins with $")
    at_most("keyBytes", 4_096, len(canonical(key).encode()))
    return key


def hash_of(key):
    return hashlib.sha256(canonical(key).encode()).hexdigest()


def key_hash(value, path):
    """Of a key as criteria name it."""
    if isinstance(value, dict) and set(value) == {"$hash"}:
        if isinstance(value["$hash"], str) and re.fullmatch("[0-9a-f]{64}", value["$hash"]):
            return value["$hash"]
    return hash_of(key_of(value, path))


def is_printable(text):
    return not any(unicodedata.category(character).startswith("C") for character in text)


def near(name, known):
    found = difflib.get_close_matches(name, known, 1)
    return f" (did you mean `{found[0]}`?)" if found else ""


def check_request(message, operation):
    """The fields that are given, each as it must be."""
    given = {}
    for name, value in message.items():
        empty = value == "" or (value == [] and name != "entries")
        if value is None or name.startswith("x_") or (empty and (operation != "forget" or name == "session_id")):
            continue
        if name not in FIELDS[operation] | OTHER_FIELDS[operation]:
            raise wrong(name, f"unknown field{near(name, FIELDS[operation] | OTHER_FIELDS[operation])}")
        given[name] = value
    if "id" in given and not is_printable(string(given["id"], "id", "idLength", 128)):
        raise wrong("id", "must be printable")
    if "ts" in given:
        number(given["ts"], "ts", -math.inf, math.inf)
    if "session_id" in given:
        string(given["session_id"], "session_id", "idLength", 128)
    if "deadline_ms" in given:
        number(given["deadline_ms"], "deadline_ms", 1, 600_000, whole=True)
    namespace = given.get("namespace", "default")
    subtree = operation in ("retrieve", "forget") and isinstance(namespace, str) and namespace.endswith("/**")
    if not isinstance(namespace, str) or not NAMESPACE.fullmatch(namespace[:-3] if subtree else namespace):
        raise wrong("namespace", "must be a path of 1..8 segments")
    read = {
        "keys": lambda value: items(value, "keys", "criteriaKeys", 1_000, key_hash),
        "tags": lambda value: items(value, "tags", "tags", 256, tag),
        "requires": lambda value: items(value, "requires", "requires", 64, string) if value else [],
        "tier": tier_of,
        "query": lambda value: string(value, "query", "queryLength", 8_192),
        "limit": lambda value: number(value, "limit", 0, 1_000, whole=True),
        "min_score": lambda value: number(value, "min_score", 0, 1),
        "entries": lambda value: items(value, "entries", "storeEntries", 1_000, lambda entry, _: entry),
    }
    given |= {name: parser(given[name]) for name, parser in read.items() if name in given}
    if operation == "store" and "entries" not in given:
        raise wrong("entries", "is required")
    if not isinstance(given.get("all", False), bool):
        raise wrong("all", "must be a boolean")
    is_own = given.get("tier") in ("working", "episodic")
    if operation == "forget" and not (is_own or given.get("all") or (OTHER_CRITERIA | {"keys", "tags"}) & given.keys()):
        raise wrong("all", "would forget every entry: say `all: true`")
    others = [name for name in given if name in OTHER_FIELDS[operation]] + ["a subtree"] * subtree
    others += [name for name in given.get("requires", ()) if name not in FEATURES]
    if others:
        raise Refused("unsupported", f"not of the profile basic: {', '.join(others)}"[:500])
    return given


def check_entry(entry, agent):
    """What is kept of an entry: its key, and the fields that it brings."""
    if not isinstance(entry, dict):
        raise wrong("", "an entry is an object")
    size = len(json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode())
    at_most("entryBytes", 262_144, size)
    given = {name: value for name, value in entry.items() if value is not None or name == "content"}
    for name in given:
        if name.startswith("if_") and name != "if_revision":
            raise wrong(name, "unknown condition (did you mean `if_revision`?)")
    if "content" not in given:
        raise wrong("content", "is required")
    key = key_of(entry.get("key"), "key")
    kept = {
        "tier": tier_of(given.get("tier", "working")),
        "tags": items(given["tags"], "tags", "tags", 256, tag) if given.get("tags", []) != [] else [],
        "source": string(given["source"], "source") if given.get("source", "") != "" else agent,
        "score": number(given.get("score", 1), "score", 0, 1),
        "ttl": number(given.get("ttl", 0), "ttl", 0, 1e10) or None,
    }
    others = [name for name in given if name in OTHER_ENTRY_FIELDS]
    if others:
        raise Refused("unsupported", f"not of the profile basic: {', '.join(others)}")
    return {"key": key, "key_hash": hash_of(key), "content": given["content"], **kept}, size


# Memory: partitions that nobody else reads


def leaves(value, name=""):
    if isinstance(value, (dict, list)):
        for part, inner in value.items() if isinstance(value, dict) else ((name, item) for item in value):
            yield from leaves(inner, part)
    elif value is not None:
        yield f"{name}: {value if isinstance(value, str) else json.dumps(value)}"


def words_of(text):
    return set(re.findall(r"[^\W_]+", text.casefold()))


def indexed(key, content):
    """The words that an entry is found by: of its text, and of the strings in its key."""
    inner = content.get("text") if isinstance(content, dict) else None
    text = next((one for one in (content, inner) if isinstance(one, str)), None)
    text = "\n".join(leaves(content)) if text is None else text
    text = text.encode("utf-16-le")[: 8_192 * 2].decode("utf-16-le", "ignore")
    return words_of(" ".join([text, *(value for value in key.values() if isinstance(value, str))]))


class Memory:
    def __init__(self):
        self.partitions, self.entries, self.bytes = {}, 0, 0

    def partition(self, scope, make=False):
        """Entries by key hash, and the last revision there was."""
        if make and scope not in self.partitions:
            if len(self.partitions) >= PARTITIONS_MAX:
                raise Refused("memory_full", "too many partitions", limit="partitions", max=PARTITIONS_MAX)
            self.partitions[scope] = {"entries": {}, "revision": 0}
        return self.partitions.get(scope, {"entries": {}, "revision": 0})

    def put(self, scope, kept, size, author):
        at, partition = now(), self.partition(scope, make=True)
        self.drop_ended(partition, at)
        former = partition["entries"].get(kept["key_hash"])
        if self.entries >= ENTRIES_MAX and former is None or self.bytes + size > BYTES_MAX:
            raise Refused("memory_full", "the host has no room left", limit="agentEntries", max=ENTRIES_MAX)
        partition["revision"] = revision = max(partition["revision"] + 1, int(at * 1e6))
        created = former["entry"]["timestamps"]["created"] if former else at
        importance = former["entry"]["importance"] if former else kept["score"]
        entry = {**kept, "namespace": scope[-1], "author": author, "importance": importance, "occurred_at": created,
                 "timestamps": {"created": created, "updated": at, "accessed": at},
                 "revision": revision, "seq": former["entry"]["seq"] if former else revision}
        if kept["ttl"]:
            entry["expires_at"] = at + kept["ttl"]
        self.remove(partition, [former] if former else [])
        row = {"entry": entry, "words": indexed(kept["key"], kept["content"]), "size": size}
        partition["entries"][kept["key_hash"]] = row
        self.entries, self.bytes = self.entries + 1, self.bytes + size
        return {"key_hash": kept["key_hash"], "outcome": "updated" if former else "created", "revision": revision}

    def remove(self, partition, rows):
        for row in rows:
            del partition["entries"][row["entry"]["key_hash"]]
            self.entries, self.bytes = self.entries - 1, self.bytes - row["size"]

    def drop_ended(self, partition, at):
        ended = [row for row in partition["entries"].values() if row["entry"].get("expires_at", math.inf) <= at]
        self.remove(partition, ended)

    def select(self, scope, hashes, tags):
        partition = self.partition(scope)
        self.drop_ended(partition, now())
        rows = partition["entries"]
        found = rows.values() if hashes is None else [rows[one] for one in dict.fromkeys(hashes) if one in rows]
        return partition, [row for row in found if tags is None or set(tags) & set(row["entry"]["tags"])]

    def sweep(self):
        """What has ended goes, and so do partitions without entries: later revisions are of a later time."""
        for scope, partition in list(self.partitions.items()):
            self.drop_ended(partition, now())
            if not partition["entries"] and partition["revision"] < now() * 1e6:
                del self.partitions[scope]


def scope_of(tier, caller, session, namespace):
    tenant, agent = caller
    return {"working": (tier, tenant, agent, session, namespace), "episodic": (tier, tenant, agent, namespace),
            "semantic": (tier, tenant, namespace)}[tier]


class Host:
    def __init__(self, connection, prefix):
        self.connection, self.prefix, self.id, self.memory = connection, prefix, str(uuid.uuid4()), Memory()
        self.started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self.subjects = {f"{prefix}.*.*.memory.*.req": "memory", f"{prefix}.*.*.memory.*.*.req": "tiers", f"{prefix}.*.*.ping": "ping"}
        self.figures = {name: [0, 0, 0] for name in self.subjects.values()}

    # Operations: each takes what `check_request` gives, and gives the fields of its reply

    def ping(self, given, caller):
        return {"type": "pong", "host_id": self.id, "tiers": list(TIERS)}

    def store(self, given, caller):
        session, namespace = given.get("session_id", ""), given.get("namespace", "default")
        checked, errors = {}, {}
        for index, entry in enumerate(given["entries"]):
            try:
                checked[index] = check_entry(entry, caller[1])
            except Refused as refused:
                errors[index] = refused.error
        last = {(kept["tier"], kept["key_hash"]): index for index, (kept, _) in checked.items()}
        stored, receipts = [], []
        for index, (kept, size) in checked.items():
            try:
                if last[kept["tier"], kept["key_hash"]] != index:
                    raise Refused("conflict", "a later entry of this store has the same key")
                scope = scope_of(kept["tier"], caller, session, namespace)
                receipts.append({"index": index, **self.memory.put(scope, kept, size, caller[1])})
                stored.append(kept["key"])
            except Refused as refused:
                errors[index] = refused.error
        refusals = [{"index": at, "key": self.shown_key(given["entries"][at]), **errors[at]} for at in sorted(errors)]
        return {"type": "memory/store/resp", "stored": stored, "receipts": receipts, "errors": refusals}

    def shown_key(self, entry):
        try:
            return key_of(entry["key"], "key")
        except (Refused, TypeError, KeyError):
            return None

    def selected(self, given, caller):
        for tier in [given["tier"]] if "tier" in given else TIERS:
            scope = scope_of(tier, caller, given.get("session_id", ""), given.get("namespace", "default"))
            yield tier, *self.memory.select(scope, given.get("keys"), given.get("tags"))

    def retrieve(self, given, caller):
        started, at, asked = time.perf_counter(), now(), words_of(given.get("query", ""))
        found = []
        for _, _, rows in self.selected(given, caller):
            for row in rows:
                relevance = len(asked & row["words"]) / max(len(asked), 1) if "query" in given else 1
                score = relevance * row["entry"]["importance"]
                if score >= given.get("min_score", 0) and (score > 0 or "query" not in given):
                    found.append({**row["entry"], "score": score})
        def place(entry):
            newest = (-entry["occurred_at"], -entry["seq"])
            return (-entry["score"],) if "query" in given else newest, TIERS.index(entry["tier"]), entry["key_hash"]
        found.sort(key=place)
        page, room = [], self.connection.max_payload - 4_096
        for entry in found[: given.get("limit", max(10, len(given.get("keys", []))))]:
            room -= len(json.dumps(entry, ensure_ascii=False).encode()) + 2
            if room < 0:
                break
            page.append(entry)
            scope = scope_of(entry["tier"], caller, given.get("session_id", ""), entry["namespace"])
            self.memory.partition(scope)["entries"][entry["key_hash"]]["entry"]["timestamps"]["accessed"] = at
        took = {"total": (time.perf_counter() - started) * 1_000}
        return {"type": "memory/retrieve/resp", "entries": page, "total": len(found), "total_relation": "eq", "took_ms": took}

    def forget(self, given, caller):
        by_tier = {}
        for tier, partition, rows in self.selected(given, caller):
            self.memory.remove(partition, rows)
            by_tier[tier] = len(rows)
        receipt = {"id": str(uuid.uuid4()), "at": now(), "by_tier": by_tier, "purge": "done"}
        return {"type": "memory/forget/resp", "deleted": sum(by_tier.values()), "receipt": receipt}

    # Messages: who asks, what is asked, and the answer

    def caller_of(self, subject):
        """Tenant, agent and operation that a subject names, and whether it names a tier."""
        tenant, token, *rest = subject[len(self.prefix) + 1 :].split(".")
        agent = token if TOKEN.fullmatch(token) else None
        if token.startswith("="):
            try:
                name = base64.b64decode(token[1:] + "=" * (-len(token[1:]) % 4), b"-_", validate=True).decode()
                again = base64.urlsafe_b64encode(name.encode()).decode().rstrip("=")
                agent = name if again == token[1:] and 1 <= len(name.encode()) <= 192 and not TOKEN.fullmatch(name) else None
            except ValueError:
                agent = None
        with_tier = len(rest) == 4 and rest[2] in TIERS
        operation = rest[0] if rest == ["ping"] else rest[1]
        known = operation in ("ping", "store", "retrieve", "forget", "status", "list")
        if not TOKEN.fullmatch(tenant) or agent is None or not known or len(rest) > 3 and not with_tier:
            raise Refused("invalid_message", "the subject names no tenant, agent and operation")
        return (tenant, agent), operation, with_tier

    def answer(self, message, subject):
        caller, operation, with_tier = self.caller_of(subject)
        if message.get("type") != ("ping" if operation == "ping" else f"memory/{operation}/req"):
            raise Refused("invalid_message", "`type` is not the one of the subject", path="type")
        version = message.get("version") or "1.0"
        major = re.match(r"(\d+)(\.|$)", version) if isinstance(version, str) else None
        if major and major[1] != "1":
            raise Refused("version_mismatch", "the version is not 1.x")
        if not isinstance(version, str) or not re.fullmatch(r"1\.\d{1,6}", version):
            raise wrong("version", "must be 1.x")
        if with_tier or operation not in FIELDS:
            raise Refused("unsupported", "a tier in the subject, status and list are not of the profile basic")
        return getattr(self, operation)(check_request(message, operation), caller)

    def reply_to(self, message):
        """The reply to a message of NATS, and its headers."""
        request_id, headers = None, {"Content-Type": "application/json"}
        try:
            fields = parse(message.data, (message.headers or {}).get("Content-Type"))
            given = fields.get("id")
            if isinstance(given, str) and given and len(given.encode("utf-16-le", "surrogatepass")) <= 256 and is_printable(given):
                request_id = given
            check_values(fields)
            reply = self.answer(fields, message.subject)
            request_id = request_id or str(uuid.uuid4())
        except Refused as refused:
            reply = {"type": "error", **refused.error, "capability_name": "memory"}
        except Exception:
            logging.exception("a request on %s", message.subject)
            reply = {"type": "error", **Refused("runtime_error", "the host failed").error, "capability_name": "memory"}
        if reply["type"] == "error":
            shown = re.sub(r"[^ -~]", "?", reply["message"])[:256]
            headers |= {"Nats-Service-Error": shown, "Nats-Service-Error-Code": str(CODES[reply["code"]])}
        head = {"id": str(uuid.uuid4()), "version": "1.0", "ts": time.time(), "req_id": request_id}
        return {**reply, **head}, headers

    async def take(self, message, endpoint):
        token = message.subject[len(self.prefix) + 1 :].split(".")[1]
        if message.reply and not message.reply.startswith(("_INBOX.", f"_INBOX_{token}.")):
            return
        if not message.reply and not message.subject.endswith((".memory.store.req", ".memory.forget.req")):
            return
        started = time.perf_counter_ns()
        reply, headers = self.reply_to(message)
        if message.reply:
            await self.connection.publish(message.reply, json.dumps(reply).encode(), headers=headers)
        figures = self.figures[endpoint]
        figures[0] += 1
        figures[1] += reply["type"] == "error"
        figures[2] += time.perf_counter_ns() - started

    # Discovery: what NATS's own tools ask

    async def describe(self, message, verb):
        metadata = {"profile": "basic", "protocol_version": "1.1", "state": "serving", "serving_ms": "0", "tenants": "*",
                    "prefix": self.prefix, "tiers": ",".join(TIERS), "features": ",".join(FEATURES)}
        body = {"type": f"io.nats.micro.v1.{verb.lower()}_response", "name": "membus", "id": self.id, "version": "0.1.0",
                "metadata": metadata}
        if verb != "PING":
            body |= {"description": "Memory for AI agents", "started": self.started, "endpoints": []}
            for subject, name in self.subjects.items():
                requests, errors, spent = self.figures[name]
                body["endpoints"].append({
                    "name": name, "subject": subject, "queue_group": "membus", "num_requests": requests,
                    "num_errors": errors, "processing_time": spent, "average_processing_time": spent // max(requests, 1)})
        if message.reply and message.reply.startswith("_INBOX"):
            await message.respond(json.dumps(body).encode())

    async def serve(self):
        def listener(work, *facts):
            async def on_message(message):
                await work(message, *facts)
            return on_message
        for subject, name in self.subjects.items():
            await self.connection.subscribe(subject, queue="membus", cb=listener(self.take, name))
        for verb in ("PING", "INFO", "STATS"):
            for suffix in ("", ".membus", f".membus.{self.id}"):
                await self.connection.subscribe(f"$SRV.{verb}{suffix}", cb=listener(self.describe, verb))
        await self.connection.flush()
        print("serving", flush=True)
        while True:
            await asyncio.sleep(SWEEP_S)
            self.memory.sweep()


async def main(url="nats://127.0.0.1:4222", prefix="a2e"):
    await Host(await nats.connect(url, name="host-python"), prefix).serve()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
