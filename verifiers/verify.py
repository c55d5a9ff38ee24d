#!/usr/bin/env python3
"""Verifies what an event log has given out, without the program that wrote it and without asking anybody.

  python3 verify.py export LOG.ndjson [--checkpoint FILE --key KEY [--key-changes CHANGES] [--policy POLICY]]
  python3 verify.py events EVENTS.json
  python3 verify.py tiles DIR --key KEY [--key-changes CHANGES] [--policy POLICY]
  python3 verify.py pack PACK.zip --key KEY [--key-changes CHANGES] [--against CHECKPOINT] [--policy POLICY]

KEY is the verifier key of the log, NAME+ID+BASE64. Take it, and this program, from a source that you trust.
CHANGES are the notes of a log whose key was replaced, each signed by both keys. KEY may be any of its keys.
POLICY names the witnesses that must have cosigned the checkpoint (c2sp.org/tlog-policy). Take it from such a source, too.
Needs Python 3.8 and nothing else. Ends with 0 when all fits; with 1, and one sentence, at the first thing that does
not; with 2 when it was not called as above. The rules are in docs/verify.md of the program that wrote the log.
"""
import argparse
import base64
import binascii
import collections
import datetime
import hashlib
import json
import os
import re
import struct
import sys
import zlib
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


# How deep lists and objects may be nested: what parses and writes them calls itself for each one within another.
MOST_DEPTH = 100


def verify_depth(text):
    if text.count("[") + text.count("{") <= MOST_DEPTH:
        return
    depth, is_text = 0, False
    for token in re.finditer(r'\\.|["\[\]{}]', text, re.DOTALL):
        if token[0] == '"':
            is_text = not is_text
        elif not is_text and token[0] in ("[", "{", "]", "}"):
            depth += 1 if token[0] in "[{" else -1
            if depth > MOST_DEPTH:
                raise Fault("is JSON that is nested deeper than %d levels" % MOST_DEPTH)


def json_of(text, object_of=members_once):
    verify_depth(text)
    try:
        return json.loads(text, parse_int=finite, parse_float=finite, parse_constant=no_json, object_pairs_hook=object_of)
    except ValueError:
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
    # In a pack the spelling shows a member that stands twice, as it does to a browser.
    event = json_of(text, dict if first == "index" else members_once)
    if not isinstance(event, dict):
        raise Fault("is no JSON object")
    order = (first,) + PLACES + ("data", "metadata")
    for name in event:
        if name not in order:
            raise Fault("has the unknown member %s" % shown(name))
    for name in (first,) + PLACES:
        if not isinstance(event.get(name), str):
            raise Fault("its %s is no text" % name)
    for name in (first, "revision"):
        if not re.fullmatch("0|[1-9][0-9]{0,18}", event[name]):
            raise Fault("its %s is no whole number" % name)
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
    salted = salted_hash(metadata["salt"], event["data"]) if "data" in event else None
    if salted is None or salted != metadata.get("dataHash"):
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


def note_of(raw, what):
    # c2sp.org/signed-note: text, an empty line, signatures. The text, and (name, id and signature) of each, not yet verified.
    note = text_of(raw, what)
    if re.search("[\0-\x09\x0b-\x1f]", note):
        raise Fault("%s has a control character" % what)
    text, empty_line, rest = note.rpartition("\n\n")
    lines = rest.split("\n")
    if not empty_line or lines.pop() != "" or not lines:
        raise Fault("%s does not end with an empty line and lines that sign it" % what)
    if len(lines) > 100:
        raise Fault("%s has more than 100 signatures" % what)
    signatures = []
    for line in lines:
        dash, signer, encoded = (line.split(" ") + ["", ""])[:3]
        signature = base64_of(encoded)
        is_whole = len(line.split(" ")) == 3 and dash == "\u2014" and is_key_name(signer)
        if not is_whole or signature is None or len(signature) < 5:
            raise Fault("%s has a line after its text that is no signature" % what)
        signatures.append((signer, signature))
    return text + "\n", signatures


def is_signed(note, key, what):
    # A signature that names the key and does not fit makes the whole note invalid.
    (text, signatures), (name, key_id, public_key), signed = note, key, False
    for signer, signature in signatures:
        if signer == name and signature[:4] == key_id:
            if not ed25519_verifies(public_key, text.encode(), signature[4:]):
                raise Fault("the signature of %s does not fit: it was changed, or is forged" % what)
            signed = True
    return signed


def short(key):
    return "%s+%s" % (shown(key[0]), key[1].hex())


def open_note(raw, sealers, what):
    # A note that one of these keys has signed. Returns the text, how many signatures there are, and who signed it.
    note = note_of(raw, what)
    signed = [sealer for sealer in sealers if is_signed(note, sealer.key, what)]
    if not signed and len(sealers) == 1:
        raise Fault("%s is not signed by the key %s" % (what, short(sealers[0].key)))
    if not signed:
        raise Fault("%s is signed by none of the %d keys that the log has had" % (what, len(sealers)))
    if len(signed) > 1:
        raise Fault("%s is signed by more than one key that the log has had" % what)
    return note[0], len(note[1]), signed[0]


def size_and_root_of(lines, what):
    size, root = count_of(lines[0]), base64_of(lines[1])
    if size is None or size >= 1 << 53 or root is None or len(root) != 32:
        raise Fault("%s has no size and root" % what)
    return size, root


def checkpoint_of(raw, sealers, what):
    # c2sp.org/tlog-checkpoint: origin, size, root; the origin is the name of the key. (size, root), and who signed it.
    text, _, signer = open_note(raw, sealers, what)
    lines = text.split("\n")
    if len(lines) != 4:
        raise Fault("%s has not exactly three lines of text" % what)
    if lines[0] != signer.key[0]:
        raise Fault("%s is of another log than the key: its origin is %s" % (what, shown(lines[0])))
    size, root = size_and_root_of(lines[1:], what)
    if size == 0:
        raise Fault("%s is of a log without events: there is nothing to verify" % what)
    return (size, root), signer


# ---- changes of the key ------------------------------------------------------------------------------------

# A key of the log, its text, its place in the chain of keys, and the (size, root) that it was replaced after, if it was.
Sealer = collections.namedtuple("Sealer", "key text at end")
# All keys of the log that are trusted, oldest first; the one that was given; and the name of the list that tells of them.
Trust = collections.namedtuple("Trust", "sealers own source")

LIST_OF_CHANGES, CHANGES_MEMBER = "the list of key changes", "key-changes.txt"
MOST_CHANGES = 65536
REPLACED = "checkpoint key replaced"
# Seven lines of text, an empty one, two signatures, and an empty one, which for the last note is the end of the file.
CHANGE_LINES = 11


def verify_decided(line, what):
    # Who decided it, when and why, in RFC 8785.
    try:
        decided = json_of(line)
        is_whole = isinstance(decided, dict) and sorted(decided) == ["actor", "at", "reason"]
        if is_whole and all(map(is_text, decided.values())) and jcs(decided) == line:
            return
    except Fault:
        pass
    raise Fault("%s does not say in the JSON of RFC 8785 who decided it, when and why (actor, at, reason)" % what)


