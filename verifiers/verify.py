#!/usr/bin/env python3
"""Verifies what an event log has given out, without the program that wrote it and without asking anybody.

  python3 verify.py export LOG.ndjson [--checkpoint FILE --key KEY]
  python3 verify.py events EVENTS.json
  python3 verify.py tiles DIR --key KEY

KEY is the verifier key of the log, NAME+ID+BASE64. Take it, and this program, from a source that you trust.
Needs Python 3.8 and nothing else. Ends with 0 when all fits; with 1, and one sentence, at the first thing that does not;
with 2 when it was not called as above. The rules are in docs/verify.md of the program that wrote the log.
"""
import argparse
import base64
import binascii
import hashlib
import json
import os
import re
import sys
from decimal import Decimal


class Fault(Exception):
    """Something does not fit; the sentence says what."""


def shown(text):
    # What a file says is printed without characters that a terminal obeys.
    return "".join(c if c.isprintable() else "\\u%04x" % ord(c) for c in str(text))


def text_of(raw, what):
    # Text is UTF-8 (RFC 3629); every other sequence of bytes is an error.
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise Fault("%s is not UTF-8" % what)


def count_of(text):
    # A whole number has one spelling: decimal digits, no sign, no zero before others.
    return int(text) if re.fullmatch("0|[1-9][0-9]{0,15}", text) else None


def counted(number, what):
    return "%d %s%s" % (number, what, "" if number == 1 else "s")


def read_file(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise Fault("%s cannot be read: %s" % (shown(path), error.strerror))


# ---- JSON --------------------------------------------------------------------------------------------------

def members_once(pairs):
    # I-JSON (RFC 7493, 2.3): no name stands twice in an object.
    value = dict(pairs)
    if len(value) < len(pairs):
        raise Fault("is JSON with a member that stands there twice")
    return value


def finite(text):
    # RFC 8785, 3.2.2.3: a number is a double, and not infinite.
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise Fault("has a number that is too large")
    return number


def no_json(_):
    raise Fault("is no JSON")  # NaN and Infinity, which Python would take


def json_of(text):
    try:
        return json.loads(
            text, parse_int=finite, parse_float=finite, parse_constant=no_json, object_pairs_hook=members_once
        )
    except (ValueError, RecursionError):
        raise Fault("is no JSON")


def jcs_number(value):
    # RFC 8785, 3.2.2.3: as ECMAScript prints it, Number::toString.
    if value == 0:
        return "0"
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    text, point = "".join(map(str, digits)), len(digits) + exponent
    if len(text) <= point <= 21:
        text += "0" * (point - len(text))
    elif 0 < point <= 21:
        text = text[:point] + "." + text[point:]
    elif -6 < point <= 0:
        text = "0." + "0" * -point + text
    else:
        text = text[0] + ("." + text[1:] if text[1:] else "") + "e%+d" % (point - 1)
    return "-" * sign + text


def jcs_text(text):
    # RFC 8785, 3.2.2.2: as ECMAScript prints it; half of a surrogate pair is escaped there.
    return re.sub("[\ud800-\udfff]", lambda half: "\\u%04x" % ord(half[0]), json.encoder.encode_basestring(text))


def utf16(name):
    # RFC 8785, 3.2.3: members are sorted by the UTF-16 code units of their names.
    return name.encode("utf-16-be", "surrogatepass")


def jcs(value):
    # Canonical JSON (RFC 8785, JCS): no space, sorted members, one spelling of each text and number.
    if isinstance(value, str):
        return jcs_text(value)
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, float):
        return jcs_number(value)
    if isinstance(value, list):
        return "[" + ",".join(map(jcs, value)) + "]"
    return "{" + ",".join(jcs_text(name) + ":" + jcs(value[name]) for name in sorted(value, key=utf16)) + "}"


# ---- events ------------------------------------------------------------------------------------------------

PLACES = ("stream", "revision", "id", "type")