def change_of(raw, what):
    # Which key was replaced, which one is in its place, and the (size, root) of what the first one sealed. Both signed that.
    note = note_of(raw, what)
    lines = note[0].split("\n")
    if len(lines) != 8 or lines[1] != REPLACED:
        raise Fault("%s does not say that a key was replaced" % what)
    try:
        keys = [key_of(text) for text in lines[2:4]]
    except Fault as fault:
        raise Fault("%s: %s" % (what, fault))
    if any(key[0] != lines[0] for key in keys):
        raise Fault("%s is of another log than its keys" % what)
    end = size_and_root_of(lines[4:6], what)
    if end[0] == 0:
        raise Fault("%s is of a key that has sealed nothing" % what)
    verify_decided(lines[6], what)
    for key in keys:
        if not is_signed(note, key, what):
            raise Fault("%s is not signed by the key %s" % (what, short(key)))
    return [Sealer(key, text, None, None) for key, text in zip(keys, lines[2:4])], end


def key_changes_of(raw, what):
    # One chain of keys, oldest first, each of which signed the next one. No key comes back, and the log never shrinks.
    if len(raw) > MOST_CHANGES:
        raise Fault("%s is longer than 64 KiB" % what)
    lines = text_of(raw, what).split("\n")
    groups = [lines[at : at + CHANGE_LINES] for at in range(0, len(lines), CHANGE_LINES)]
    if any(len(group) != CHANGE_LINES or group[-1] != "" for group in groups):
        raise Fault("%s is no list of notes of seven lines and two signatures, with an empty line between them" % what)
    sealers = []
    for number, group in enumerate(groups, 1):
        note = "note %d of %s" % (number, what)
        (before, after), end = change_of("\n".join(group).encode(), note)
        if not sealers:
            sealers.append(before._replace(at=0))
        elif before.text != sealers[-1].text:
            raise Fault("%s does not begin with the key that the note before it ended with" % note)
        if any(after.key[1] == sealer.key[1] for sealer in sealers):
            raise Fault("%s puts a key in place that the log has had before" % note)
        last = sealers[-2].end if number > 1 else end
        if end[0] < last[0] or (end[0] == last[0] and end != last):
            raise Fault("%s is of fewer events than the note before it, or of others" % note)
        sealers[-1] = sealers[-1]._replace(end=end)
        sealers.append(after._replace(at=number))
    return sealers


def sealer_of(sealers, text):
    return next((sealer for sealer in sealers if sealer.text == text), None)


def trust_in(key_text, changes_path):
    # The key that was given, and where there is a list of changes, every key of that chain.
    own = Sealer(key_of(key_text), key_text, 0, None)
    if changes_path is None:
        return Trust([own], own, None)
    sealers = key_changes_of(read_file(changes_path), LIST_OF_CHANGES)
    if sealer_of(sealers, key_text) is None:
        raise Fault("%s is not that of the key %s" % (LIST_OF_CHANGES, short(own.key)))
    return Trust(sealers, sealer_of(sealers, key_text), LIST_OF_CHANGES)


def verify_reign(trust, signer, sealed, what):
    # A key that was replaced has sealed nothing beyond, and at that size the log is what both keys signed.
    for sealer in trust.sealers[:-1]:
        size, root = sealer.end
        if sealer == signer and sealed[0] > size:
            raise Fault(
                "%s is of %s, and the key that signed it, %s, was replaced after %d: it has sealed nothing beyond"
                % (what, counted(sealed[0], "event"), short(sealer.key), size)
            )
        if sealed[0] == size and sealed[1] != root:
            raise Fault("%s has another root than the one that both keys signed when %s was replaced" % (what, short(sealer.key)))


def verify_changes(trust, roots):
    # The roots that the tree has where a key was replaced, by size, as far as it reaches.
    for sealer in trust.sealers[:-1]:
        size, root = sealer.end
        if roots.get(size, root) != root:
            raise Fault(
                "the first %s are not those that both keys signed when %s was replaced"
                % (counted(size, "event"), short(sealer.key))
            )


def signed_words(trust, signer, what):
    # Nothing where the key that was given signed it.
    if signer.at > trust.own.at:
        changes, after = signer.at - trust.own.at, counted(trust.own.end[0], "event")
        how = "" if changes == 1 else "by %d changes, the first " % changes
        return [
            "%s is signed by the key %s, which replaced yours %safter %s; both keys signed %s, and by whom, when and why is in %s."
            % (what, short(signer.key), how, after, "that" if changes == 1 else "each", trust.source)
        ]
    if signer.at < trust.own.at:
        return [
            "%s is signed by the key %s, which was replaced after %s: whoever got hold of that key since can have made this; "
            "only one that you had before the change shows more." % (what, short(signer.key), counted(signer.end[0], "event"))
        ]
    return []


# ---- witnesses: C2SP tlog-policy, tlog-cosignature ---------------------------------------------------------

def witness_key_of(text):
    # c2sp.org/tlog-cosignature: a key of the signature type 4. Returns name, id and public key.
    name, id_text, encoded = (text.split("+", 2) + ["", ""])[:3]
    raw = base64_of(encoded)
    if not is_key_name(name) or not re.fullmatch("[0-9a-f]{8}", id_text) or not raw:
        raise Fault("the key of a witness is not of the form NAME+ID+BASE64")
    if raw[0] != 4 or len(raw) != 33 or decode_point(raw[1:]) is None:
        raise Fault("the key of a witness is not one of the signature type 4")
    if sha256(name.encode() + b"\n" + raw)[:4].hex() != id_text:
        raise Fault("the id in the key of a witness is not that of its name and key")
    return (name, bytes.fromhex(id_text), raw[1:])


def policy_line(policy, kind, items):
    named, members = policy["named"], policy["members"]

    def find(name):
        if name not in named:
            raise Fault("it names no witness or group of a line before")
        return named[name]

    def give(name, is_met):
        if name in ("", "none") or name in named:
            raise Fault("the name is taken, or there is none")
        named[name] = is_met

    if kind == "log" and 1 <= len(items) <= 2:
        policy["logs"].append(key_of(items[0])[2])
        if len(set(policy["logs"])) < len(policy["logs"]):
            raise Fault("this log is named twice")
    elif kind == "witness" and 2 <= len(items) <= 3:
        name, key = items[0], witness_key_of(items[1])
        if any(key[2] == other[2] for other in policy["witnesses"].values()):
            raise Fault("the key of this witness is that of another one")
        give(name, lambda names: name in names)
        policy["witnesses"][name] = key
    elif kind == "group" and len(items) >= 3:
        threshold, of_group = items[1], items[2:]
        least = {"any": 1, "all": len(of_group)}.get(threshold) or count_of(threshold) or 0
        if not 1 <= least <= len(of_group):
            raise Fault("the number of a group is all, any, or from 1 to the number of its members")
        met = [find(member) for member in of_group]
        if len(set(of_group)) < len(of_group) or members.intersection(of_group):
            raise Fault("a member of it is a member twice")
        members.update(of_group)
        give(items[0], lambda names: sum(is_met(names) for is_met in met) >= least)
    elif kind == "quorum" and len(items) == 1:
        if policy["quorum"] is not None:
            raise Fault("there is a second quorum")
        policy["quorum"] = (lambda names: True) if items[0] == "none" else find(items[0])
    else:
        raise Fault("it is no line of a policy")


def policy_of(raw):
    # c2sp.org/tlog-policy: which witnesses there are, and how many of them a checkpoint needs.
    if len(raw) > 65536:
        raise Fault("the policy is longer than 64 KiB")
    policy = {"logs": [], "witnesses": {}, "named": {}, "members": set(), "quorum": None}
    for number, line in enumerate(text_of(raw, "the policy").split("\n"), 1):
        items = [item for item in re.split("[ \t]+", line) if item]
        if not items or items[0].startswith("#"):
            continue
        try:
            policy_line(policy, items[0], items[1:])
        except Fault as fault:
            raise Fault("the policy, line %d: %s" % (number, fault))
    if policy["quorum"] is None:
        raise Fault("the policy has no line quorum")
    return policy


def instant_of(seconds):
    if seconds > 253402300799:  # 9999-12-31T23:59:59Z
        raise Fault("a witness gives a time that no clock shows")
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def witnessed(raw, key, policy_path, what):
    # c2sp.org/tlog-cosignature, of a note that is signed by the key. Which witnesses of the policy cosigned it, and when.
    if policy_path is None:
        return []
    policy = policy_of(read_file(policy_path))
    if policy["logs"] and key[2] not in policy["logs"]:
        raise Fault("the policy is for other logs than that of the key")
    text, _, rest = text_of(raw, what).rpartition("\n\n")
    times = {}
    for line in rest.split("\n")[:-1]:
        signer, signature = line.split(" ")[1], base64_of(line.split(" ")[2])
        for name, (key_name, key_id, public_key) in policy["witnesses"].items():
            if signer != key_name or signature[:4] != key_id:
                continue
            time = int.from_bytes(signature[4:12], "big")
            message = "cosignature/v1\ntime %d\n%s\n" % (time, text)
            if len(signature) != 76 or not ed25519_verifies(public_key, message.encode(), signature[12:]):
                raise Fault("the cosignature of %s does not fit: it was changed, or is forged" % shown(signer))
            times.setdefault(name, instant_of(time))
    said = ", ".join("%s at %s" % (shown(name), times[name]) for name in policy["witnesses"] if name in times)
    if not policy["quorum"](times.keys()):
        raise Fault("%s lacks the quorum of the policy: it is cosigned by %s" % (what, said or "no witness of it"))
    if not times:
        return ["No witness of the policy cosigned %s, and the policy needs none." % what]
    return ["Witnesses saw %s, by their clocks, and that it extends what they saw before: %s." % (what, said)]


# ---- export ------------------------------------------------------------------------------------------------

def withheld_words(count):
    if count == 0:
        return "All data was there and is what was sealed."
    verb = "has its" if count == 1 else "have their"
    return "%s %s data withheld: nothing was verified of it." % (counted(count, "event"), verb)


def is_in_tree(event):
    # Decisions of operators are leaves from version 2 of their schema on. Those before it stay outside.
    category = event["stream"].partition("-")[0]
    version = event["metadata"].get("schemaVersion")
    is_sealed = type(version) is float and version >= 2 and version % 1 == 0 and version < 2 ** 53
    return category in ("business", "document") or (category == "operations" and is_sealed)


def sealed_by(raw, trust, policy_path):
    # The (size, root) of a checkpoint, and what is to be said of who signed it.
    sealed, signer = checkpoint_of(raw, trust.sealers, "the checkpoint")
    verify_reign(trust, signer, sealed, "the checkpoint")
    cosigned = witnessed(raw, signer.key, policy_path, "the checkpoint")
    return sealed, signed_words(trust, signer, "The checkpoint") + cosigned