def event_of(line, first):
    # A line is JSON with `first` and the members below, in this order and in canonical spelling, and with no others.
    text = text_of(line, "the line")
    event = json_of(text)
    if not isinstance(event, dict):
        raise Fault("is no JSON object")
    order = (first,) + PLACES + ("data", "metadata")
    for name in event:
        if name not in order:
            raise Fault("has the unknown member %s" % shown(name))
    for name in (first,) + PLACES:
        if not isinstance(event.get(name), str):
            raise Fault("has no %s that is a text" % name)
    for name in (first, "revision"):
        if not re.fullmatch("0|[1-9][0-9]{0,18}", event[name]):
            raise Fault("has a %s that is no whole number" % name)
    if not isinstance(event.get("metadata"), dict):
        raise Fault("has no metadata")
    if "{" + ",".join('"%s":%s' % (name, jcs(event[name])) for name in order if name in event) + "}" != text:
        raise Fault("is not in the one spelling of such a line (RFC 8785)")
    return event


def salted_hash(salt, data):
    # SHA-256 of the bytes of the salt (base64url without padding, RFC 4648, 5, in its one spelling) and of JCS(data).
    try:
        raw = base64.urlsafe_b64decode(salt + "=" * (-len(salt) % 4))
    except (TypeError, ValueError):
        return None
    if base64.urlsafe_b64encode(raw).rstrip(b"=") != salt.encode("utf-8", "surrogatepass"):
        return None
    return hashlib.sha256(raw + jcs(data).encode()).hexdigest()


def extend_chain(ends, event):
    # The rule of docs/verify.md. Returns whether the data is withheld.
    revision, previous = ends.get(event["stream"], (0, "0" * 64))
    if event["revision"] != str(revision):
        raise Fault("revision %s, expected %d" % (event["revision"], revision))
    metadata = event["metadata"]
    if metadata.get("previousHash") != previous:
        raise Fault("previousHash is not the hash of the event before it")
    sealed = {name: event[name] for name in PLACES}
    sealed["metadata"] = {name: metadata[name] for name in metadata if name not in ("salt", "hash")}
    if metadata.get("hash") != hashlib.sha256(jcs(sealed).encode()).hexdigest():
        raise Fault("hash does not match the event")
    ends[event["stream"]] = (revision + 1, metadata["hash"])
    if "salt" not in metadata:
        if event.get("data") not in (None, {}):
            raise Fault("data without its salt cannot be verified")
        return True
    if metadata.get("dataHash") is None or salted_hash(metadata["salt"], event.get("data")) != metadata["dataHash"]:
        raise Fault("dataHash does not match data")
    return False


def place_of(event):
    return "%s, revision %s" % (shown(event["stream"]), event["revision"])


# ---- the tree: RFC 6962, 2.1 -------------------------------------------------------------------------------

def sha256(raw):
    return hashlib.sha256(raw).digest()


def leaf_hash(data):
    return sha256(b"\0" + data)


def node_hash(left, right):
    return sha256(b"\1" + left + right)


def leaf_of(event):
    # The data of an event's leaf is the 32 bytes of its hash.
    return leaf_hash(bytes.fromhex(event["metadata"]["hash"]))


def add_leaf(peaks, leaf):
    # `peaks` are the perfect subtrees from left to right, each (height, hash); two of one height become one above.
    peaks.append((0, leaf))
    while len(peaks) > 1 and peaks[-1][0] == peaks[-2][0]:
        (height, right), (_, left) = peaks.pop(), peaks.pop()
        peaks.append((height + 1, node_hash(left, right)))


def root_of(peaks):
    # RFC 6962, 2.1: a tree is parted after the largest power of two, so the peaks are joined from the right.
    root = peaks[-1][1]
    for _, left in reversed(peaks[:-1]):
        root = node_hash(left, root)
    return root


def root_by_proof(leaf, index, size, proof):
    # RFC 9162, 2.1.3.2 (the proofs are those of RFC 6962, 2.1.1). None where the proof has another length.
    at, last, root = index, size - 1, leaf
    for other in proof:
        if last == 0:
            return None
        if at & 1 or at == last:
            root = node_hash(other, root)
            while not at & 1 and at != 0:
                at, last = at >> 1, last >> 1
        else:
            root = node_hash(root, other)
        at, last = at >> 1, last >> 1
    return root if last == 0 and index < size else None


# ---- Ed25519: RFC 8032, 5.1; points in the extended coordinates of 5.1.4 -----------------------------------

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
NEUTRAL = (0, 1, 1, 0)