def verify_export(path, checkpoint_path, key_text, policy_path, changes_path=None):
    sealed, signed, sizes = None, [], set()
    if checkpoint_path is not None:
        checkpoint, trust = read_file(checkpoint_path), trust_in(key_text, changes_path)
        sealed, signed = sealed_by(checkpoint, trust, policy_path)
        sizes = {sealed[0]}.union(sealer.end[0] for sealer in trust.sealers[:-1])
    ends, events, withheld, leaves, peaks, roots = {}, 0, 0, 0, [], {}
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
                raise Fault("line %d%s: %s" % (events, ", " + place_of(event) if event else "", fault))
            if leaves < max(sizes, default=0) and is_in_tree(event):
                leaves += 1
                add_leaf(peaks, leaf_of(event))
                if leaves in sizes:
                    roots[leaves] = root_of(peaks)
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
    if roots[sealed[0]] != sealed[1]:
        raise Fault("the first %s are not those that the checkpoint seals, in their order" % sealed_events)
    verify_changes(trust, roots)
    return said + [
        "The first %s of the tree are all that the checkpoint seals; the key signed it." % sealed_events,
    ] + signed + [
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


def changed_how(name, data):
    # What was done to the fields that an event changed.
    if not name.endswith("Reverted"):
        return "updated"
    if not isinstance(data["to"], float):
        raise TypeError  # the service answers no such event
    return "reverted to revision " + jcs_number(data["to"])


def described(name, data):
    # What the service says of an event in words: type, message and refs, computed of the sealed data.
    if name == "BusinessCreated":
        return "created", "business created", related("Business", data.get("parent"))
    if name in ("BusinessDeleted", "DocumentDeleted"):
        return "deleted", name[:8].lower() + " deleted", []
    if name in ("BusinessRestored", "DocumentRestored"):
        return "created", name[:8].lower() + " restored", []
    if name in ("BusinessUpdated", "BusinessReverted"):
        refs = related("Business", data.get("previousParent"), data["changes"].get("parent"))
        return "updated", "%s %s" % (enumerated(list(data["changes"])), changed_how(name, data)), refs
    if name in ("BusinessOwnerAdded", "BusinessOwnerRemoved"):
        return "updated", "owner " + name[13:].lower(), related("User", data["user"])
    if name == "BusinessOwnerUpdated":
        fields = [field for field in data if field != "user"]
        return "updated", "owner %s updated" % enumerated(fields), related("User", data["user"])
    if name == "DocumentCreated":
        message = "document created" + ("" if data["file"] is None else " with a file")
        return "created", message, related(data["entityType"], data["entity"])
    if name in ("DocumentUpdated", "DocumentReverted"):
        fields = ["file"] * ("file" in data) + list(data["changes"])
        refs = [data[side] for side in ("detachedFrom", "attachedTo") if side in data]
        return "updated", "%s %s" % (enumerated(fields), changed_how(name, data)), refs
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
    if not isinstance(number, float) or not number.is_integer():
        raise Fault("has no revision that is a whole number")
    if not isinstance(answered["metadata"], dict):
        raise Fault("has no metadata")
    metadata = answered["metadata"]
    names = {"stream": "stream", "id": "_id", "type": "name"}
    for name in names.values():
        if not isinstance(answered.get(name), str):
            raise Fault("its %s is no text" % name)
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


def verify_tiles(directory, key_text, policy_path, changes_path=None):
    trust = trust_in(key_text, changes_path)
    (size, root), signed = sealed_by(read_file(os.path.join(directory, "checkpoint")), trust, policy_path)
    sizes, roots = {sealer.end[0] for sealer in trust.sealers[:-1]}, {}
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
                    if index * WIDTH + at + 1 in sizes:
                        roots[index * WIDTH + at + 1] = root_of(peaks)
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
    verify_changes(trust, roots)
    verify_others(directory, whole)
    return [
        "%s of %s: each is what it must be, and their root is that of the checkpoint, which is signed by the key."
        % (counted(len(whole), "tile"), counted(size, "event")),
    ] + signed + [
        "This cannot show what the events say, nor that nothing came after the checkpoint.",
    ]


# ---- audit packs: docs/audit-pack.md -------------------------------------------------------------------------

# ZIP (APPNOTE 6.3) in the one layout of packs: every byte that is not content follows from the names, sizes, CRCs and time,
# and is compared with what does follow. So nothing can stand between the members, and all tools unpack the same.

NO_ZIP = "the pack is no ZIP in the one layout of packs: it was changed, or another program wrote it"
CANNOT_INFLATE = "%s cannot be read out of the ZIP: it is damaged"
# What 32 bits cannot say is all ones there, and stands in 64 bits elsewhere (ZIP64).
WIDE = 0xFFFFFFFF
# Of the directory, in bytes: a million members.
MOST_DIRECTORY = 1 << 28
ENTRY = "<4s4H4s3L5H2L"
END = "<4s4H2LH"
END64 = "<4sQ2H2L4Q"
LOCATOR = "<4sLQL"

Member = collections.namedtuple("Member", "name crc packed size at start")
# `dos` and `time` are the one time of all members, which DOS has in some local time, as 4 bytes, and Unix in seconds.
Pack = collections.namedtuple("Pack", "file members dos time")


def is_wide(member):
    return max(member.packed, member.size, member.at) >= WIDE


def local_header(name, dos):
    # Sizes and CRC are not known yet, as bit 3 of the flags says; bit 11 is of names in UTF-8. Deflated is 8.
    return struct.pack("<4s3H4s3L2H", b"PK\3\4", 20, 0x0808, 8, dos, 0, 0, 0, len(name), 0) + name


def descriptor(member):
    sizes = (member.crc, member.packed, member.size)
    return struct.pack("<4sL2Q" if is_wide(member) else "<4s3L", b"PK\7\x08", *sizes)


def directory_entry(member, dos, time):
    # Made by a Unix, a file that its owner may write; the time is an extra field, and so are wide sizes.
    name, wide = member.name.encode(), is_wide(member)
    packed, size, at = (WIDE,) * 3 if wide else (member.packed, member.size, member.at)
    extra = struct.pack("<2HBL", 0x5455, 5, 3, time)
    extra += struct.pack("<2H3Q", 1, 24, member.size, member.packed, member.at) if wide else b""
    entry = (b"PK\1\2", 0x033F, 45 if wide else 20, 0x0808, 8, dos, member.crc, packed, size, len(name), len(extra))
    return struct.pack(ENTRY, *entry, 0, 0, 0, 0o100644 << 16, at) + name + extra


def end_records(count, size, at):
    wide = b""
    if count >= 0xFFFF or size >= WIDE or at >= WIDE:
        wide = struct.pack(END64, b"PK\6\6", 44, 0x033F, 45, 0, 0, count, count, size, at)
        wide += struct.pack(LOCATOR, b"PK\6\7", 0, at + size, 1)
    few = min(count, 0xFFFF)
    return wide + struct.pack(END, b"PK\5\6", 0, 0, few, few, min(size, WIDE), min(at, WIDE), 0)


def read_at(file, at, size):
    file.seek(at)
    return file.read(size)


def directory_of(file, length):
    # How many members, and where their directory is: as the end of the file says.
    _, _, _, _, count, size, at, _ = struct.unpack(END, read_at(file, max(length - 22, 0), 22))
    if count == 0xFFFF or size == WIDE or at == WIDE:
        *_, count, size, at = struct.unpack(END64, read_at(file, max(length - 98, 0), 56))
    if size > MOST_DIRECTORY or at + size > length:
        raise Fault(NO_ZIP)
    return count, size, at


def members_in(directory, count):
    # What each entry says of its member: name, CRC, sizes. The rest is compared with what follows from that.
    at = 0
    for _ in range(count):
        *_, crc, packed, size, named, extra, commented, _, _, _, _ = struct.unpack_from(ENTRY, directory, at)
        name = directory[at + 46 : at + 46 + named]
        if packed == WIDE:
            size, packed = struct.unpack_from("<2Q", directory, at + 46 + named + 13)
        if not re.fullmatch(b"[!-~]+", name) or max(packed, size) >= 1 << 53:
            raise Fault(NO_ZIP)
        yield name, crc, packed, size
        at += 46 + named + extra + commented


def open_zip(path):
    if not os.path.isfile(path):
        raise Fault("%s cannot be read: there is no such file" % shown(path))
    try:
        file = open(path, "rb")
        return laid_out(file, os.fstat(file.fileno()).st_size)
    except struct.error:
        raise Fault(NO_ZIP)
    except OSError as error:
        raise Fault("%s cannot be read: %s" % (shown(path), error.strerror))


def laid_out(file, length):
    count, size, directory_at = directory_of(file, length)
    directory = read_at(file, directory_at, size)
    if count == 0:
        raise Fault(NO_ZIP)
    dos = directory[12:16]
    (time,) = struct.unpack_from("<L", directory, 46 + struct.unpack_from("<H", directory, 28)[0] + 5)
    members, before, last, at = {}, b"", b"", 0
    for name, crc, packed, size in members_in(directory, count):
        expected = before + local_header(name, dos)
        if name <= last or read_at(file, at, len(expected)) != expected:
            raise Fault(NO_ZIP)
        member = Member(name.decode(), crc, packed, size, at + len(before), at + len(expected))
        members[member.name], last, before = member, name, descriptor(member)
        at = member.start + packed
    entries = b"".join(directory_entry(member, dos, time) for member in members.values())
    tail = before + entries + end_records(count, len(entries), at + len(before))
    if length - at != len(tail) or read_at(file, at, len(tail)) != tail:
        raise Fault(NO_ZIP)
    return Pack(file, members, dos, time)


INPUT, OUTPUT = 1 << 16, 1 << 20


def pieces_of(pack, name):
    # The content of a member: one deflate stream (RFC 1951) that ends where the member does, and is inflated no further
    # than the size that is stated.
    member = pack.members[name]
    inflater, crc, size, at, end = zlib.decompressobj(-15), 0, 0, member.start, member.start + member.packed
    piece = b""
    while not inflater.eof:
        packed = inflater.unconsumed_tail
        if not packed and len(piece) < OUTPUT:
            packed = read_at(pack.file, at, min(INPUT, end - at))
            at += len(packed)
            if not packed:
                raise Fault(CANNOT_INFLATE % name)
        try:
            piece = inflater.decompress(packed, OUTPUT)
        except zlib.error:
            raise Fault(CANNOT_INFLATE % name)
        size, crc = size + len(piece), zlib.crc32(piece, crc)
        if size > member.size:
            raise Fault(CANNOT_INFLATE % name)
        yield piece
    if inflater.unused_data or at != end or (size, crc) != (member.size, member.crc):
        raise Fault(CANNOT_INFLATE % name)


def lines_of(pieces):
    # Each with its line feed, but for a last one that has none.
    parts = []
    for piece in pieces:
        head, *lines = piece.split(b"\n")
        parts.append(head)
        for line in lines:
            yield b"".join(parts) + b"\n"
            parts = [line]
    if any(parts):
        yield b"".join(parts)


def content_of(pack, name):
    if name not in pack.members:
        raise Fault("%s is missing" % name)
    return b"".join(pieces_of(pack, name))


FORM = "audit-pack/v1 or audit-pack/v2"
HEAD = (
    (FORM, "audit-pack/(v1|v2)"),
    ("origin", "origin (.+)"),
    ("created", r"created ([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z)"),
    ("data", "data (included|withheld)"),
    ("records", "records ([1-9][0-9]*)"),
    ("events", "events ([1-9][0-9]*)"),
)
# Since audit-pack/v2, behind them.
DECISIONS = ("decisions", "decisions (0|[1-9][0-9]*)")


def trust_of_pack(pack, trust):
    # The pack may tell of changes of the key itself. A list that was given counts more, and one without the key not at all.
    if CHANGES_MEMBER not in pack.members:
        return trust, None
    if pack.members[CHANGES_MEMBER].size > MOST_CHANGES:
        raise Fault("%s is longer than 64 KiB" % CHANGES_MEMBER)
    sealers = key_changes_of(content_of(pack, CHANGES_MEMBER), CHANGES_MEMBER)
    own = sealer_of(sealers, trust.own.text)
    return (Trust(sealers, own, CHANGES_MEMBER) if own and trust.source is None else trust), sealers


def manifest_of(pack, sealers):
    # A note that one key alone has signed: the head, then SHA-256, size and name of every other member, sorted by name.
    if "manifest.txt" not in pack.members:
        raise Fault("manifest.txt is missing")
    # What it needs, at most: its head and its signature, which name the key, and a line for each member.
    origin = sealers[0].key[0]
    needed = 4096 + 4 * len(origin) + sum(len(one.name) + len(str(one.size)) + 67 for one in pack.members.values())
    if pack.members["manifest.txt"].size > needed:
        raise Fault("manifest.txt is larger than a list of the members can be")
    text, signatures, signer = open_note(content_of(pack, "manifest.txt"), sealers, "manifest.txt")
    if signatures != 1:
        raise Fault("manifest.txt has more than one signature")
    lines, head, listed, last = text.split("\n")[:-1], {}, {}, ""
    stated = HEAD if lines[0] == "audit-pack/v1" else HEAD + (DECISIONS,)
    for number, (name, pattern) in enumerate(stated):
        match = re.fullmatch(pattern, lines[number]) if number < len(lines) else None
        if not match:
            raise Fault("line %d of manifest.txt does not say: %s" % (number + 1, name))
        head[name] = match[match.lastindex or 0]
    for number, line in enumerate(lines[len(stated) :], len(stated) + 1):
        match = re.fullmatch("([0-9a-f]{64}) (0|[1-9][0-9]{0,15}) ([!-~]+)", line)
        if not match or match[3] <= last:
            raise Fault("line %d of manifest.txt does not name the next member" % number)
        last = match[3]
        listed[last] = (match[1], int(match[2]))
    if head["origin"] != origin:
        raise Fault("manifest.txt is of another log than the key: its origin is %s" % shown(head["origin"]))
    # Unix has that time in 32 bits.
    time = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=pack.time)
    if time.isoformat() != min(head["created"][:19], "2038-01-19T03:14:07"):
        raise Fault("the members in the ZIP are of another time than manifest.txt says")
    return head, listed, signer


RECORD = re.compile("records/((?:business|document)-[A-Za-z0-9-]+)[.]ndjson")
DECISION = re.compile("decisions/(operations-[A-Za-z0-9_-]+)/(0|[1-9][0-9]{0,18})[.]ndjson")
FIXED = ("checkpoint.txt", "key.txt", "report.html", "verify.html", "verify.py")
# Where the log has it.
TIMESTAMP = "checkpoint.tsr"
OPTIONAL = (TIMESTAMP, CHANGES_MEMBER)


def verify_members(pack, listed):
    # The ZIP has each member that the manifest lists, byte for byte, and no other one.
    for name in FIXED:
        if name not in listed:
            raise Fault("manifest.txt does not list %s" % name)
    names = set(pack.members) - {"manifest.txt"}
    for name in listed:
        if name not in names:
            raise Fault("%s is missing: manifest.txt lists it" % name)
    for name in sorted(names - set(listed)):
        raise Fault("%s is in the ZIP, and manifest.txt does not list it" % shown(name))
    for name, (digest, size) in listed.items():
        sha = hashlib.sha256()
        for piece in pieces_of(pack, name) if pack.members[name].size == size else ():
            sha.update(piece)
        if pack.members[name].size != size or sha.hexdigest() != digest:
            raise Fault("%s is not what manifest.txt lists: it was changed" % name)


def verify_proof(raw, event, size, root, checkpoint):
    # c2sp.org/tlog-proof, without extra data: the index, the hashes up to the root, the checkpoint.
    head, _, note = text_of(raw, "its proof").partition("\n\n")
    lines = head.split("\n")
    hashes = [base64_of(line) for line in lines[2:]]
    if lines[0] != "c2sp.org/tlog-proof@v1" or any(one is None or len(one) != 32 for one in hashes):
        raise Fault("its proof is no tlog-proof without extra data")
    if lines[1:2] != ["index " + event["index"]]:
        raise Fault("its proof is of another place in the log")
    if note.encode() != checkpoint:
        raise Fault("its proof leads to another checkpoint than checkpoint.txt")
    if root_by_proof(leaf_of(event), int(event["index"]), size, hashes) != root:
        raise Fault("its proof does not lead to the root of checkpoint.txt: it is not the event at that place")


def file_named(event):
    # A file that an event names: its SHA-256 and its size. None where it names none.
    file = event["data"].get("file") if isinstance(event.get("data"), dict) else None
    if not isinstance(file, dict):
        return None
    digest, size = file.get("sha256"), file.get("size")
    if not isinstance(digest, str) or not re.fullmatch("[0-9a-f]{64}", digest) or not isinstance(size, float):
        raise Fault("names a file without SHA-256 and size")
    return digest, size


def verify_record(pack, name, head, listed, sealed, checkpoint, told):
    # Every event continues the chain from revision 0, and is where its proof says. (events, withheld, files)
    stream = RECORD.fullmatch(name)[1]
    ends, events, withheld, last, files = {}, 0, 0, -1, {}
    for line in lines_of(pieces_of(pack, name)):
        try:
            if not line.endswith(b"\n"):
                raise Fault("is not a whole line")
            event = event_of(line[:-1], "index")
            if event["stream"] != stream:
                raise Fault("is of another record: %s" % shown(event["stream"]))
            if head["data"] == "withheld" and ("data" in event or "salt" in event["metadata"]):
                raise Fault("has data or its salt, and manifest.txt says that data is withheld")
            withheld += extend_chain(ends, event)
            proof = "proofs/%s/%d.tlog-proof" % (stream, events)
            if proof not in listed:
                raise Fault("has no proof in the pack")
            verify_proof(content_of(pack, proof), event, sealed[0], sealed[1], checkpoint)
            if int(event["index"]) <= last:
                raise Fault("stands in the log before the event that it follows")
            last, file = int(event["index"]), file_named(event)
            if file is not None:
                files.setdefault("files/" + file[0], set()).add(file[1])
        except Fault as fault:
            raise Fault("line %d of %s: %s" % (events + 1, name, fault))
        events += 1
        told.add(event)
    if events == 0:
        raise Fault("%s has no events" % name)
    return events, withheld, files