def add_points(one, other):
    a, b = (one[1] - one[0]) * (other[1] - other[0]) % P, (one[1] + one[0]) * (other[1] + other[0]) % P
    c, d = 2 * one[3] * other[3] * D % P, 2 * one[2] * other[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def decode_point(raw):
    # 5.1.3, and strictly: y < p, and no sign of a zero. None for what is no point.
    y, sign = int.from_bytes(raw, "little") & (2**255 - 1), raw[31] >> 7
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P != 0:
        x = x * pow(2, (P - 1) // 4, P) % P
    if (x * x - square) % P != 0 or (x == 0 and sign == 1):
        return None
    x = P - x if x & 1 != sign else x
    return (x, y, 1, x * y % P)


def encode_point(point):
    inverse = pow(point[2], P - 2, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


BASE = decode_point((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


def ed25519_verifies(public_key, message, signature):
    # 5.1.7, and strictly: S < L, and R is compared as bytes, so that it has one spelling, too. R = [S]B - [k]A.
    key = decode_point(public_key)
    if key is None or len(signature) != 64:
        return False
    s = int.from_bytes(signature[32:], "little")
    if s >= ORDER:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + public_key + message).digest(), "little") % ORDER
    minus = (P - key[0], key[1], 1, P - key[3])
    sums = (None, BASE, minus, add_points(BASE, minus))
    point = NEUTRAL
    for bit in range(252, -1, -1):
        point = add_points(point, point)
        chosen = s >> bit & 1 | (k >> bit & 1) << 1
        point = add_points(point, sums[chosen]) if chosen else point
    return encode_point(point) == signature[:32]


# ---- keys, signed notes, checkpoints: C2SP -----------------------------------------------------------------

def base64_of(text):
    # RFC 4648, 4, in its one spelling: padded, no spare bits. None for any other text.
    try:
        raw = base64.b64decode(text, validate=True)
    except (ValueError, binascii.Error):
        return None
    return raw if base64.b64encode(raw).decode() == text else None


def is_key_name(name):
    # c2sp.org/signed-note: not empty, no space, no plus.
    return name != "" and not any(c.isspace() or c in "+" or c < " " or "\ud800" <= c <= "\udfff" for c in name)


def key_of(text):
    # c2sp.org/signed-note: NAME+ID+BASE64(0x01 || public key), where the id is of the name and the key.
    # Returns name, id and public key.
    name, id_text, encoded = (text.split("+", 2) + ["", ""])[:3]
    raw = base64_of(encoded)
    if not is_key_name(name) or not re.fullmatch("[0-9a-f]{8}", id_text) or not raw:
        raise Fault("the key is not of the form NAME+ID+BASE64")
    if raw[0] != 1 or len(raw) != 33 or decode_point(raw[1:]) is None:
        raise Fault("the key is not a key for Ed25519")
    if sha256(name.encode() + b"\n" + raw)[:4].hex() != id_text:
        raise Fault("the id in the key is not that of its name and key")
    return (name, bytes.fromhex(id_text), raw[1:])


def open_note(raw, key, what):
    # c2sp.org/signed-note: text, an empty line, signatures. Returns the text, and how many signatures there are.
    note = text_of(raw, what)
    if re.search("[\0-\x09\x0b-\x1f]", note):
        raise Fault("%s has a control character" % what)
    text, empty_line, rest = note.rpartition("\n\n")
    lines = rest.split("\n")
    if not empty_line or lines.pop() != "" or not lines:
        raise Fault("%s does not end with an empty line and lines that sign it" % what)
    name, key_id, public_key = key
    signed = False
    for line in lines[:101]:
        dash, signer, encoded = (line.split(" ") + ["", ""])[:3]
        signature = base64_of(encoded)
        is_whole = len(line.split(" ")) == 3 and dash == "\u2014" and is_key_name(signer)
        if not is_whole or signature is None or len(signature) < 5:
            raise Fault("%s has a line after its text that is no signature" % what)
        if signer == name and signature[:4] == key_id:
            if not ed25519_verifies(public_key, (text + "\n").encode(), signature[4:]):
                raise Fault("the signature of %s does not fit: it was changed, or is forged" % what)
            signed = True
    if not signed or len(lines) > 100:
        raise Fault("%s is not signed by the key %s+%s" % (what, shown(name), key_id.hex()))
    return text + "\n", len(lines)


def checkpoint_of(raw, key, what):
    # c2sp.org/tlog-checkpoint: origin, size, root; the origin is the name of the key. (size, root)
    lines = open_note(raw, key, what)[0].split("\n")
    if len(lines) != 4:
        raise Fault("%s has not exactly three lines of text" % what)
    size, root = count_of(lines[1]), base64_of(lines[2])
    if lines[0] != key[0]:
        raise Fault("%s is of another log than the key: its origin is %s" % (what, shown(lines[0])))
    if size is None or root is None or len(root) != 32:
        raise Fault("%s has no size and root" % what)
    if size == 0:
        raise Fault("%s is of a log without events: there is nothing to verify" % what)
    return size, root


# ---- export ------------------------------------------------------------------------------------------------

def withheld_words(count):
    if count == 0:
        return "All data was there and is what was sealed."
    verb = "has its" if count == 1 else "have their"
    return "%s %s data withheld: nothing was verified of it." % (counted(count, "event"), verb)


def verify_export(path, checkpoint_path, key_text):
    sealed = None
    if checkpoint_path is not None:
        sealed = checkpoint_of(read_file(checkpoint_path), key_of(key_text), "the checkpoint")
    ends, events, withheld, leaves, peaks = {}, 0, 0, 0, []
    try:
        file = open(path, "rb")
    except OSError as error:
        raise Fault("%s cannot be read: %s" % (shown(path), error.strerror))
    with file:
        for line in file:
            events += 1
            event = None
            try:
                if not line.endswith(b"\n"):
                    raise Fault("is not a whole line: the file ends within it")
                event = event_of(line[:-1], "position")
                withheld += extend_chain(ends, event)
            except Fault as fault:
                raise Fault("line %d%s" % (events, ", %s: %s" % (place_of(event), fault) if event else " %s" % fault))
            # Only what belongs to businesses and documents is a leaf of the tree.
            if sealed and leaves < sealed[0] and event["stream"].partition("-")[0] in ("business", "document"):
                leaves += 1
                add_leaf(peaks, leaf_of(event))
    if events == 0:
        raise Fault("%s has no events" % shown(path))
    said = [
        "%s in %s: every chain is intact." % (counted(events, "event"), counted(len(ends), "stream")),
        withheld_words(withheld),
    ]
    if sealed is None:
        return said + ["This cannot show whether a stream or the end of one is missing; --checkpoint and --key show it."]
    sealed_events = counted(sealed[0], "event")
    if leaves < sealed[0]:
        raise Fault("the checkpoint is of %s, and the export has %d: some are missing" % (sealed_events, leaves))
    if root_of(peaks) != sealed[1]:
        raise Fault("the first %s are not those that the checkpoint seals, in their order" % sealed_events)
    return said + [
        "The first %s of businesses and documents are all that the checkpoint seals; the key signed it." % sealed_events,
        "This cannot show what came after the checkpoint.",
    ]


# ---- events of a record, as the API answers them -----------------------------------------------------------

KINDS = {"business": "Business", "document": "Document"}
# Members that are compared with what is sealed, or named as not covered; and those that the event is rebuilt of.
COMPARED = ("type", "message", "user", "entity", "entityType", "refs", "at", "hash", "reason", "diff")
REBUILT = ("_id", "name", "revision", "data", "stream", "metadata")


def enumerated(names):
    return ", ".join(names[:-1]) + " and " + names[-1] if len(names) > 1 else "".join(names)


def related(kind, *ids):
    return [{"entity": one, "entityType": kind} for one in ids if one is not None]


def described(name, data):
    # What the service says of an event in words: type, message and refs, computed of the sealed data.
    if name in ("BusinessCreated", "BusinessDeleted"):
        word = name[8:].lower()
        return word, "business " + word, related("Business", data.get("parent")) if word == "created" else []
    if name == "BusinessUpdated":
        refs = related("Business", data.get("previousParent"), data["changes"].get("parent"))
        return "updated", enumerated(list(data["changes"])) + " updated", refs
    if name in ("BusinessOwnerAdded", "BusinessOwnerRemoved"):
        return "updated", "owner " + name[13:].lower(), related("User", data["user"])
    if name == "BusinessOwnerUpdated":
        fields = [field for field in data if field != "user"]
        return "updated", "owner %s updated" % enumerated(fields), related("User", data["user"])
    if name == "DocumentCreated":
        message = "document created" + ("" if data["file"] is None else " with a file")
        return "created", message, related(data["entityType"], data["entity"])
    if name == "DocumentUpdated":
        fields = ["file"] * ("file" in data) + list(data["changes"])
        refs = [data[side] for side in ("detachedFrom", "attachedTo") if side in data]
        return "updated", enumerated(fields) + " updated", refs
    return None


def description_of(event, data, withheld):
    # None where this program does not know the event, so that type, message and refs are not covered.
    if withheld or event["metadata"].get("schemaVersion") != 1:
        return None
    try:
        return described(event["type"], data)
    except (KeyError, TypeError, AttributeError):
        return None


def verify_answered(answered, ends, uncovered):
    # The event as it is sealed is rebuilt of its members, and every other member is compared with what it says.
    if not isinstance(answered, dict):
        raise Fault("is no JSON object")
    for name in ("stream", "metadata"):
        if name not in answered:
            raise Fault("has no %s: ask for the events with ?proof=true" % name)
    number = answered.get("revision")
    if not isinstance(number, float) or not number.is_integer() or not 0 <= number < 2**53:
        raise Fault("has no revision that is a whole number")
    if not isinstance(answered["metadata"], dict):
        raise Fault("has no metadata")
    metadata = answered["metadata"]
    names = {"stream": "stream", "id": "_id", "type": "name"}
    for name in names.values():
        if not isinstance(answered.get(name), str):
            raise Fault("has no %s that is a text" % name)
    event = dict({name: answered[names[name]] for name in names}, revision=str(int(number)), metadata=metadata)
    if "data" in answered:
        event["data"] = answered["data"]
    withheld = extend_chain(ends, event)
    category, _, entity = event["stream"].partition("-")
    said = {"user": metadata.get("actor"), "at": metadata.get("at"), "hash": metadata["hash"], "entity": entity}
    data = answered.get("data")
    if isinstance(data, dict) and "$reason" in data:
        said["reason"] = data["$reason"]
        data = {name: data[name] for name in data if name != "$reason"}
    elif "reason" in answered:
        raise Fault("has a reason, and none was sealed")
    description = None
    if category in KINDS:
        said["entityType"] = KINDS[category]
        description = description_of(event, data, withheld)
    if description is not None:
        said.update(zip(("type", "message", "refs"), description))
    for name in answered:
        if name not in COMPARED + REBUILT:
            raise Fault("has the unknown member %s" % shown(name))
        if name in said and jcs(answered[name]) != jcs(said[name]):
            raise Fault("%s is not what was sealed" % name)
        if name in COMPARED and name not in said:
            uncovered.setdefault(name, []).append(place_of(event))
    for name in said:
        if name not in answered:
            raise Fault("has no %s" % name)
    return withheld


def verify_events(path):
    # The answer of the API is a JSON array, or NDJSON: one event a line.
    text = text_of(sys.stdin.buffer.read() if path == "-" else read_file(path), "the answer")
    try:
        lines = (text[:-1] if text.endswith("\n") else text).split("\n")
        answer = json_of(text) if text.startswith("[") else [json_of(line) for line in lines]
    except Fault as fault:
        raise Fault("the answer %s" % fault)
    if not answer:
        raise Fault("the answer has no events")
    ends, withheld, uncovered = {}, 0, {}
    for number, answered in enumerate(answer, 1):
        try:
            withheld += verify_answered(answered, ends, uncovered)
        except Fault as fault:
            raise Fault("event %d of the answer: %s" % (number, fault))
    said = [
        "%s of %s: every chain is intact, and what is told of each event is what was sealed."
        % (counted(len(answer), "event"), counted(len(ends), "record")),
        withheld_words(withheld),
    ]
    for name, places in uncovered.items():
        said.append("Not covered: %s of %s, the first one in %s." % (name, counted(len(places), "event"), places[0]))
    return said + ["This cannot show who sealed the events, nor that nothing came later."]


# ---- tiles: c2sp.org/tlog-tiles ----------------------------------------------------------------------------

WIDTH = 256


def tile_name(level, index, width):
    # tile/<L>/<N>[.p/<W>]: N in groups of three digits, x before all but the last; W where it is not full.
    digits = str(index).rjust((len(str(index)) + 2) // 3 * 3, "0")
    groups = [digits[at : at + 3] for at in range(0, len(digits), 3)]
    name = "tile/%s/%s" % (level, "/".join(["x" + group for group in groups[:-1]] + groups[-1:]))
    return name if width == WIDTH else "%s.p/%d" % (name, width)


def read_tile(directory, level, index, width, entry_bytes):
    # A tile has `width` entries, each of so many bytes, and nothing behind them.
    name = tile_name(level, index, width)
    path = os.path.join(directory, *name.split("/"))
    if not os.path.isfile(path):
        raise Fault("%s is missing" % name)
    raw = read_file(path)
    if len(raw) != width * entry_bytes:
        raise Fault("%s has %s, and not %d" % (name, counted(len(raw), "byte"), width * entry_bytes))
    return name, [raw[at : at + entry_bytes] for at in range(0, len(raw), entry_bytes)]


def verify_others(directory, whole):
    # A tile of a smaller tree is the beginning of the tile of this one. Nothing else may lie there.
    for folder, _, files in os.walk(directory):
        for file in files:
            path = os.path.join(folder, file)
            name = os.path.relpath(path, directory).replace(os.sep, "/")
            base, partial, width = name.partition(".p/")
            if name in whole.values() or name == "checkpoint":
                continue
            if not partial or base not in whole or not 0 < (count_of(width) or 0) < WIDTH:
                raise Fault("%s is no part of the tree of the checkpoint" % shown(name))
            raw, full = read_file(path), read_file(os.path.join(directory, whole[base]))
            entry_bytes = 34 if base.startswith("tile/entries/") else 32
            if len(raw) != int(width) * entry_bytes or not full.startswith(raw):
                raise Fault("%s is not the beginning of %s" % (name, whole[base]))


def verify_tiles(directory, key_text):
    key = key_of(key_text)
    size, root = checkpoint_of(read_file(os.path.join(directory, "checkpoint")), key, "the checkpoint")
    peaks, above, whole, level, count = [], [], {}, 0, size
    while count > 0:
        # Level 0 has the hashes of the leaves, each level above the root of every full tile of the one below.
        below, above = above, []
        for index in range((count + WIDTH - 1) // WIDTH):
            width = min(WIDTH, count - index * WIDTH)
            name, hashes = read_tile(directory, level, index, width, 32)
            whole[tile_name(level, index, WIDTH)] = name
            if level == 0:
                # An entry bundle has the data of each leaf after its length, a big-endian uint16.
                bundle, entries = read_tile(directory, "entries", index, width, 34)
                whole[tile_name("entries", index, WIDTH)] = bundle
                for at, (entry, leaf) in enumerate(zip(entries, hashes)):
                    if entry[:2] != b"\0\x20" or leaf_hash(entry[2:]) != leaf:
                        raise Fault("entry %d in %s is not that of its hash in %s" % (at, bundle, name))
                    add_leaf(peaks, leaf)
            elif hashes != below[index * WIDTH : index * WIDTH + width]:
                raise Fault("%s is not computed of the tiles of level %d" % (name, level - 1))
            if width == WIDTH:
                tile = []
                for one in hashes:
                    add_leaf(tile, one)
                above.append(root_of(tile))
        level, count = level + 1, count // WIDTH
    if root_of(peaks) != root:
        raise Fault("the tiles do not have the root of the checkpoint")
    verify_others(directory, whole)
    return [
        "%s of %s: each is what it must be, and their root is that of the checkpoint, which is signed by the key."
        % (counted(len(whole), "tile"), counted(size, "event")),
        "This cannot show what the events say, nor that nothing came after the checkpoint.",
    ]


# ---- the command line --------------------------------------------------------------------------------------

def parsed(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    modes = parser.add_subparsers(dest="mode", metavar="MODE", required=True)
    options = {
        "export": ["--checkpoint", "--key"],
        "events": [],
        "tiles": ["--key"],
    }
    for mode, names in options.items():
        of_mode = modes.add_parser(mode, allow_abbrev=False)
        of_mode.add_argument("path")
        for name in names:
            of_mode.add_argument(name, required=name == "--key" and mode != "export")
    asked = parser.parse_args(arguments)
    if asked.mode == "export" and (asked.checkpoint is None) != (asked.key is None):
        parser.error("--checkpoint and --key belong together")
    return asked


def verify(asked):
    if asked.mode == "export":
        return verify_export(asked.path, asked.checkpoint, asked.key)
    if asked.mode == "events":
        return verify_events(asked.path)
    return verify_tiles(asked.path, asked.key)


def main(arguments):
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")
    asked = parsed(arguments)
    try:
        said = verify(asked)
    except Fault as fault:
        print("NOT VERIFIED: %s" % fault, file=sys.stderr)
        return 1
    print("\n".join(said))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