def record_concerned(event):
    # The record that a decision of operators is about. None where it is about none, or nothing vouches for what it says.
    data = event.get("data")
    if event["type"] != "ProjectionEventSkipped" or "salt" not in event["metadata"] or not isinstance(data, dict):
        return None
    return data.get("stream") if is_text(data.get("stream")) else None


def verify_decision(pack, name, head, listed, sealed, checkpoint, streams):
    # It stands alone, without the chain of its stream: its hash, its data and its place in the log are verified.
    stream, revision = DECISION.fullmatch(name).groups()
    try:
        line = content_of(pack, name)
        if not line.endswith(b"\n"):
            raise Fault("is not a whole line")
        event = event_of(line[:-1], "index")
        if (event["stream"], event["revision"]) != (stream, revision):
            raise Fault("is another event than its name says: %s" % place_of(event))
        if head["data"] == "withheld":
            raise Fault("is there, and manifest.txt says that data is withheld")
        extend_chain({stream: (int(revision), event["metadata"].get("previousHash"))}, event)
        if record_concerned(event) not in streams:
            raise Fault("is no decision that concerns a record of the pack")
        proof = "proofs/%s/%s.tlog-proof" % (stream, revision)
        if proof not in listed:
            raise Fault("has no proof in the pack")
        verify_proof(content_of(pack, proof), event, sealed[0], sealed[1], checkpoint)
    except Fault as fault:
        raise Fault("%s: %s" % (name, fault))
    return proof, event


def verify_decisions(pack, head, listed, sealed, checkpoint, streams):
    # Those about records of the pack, and the members that they are.
    members, decisions = set(), []
    for name in filter(DECISION.fullmatch, listed if DECISIONS[0] in head else ()):
        proof, event = verify_decision(pack, name, head, listed, sealed, checkpoint, streams)
        members.update((name, proof))
        decisions.append(event)
    if head.get(DECISIONS[0], "0") != str(len(decisions)):
        raise Fault("manifest.txt says %s decisions, there are others" % head[DECISIONS[0]])
    return members, decisions


def verify_others_listed(listed, proofs, files):
    # Each proof is that of an event, each file is named by an event and the other way round; nothing else is listed.
    for name, sizes in files.items():
        if name not in listed:
            raise Fault("%s is missing: an event names that file" % name)
        if sizes != {float(listed[name][1])} or listed[name][0] != name[6:]:
            raise Fault("%s is not the file that the event names" % name)
    for name in listed:
        if name not in FIXED + OPTIONAL and name not in proofs and name not in files and not RECORD.fullmatch(name):
            raise Fault("%s belongs to no event of the pack" % name)


UNSEEN = "[\0-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}


def in_page(text):
    # What cannot be seen, or changes how other text is shown, stands in the page as \u and four digits; then HTML.
    named = re.sub(UNSEEN, lambda unseen: "\\u%04x" % ord(unseen[0]), text)
    return re.sub("[&<>\"']", lambda special: ENTITIES[special[0]], named)


def row(name, html):
    return "<dt>%s</dt><dd>%s</dd>\n" % (in_page(name), html)


def rows(pairs):
    return "".join(row(name, in_page(value)) for name, value in pairs)


def as_text(value):
    return value if isinstance(value, str) else jcs(value)


def data_of(event):
    # What is told of its data: the data without the reason, and whether it is there at all. Nothing vouches for unsalted data.
    data = event.get("data")
    if isinstance(data, dict):
        data = {name: data[name] for name in data if name != "$reason"}
    return data, "salt" in event["metadata"]


def reason_of(event):
    # As a list of none or one.
    data = event.get("data")
    return [data["$reason"]] if isinstance(data, dict) and "$reason" in data else []


OPENING = """<!doctype html>
<html lang="en" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Audit pack of {origin}</title>
<style>
:root {{ color-scheme: light dark }}
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }}
h2 {{ border-bottom: 1px solid; margin-top: 3rem }}
article {{ border-left: 3px solid; padding-left: 1rem; margin: 1.5rem 0; break-inside: avoid }}
h3 {{ margin: 0 }}
dl {{ display: grid; grid-template-columns: minmax(8rem, max-content) 1fr; gap: 0 1rem; margin: .25rem 0 }}
dt {{ opacity: .7 }}
dd {{ margin: 0 }}
{style}
</style>
</head>
<body>
<h1>Audit pack</h1>
<dl>
{head}</dl>
<p>This page is as good as its verification. Get verify.py or verify.html from a source that you trust, not out of this \
pack, and the key of the log from one that you trust: they make this page anew from the sealed events and compare the \
two. A pack shows what happened up to its last events. It cannot show that nothing came later.</p>
"""
SECTION = '<section id="%s">\n<h2>%s</h2>\n%s</section>\n'
FILES = SECTION % ("files", "%s", "<ul>\n%s</ul>\n")
LIST = "<h2>Records</h2>\n<ul>\n%s</ul>\n"
END_OF_PAGE = "</body>\n</html>\n"
WITHHELD = "<p>Its data is withheld.</p>\n"


class FirstForm:
    """What report.html tells of a record in packs of the form audit-pack/v1."""

    STYLE = """dt, dd, li { overflow-wrap: anywhere; unicode-bidi: isolate }
dl.data, code { font-family: ui-monospace, monospace; font-size: .875em }"""

    def __init__(self, stream):
        self.stream, self.articles = stream, []

    def add(self, event):
        (data, is_there), metadata = data_of(event), event["metadata"]
        told = [("at", metadata.get("at")), ("actor", metadata.get("actor")), ("place in the log", event["index"])]
        told = rows([(name, as_text(value)) for name, value in told + [("reason", one) for one in reason_of(event)]])
        members = data if isinstance(data, dict) else {"data": data}
        listed = rows([(name, jcs(members[name])) for name in sorted(members, key=utf16)])
        below = '<dl class="data">\n%s</dl>\n' % listed if is_there else WITHHELD
        title = "%s. %s" % (event["revision"], in_page(event["type"]))
        self.articles.append("<article>\n<h3>%s</h3>\n<dl>\n%s</dl>\n%s</article>\n" % (title, told, below))

    def item(self):
        return '<li><a href="#%s">%s</a>, %s</li>\n' % (
            self.stream,
            self.stream,
            counted(len(self.articles), "event"),
        )

    @classmethod
    def page(cls, head, signed, records, decisions, files):
        table = [("log", head["origin"]), ("made at", head["created"]), ("records", head["records"])]
        table += [("events", head["events"]), ("data", head["data"]), ("files", str(len(files)))]
        items = "".join("<li><code>%s</code>, %s</li>\n" % (name[6:], counted(size, "byte")) for name, size in files)
        return "".join(
            [OPENING.format(origin=in_page(head["origin"]), style=cls.STYLE, head=rows(table))]
            + [LIST % "".join(record.item() for record in records)]
            + [SECTION % (record.stream, record.stream, "".join(record.articles)) for record in records]
            + [FILES % ("Files, by their SHA-256", items) if files else "", END_OF_PAGE]
        )


BY_ITS_CLOCK = "by this machine&#39;s clock"


def quoted(text):
    # A text of somebody is set apart, so that nobody takes what it says for words of the page.
    return "<q>%s</q>" % in_page(text)


def is_text(value):
    return isinstance(value, str)


def number_of(value, what):
    return "%s %s%s" % (jcs(value), what, "" if value == 1 else "s")


def in_words(value):
    # A value of an event in the page, as HTML.
    if is_text(value):
        return quoted(value)
    if value is None or value == []:
        return "<em>nothing</em>"
    if not isinstance(value, (list, dict)):
        return jcs(value)
    if isinstance(value, list) and all(map(is_text, value)):
        return ", ".join(map(quoted, value))
    if isinstance(value, dict) and is_text(value.get("originalName")) and is_text(value.get("sha256")):
        if isinstance(value.get("size"), float):
            size = number_of(value["size"], "byte")
            return "%s, %s, SHA-256 <code>%s</code>" % (quoted(value["originalName"]), size, in_page(value["sha256"]))
    return "<code>%s</code>" % in_page(jcs(value))


def event_in_words(name, data):
    # What an event did; its type where that is not known. Of any data: it need not be of a shape that the service knows.
    if not isinstance(data, dict):
        return name
    changes = sorted(data["changes"], key=utf16) if isinstance(data.get("changes"), dict) else []
    has_file = isinstance(data.get("file"), dict)
    # Null where there was no file at that revision.
    has_other_file = has_file or data.get("file", "") is None
    is_revision = isinstance(data.get("to"), float) and 0 <= data["to"] < 2**53 and data["to"] % 1 == 0
    reverted = "reverted to revision %d" % data["to"] if is_revision else None
    words = {
        "BusinessCreated": "business created",
        "BusinessDeleted": "business deleted",
        "BusinessRestored": "business restored",
        "BusinessOwnerAdded": "owner added",
        "BusinessOwnerRemoved": "owner removed",
        "DocumentCreated": "document created" + (" with a file" if has_file else ""),
        "DocumentDeleted": "document deleted",
        "DocumentRestored": "document restored",
    }
    fields = {
        "BusinessUpdated": ("", changes, "updated"),
        "BusinessReverted": ("", changes, reverted),
        "BusinessOwnerUpdated": ("owner ", [one for one in sorted(data, key=utf16) if one != "user"], "updated"),
        "DocumentUpdated": ("", ["file"] * has_file + changes, "updated"),
        "DocumentReverted": ("", ["file"] * has_other_file + changes, reverted),
    }
    before, names, how = fields.get(name, ("", [], None))
    return "%s%s %s" % (before, enumerated(names), how) if names and how else words.get(name, name)


def members_told(name, data):
    # (label, value, whether it had another value before) of each member, those that the event changed first.
    if not isinstance(data, dict):
        return [("data", data, False)]
    is_update, user = name.endswith(("Updated", "Reverted")), data.get("user")
    nested = data["changes"] if is_update and isinstance(data.get("changes"), dict) else None
    owner = " of owner " + user if name.startswith("BusinessOwner") and is_text(user) else ""
    told = [(one, nested[one], True) for one in sorted(nested or {}, key=utf16)]
    for one in sorted(data, key=utf16):
        if owner and one == "user":
            told.append(("owner", data[one], False))
        elif nested is None or one != "changes":
            told.append((one + owner, data[one], is_update and (one == "file" or owner != "")))
    return told


class SecondForm:
    """What report.html tells of a record in packs of the form audit-pack/v2: names, who, when, before and after in words."""

    STYLE = """h2, h3, dt, dd, li, q { overflow-wrap: anywhere; unicode-bidi: isolate }
q { border-bottom: 1px dotted }
code { font-family: ui-monospace, monospace; font-size: .875em }"""

    def __init__(self, stream):
        self.stream, self.place, self.title = stream, stream.replace("-", " ", 1), stream.replace("-", " ", 1)
        self.articles, self.files, self.times = [], [], []
        # What each member was last, and whether an event was there that may have changed anything.
        self.known, self.is_unknown = {}, False

    def add(self, event):
        (data, is_there), metadata, revision = data_of(event), event["metadata"], event["revision"]
        data = data if is_there else None
        self.times = [self.times[0] if self.times else as_text(metadata.get("at")), as_text(metadata.get("at"))]
        if isinstance(data, dict):
            named = data["changes"] if isinstance(data.get("changes"), dict) else data
            self.title = named["name"] if is_text(named.get("name")) else self.title
            self.files += [(revision, data["file"])] if isinstance(data.get("file"), dict) else []
        told = [
            row("who", in_page(as_text(metadata.get("actor")))),
            row("when", "%s, %s" % (in_page(as_text(metadata.get("at"))), BY_ITS_CLOCK)),
            *[row("why", in_page(as_text(one))) for one in reason_of(event)],
            row("type", in_page(event["type"])),
            row("place in the log", event["index"]),
        ]
        title = "%s. %s" % (revision, in_page(event_in_words(event["type"], data)))
        below = self.changes(event["type"], data) if is_there else self.forget()
        article = '<article id="%s/%s">\n<h3>%s</h3>\n<dl>\n%s</dl>\n%s</article>\n'
        self.articles.append(article % (self.stream, revision, title, "".join(told), below))

    def forget(self):
        self.known, self.is_unknown = {}, True
        return WITHHELD

    def changes(self, name, data):
        told = []
        for label, value, is_change in members_told(name, data):
            none = "<em>not known</em>" if self.is_unknown else "<em>nothing</em>"
            before = in_words(self.known[label]) if label in self.known else none
            told.append(row(label, (before + " \u2192 " if is_change else "") + in_words(value)))
            self.known[label] = value
        return '<dl class="data">\n%s</dl>\n' % "".join(told)

    def item(self):
        link = '<a href="#%s">%s</a>, %s' % (self.stream, in_page(self.title), self.place)
        events = counted(len(self.articles), "event")
        return "<li>%s: %s, from %s to %s</li>\n" % (link, events, *map(in_page, self.times))

    def file_items(self):
        for revision, file in self.files:
            link = '<a href="#%s/%s">%s, revision %s</a>' % (self.stream, revision, in_page(self.title), revision)
            yield "<li>%s: %s</li>\n" % (in_words(file), link)

    @classmethod
    def page(cls, head, signed, records, decisions, files):
        created = "%s, %s" % (in_page(head["created"]), BY_ITS_CLOCK)
        table = row("log", in_page(head["origin"])) + row("made at", created)
        table += rows([(name, head[name]) for name in ("records", "events", "decisions", "data")] + [("files", str(len(files)))])
        checkpoint = row("size", counted(signed["size"], "event")) + row("root", signed["root"])
        checkpoint += row("time", "not after " + created) + row("key", in_page(signed["key"]))
        items = "".join(item for record in records for item in record.file_items())
        return "".join(
            [OPENING.format(origin=in_page(head["origin"]), style=cls.STYLE, head=table)]
            + ["<p>A time %s is by the clock of the machine that recorded the event, or made the pack. " % BY_ITS_CLOCK]
            + ["Nobody else vouches for it.</p>\n<h2>Checkpoint</h2>\n<dl>\n%s</dl>\n" % checkpoint]
            + [LIST % "".join(record.item() for record in records)]
            + [record.section() for record in records]
            + [cls.decisions(decisions, {record.stream: record.title for record in records})]
            + [FILES % ("Files", items) if items else "", END_OF_PAGE]
        )

    @staticmethod
    def decisions(decisions, titles):
        articles = []
        for event in decisions:
            (data, _), metadata, stream = data_of(event), event["metadata"], record_concerned(event)
            title = in_page(titles[stream])
            told = [
                row("who", in_page(as_text(metadata.get("actor")))),
                row("when", "%s, %s" % (in_page(as_text(metadata.get("at"))), BY_ITS_CLOCK)),
                row("why", in_page(as_text(data["reason"]))) if "reason" in data else "",
                row("type", in_page(event["type"])),
                row("record", '<a href="#%s">%s</a>' % (stream, title)),
                row("place in the log", event["index"]),
            ]
            members = [row(name, in_words(data[name])) for name in sorted(data, key=utf16) if name != "reason"]
            opening = '<article id="%s/%s">\n<h3>event of %s skipped</h3>\n' % (event["stream"], event["revision"], title)
            lists = '<dl>\n%s</dl>\n<dl class="data">\n%s</dl>\n</article>\n' % ("".join(told), "".join(members))
            articles.append(opening + lists)
        return SECTION % ("decisions", "Decisions of operators", "".join(articles)) if articles else ""

    def section(self):
        told = "<p>%s</p>\n%s" % (self.place, "".join(self.articles))
        return SECTION % (self.stream, in_page(self.title), told)


# Each form of a pack has a page of its own. What packs of a form say never changes.
FORMS = {"v1": FirstForm, "v2": SecondForm}


def decisions_words(head):
    if DECISIONS[0] not in head:
        return []
    number = counted(int(head[DECISIONS[0]]), "decision")
    return ["%s of operators about these records: each is at its place in that log. There may be others." % number]


def timestamp_words(listed):
    if TIMESTAMP not in listed:
        return []
    return [
        "Not checked here: %s, a timestamp by others (RFC 3161). With their root certificate, this checks it among the unpacked "
        "members: openssl ts -verify -data checkpoint.txt -in %s -CAfile ROOT.pem" % (TIMESTAMP, TIMESTAMP)
    ]


def compare_checkpoints(sealed, kept, signers):
    # Two checkpoints of one size are of one history only if their roots are equal.
    if sealed[0] != kept[0]:
        return (
            "The checkpoint you kept is of %s, that of the pack of %d: only a proof shows that one continues the other. "
            'Ask for "ops log verify --against" with yours.' % (counted(kept[0], "event"), sealed[0])
        )
    if sealed[1] != kept[1]:
        who = "the key has" if len(signers) == 1 else "its keys have"
        raise Fault("the checkpoint you kept has the same size and another root: %s signed two histories" % who)
    return "The checkpoint you kept is of the same events."


def verify_against(kept_path, trust, sealed, signer):
    # What is to be said of a checkpoint that somebody has kept.
    if kept_path is None:
        return []
    kept, keeper = checkpoint_of(read_file(kept_path), trust.sealers, "the checkpoint you kept")
    verify_reign(trust, keeper, kept, "the checkpoint you kept")
    said = compare_checkpoints(sealed, kept, {signer, keeper})
    return [said] + signed_words(trust, keeper, "The checkpoint you kept")


def verify_pack(path, key_text, kept_path, policy_path, changes_path=None):
    given = trust_in(key_text, changes_path)
    pack = open_zip(path)
    trust, told_keys = trust_of_pack(pack, given)
    head, listed, signer = manifest_of(pack, trust.sealers)
    verify_members(pack, listed)
    if content_of(pack, "key.txt") != (signer.text + "\n").encode():
        raise Fault("key.txt is not the key of the log")
    if told_keys is not None and sealer_of(told_keys, signer.text) is None:
        raise Fault("%s is not that of the key in key.txt" % CHANGES_MEMBER)
    checkpoint = content_of(pack, "checkpoint.txt")
    sealed, _ = checkpoint_of(checkpoint, [signer], "checkpoint.txt")
    verify_reign(trust, signer, sealed, "checkpoint.txt")
    signed = signed_words(trust, signer, "The pack") + witnessed(checkpoint, signer.key, policy_path, "checkpoint.txt")
    against = verify_against(kept_path, trust, sealed, signer)
    records, events, withheld, files, proofs = [], 0, 0, {}, set()
    for name in filter(RECORD.fullmatch, listed):
        stream = RECORD.fullmatch(name)[1]
        told = FORMS[head[FORM]](stream)
        count, hidden, named = verify_record(pack, name, head, listed, sealed, checkpoint, told)
        records.append(told)
        events, withheld = events + count, withheld + hidden
        proofs.update("proofs/%s/%d.tlog-proof" % (stream, revision) for revision in range(count))
        for file, sizes in named.items():
            files.setdefault(file, set()).update(sizes)
    if (head["records"], head["events"]) != (str(len(records)), str(events)):
        raise Fault("manifest.txt says %s records and %s events, there are others" % (head["records"], head["events"]))
    streams = {record.stream for record in records}
    members, decisions = verify_decisions(pack, head, listed, sealed, checkpoint, streams)
    verify_others_listed(listed, proofs | members, files)
    of_page = {"size": sealed[0], "root": base64.b64encode(sealed[1]).decode(), "key": signer.text}
    page = FORMS[head[FORM]].page(head, of_page, records, decisions, [(name, listed[name][1]) for name in sorted(files)])
    if content_of(pack, "report.html") != page.encode():
        raise Fault("report.html does not say what the sealed events say")
    of_records = "%s of %s" % (counted(events, "event"), counted(len(records), "record"))
    said = [
        "%s: every chain is intact from revision 0 on." % of_records,
        "Each event is at its place among the %s of the log %s." % (counted(sealed[0], "event"), shown(head["origin"])),
        "The key signed that log, and the list of all that is in this pack, made at %s." % head["created"],
        withheld_words(withheld),
        "%s: each is what the event that names it says." % counted(len(files), "file"),
        *decisions_words(head),
        "report.html says what the sealed events say, and nothing else.",
    ]
    return said + signed + timestamp_words(listed) + against + [
        "This cannot show that nothing came later: neither after the last event of a record nor after the checkpoint."
    ]


# ---- the command line --------------------------------------------------------------------------------------

def parsed(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    modes = parser.add_subparsers(dest="mode", metavar="MODE", required=True)
    options = {
        "export": ["--checkpoint", "--key", "--key-changes", "--policy"],
        "events": [],
        "tiles": ["--key", "--key-changes", "--policy"],
        "pack": ["--key", "--key-changes", "--against", "--policy"],
    }
    for mode, names in options.items():
        of_mode = modes.add_parser(mode, allow_abbrev=False)
        of_mode.add_argument("path")
        for name in names:
            of_mode.add_argument(name, required=name == "--key" and mode != "export")
    asked = parser.parse_args(arguments)
    if asked.mode == "export" and (asked.checkpoint is None) != (asked.key is None):
        parser.error("--checkpoint and --key belong together")
    for name in ("policy", "key_changes") if asked.mode == "export" and asked.checkpoint is None else ():
        if getattr(asked, name) is not None:
            parser.error("--%s needs --checkpoint" % name.replace("_", "-"))
    return asked


def verify(asked):
    if asked.mode == "export":
        return verify_export(asked.path, asked.checkpoint, asked.key, asked.policy, asked.key_changes)
    if asked.mode == "events":
        return verify_events(asked.path)
    if asked.mode == "tiles":
        return verify_tiles(asked.path, asked.key, asked.policy, asked.key_changes)
    return verify_pack(asked.path, asked.key, asked.against, asked.policy, asked.key_changes)


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
