"""Changes single bytes at random and asks verify.py each time. Prints, as JSON, how many changes were made of each kind, and
which of them it did not find. What is to be changed comes as JSON on standard input."""
import hashlib
import json
import os
import random
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, "verifiers")
import verify  # noqa: E402

given = json.load(sys.stdin)
chance = random.Random(given["seed"])
KEY = given["key"]
SECRET = bytes.fromhex(given["secret"])


def times(point, factor):
    product = verify.NEUTRAL
    for bit in range(factor.bit_length() - 1, -1, -1):
        product = verify.add_points(product, product)
        product = verify.add_points(product, point) if factor >> bit & 1 else product
    return product


def sign(text):
    # RFC 8032, 5.1.6: as who holds the key would sign a manifest that lies.
    digest = hashlib.sha512(SECRET).digest()
    secret = int.from_bytes(digest[:32], "little") & (1 << 254) - 8 | 1 << 254
    name, key_id, public_key = verify.key_of(KEY)
    r = int.from_bytes(hashlib.sha512(digest[32:] + text).digest(), "little") % verify.ORDER
    point = verify.encode_point(times(verify.BASE, r))
    k = int.from_bytes(hashlib.sha512(point + public_key + text).digest(), "little")
    signature = point + ((r + k * secret) % verify.ORDER).to_bytes(32, "little")
    line = "\u2014 %s %s\n" % (name, verify.base64.b64encode(key_id + signature).decode())
    return text + b"\n" + line.encode()


def changed(content, may_change=lambda at: True):
    while True:
        at = chance.randrange(len(content))
        if may_change(at):
            break
    other = chance.randrange(255)
    return at, content[:at] + bytes([other + (other >= content[at])]) + content[at + 1 :]


def write(path, content):
    with open(path, "wb") as file:
        file.write(content)
    return path


missed, counts = [], {}


def ask(kind, where, verification):
    counts[kind] = counts.get(kind, 0) + 1
    try:
        verification()
    except verify.Fault:
        return
    missed.append("%s: %s" % (kind, where))


SCRATCH = os.path.join(given["directory"], "changed")


def change_export(kind, path, checkpoint):
    # `position` is the one member that no hash is of.
    with open(path, "rb") as file:
        content = file.read()
    free = set()
    for match in verify.re.finditer(rb'(?<="position":")[0-9]+', content):
        free.update(range(match.start(), match.end()))

    def once():
        at, mutated = changed(content, lambda at: at not in free)
        ask(kind, "byte %d" % at, lambda: verify.verify_export(write(SCRATCH, mutated), checkpoint, KEY, None))

    return once


def change_checkpoint(export, checkpoint):
    with open(checkpoint, "rb") as file:
        content = file.read()

    def once():
        at, mutated = changed(content)
        ask("checkpoint", "byte %d" % at, lambda: verify.verify_export(export, write(SCRATCH, mutated), KEY, None))

    return once


def change_tiles(directory):
    files = sorted(os.path.join(folder, name) for folder, _, names in os.walk(directory) for name in names)

    def once():
        path = chance.choice(files)
        with open(path, "rb") as file:
            content = file.read()
        at, mutated = changed(content)
        write(path, mutated)
        ask("tiles", "%s, byte %d" % (path, at), lambda: verify.verify_tiles(directory, KEY, None))
        write(path, content)

    return once


def zipped(members, dos, time):
    # In the layout of packs: what is changed is the content of a member.
    parts, entries, at = [], [], 0
    for name, content in sorted(members.items()):
        deflate = verify.zlib.compressobj(1, verify.zlib.DEFLATED, -15)
        packed = deflate.compress(content) + deflate.flush()
        member = verify.Member(name, verify.zlib.crc32(content), len(packed), len(content), at, 0)
        parts += [verify.local_header(name.encode(), dos), packed, verify.descriptor(member)]
        entries.append(verify.directory_entry(member, dos, time))
        at += sum(map(len, parts[-3:]))
    directory = b"".join(entries)
    return write(SCRATCH, b"".join(parts) + directory + verify.end_records(len(entries), len(directory), at))


def read_pack(path):
    pack = verify.open_zip(path)
    return {name: verify.content_of(pack, name) for name in pack.members}, pack.dos, pack.time


def change_pack(kind, path, signed_again):
    members, *stamps = read_pack(path)
    text = members["manifest.txt"].partition(b"\n\n")[0] + b"\n"
    # Nobody compares the verifiers in a pack with others: that they are not changed, the manifest alone says.
    names = [name for name in members if not signed_again or name not in ("verify.py", "verify.html")]

    def once():
        name = chance.choice(names)
        if signed_again and name == "manifest.txt":
            at, mutated = changed(text)
            mutated = sign(mutated)
        else:
            at, mutated = changed(members[name])
        now = dict(members, **{name: mutated})
        if signed_again and name != "manifest.txt":
            digest = hashlib.sha256(members[name]).hexdigest().encode()
            listed = digest + b" %d " % len(mutated) + name.encode() + b"\n"
            assert listed in text
            now["manifest.txt"] = sign(text.replace(listed, hashlib.sha256(mutated).hexdigest().encode() + listed[64:]))
        ask(kind, "%s, byte %d" % (name, at), lambda: verify.verify_pack(zipped(now, *stamps), KEY, None, None))

    return once


# Nothing is found in what is not changed: a fault here ends the program.
for path in (given["export"], given["withheld"]):
    verify.verify_export(path, given["checkpoint"], KEY, None)
verify.verify_tiles(given["tiles"], KEY, None)
for path in (given["pack"], given["packWithheld"]):
    verify.verify_pack(path, KEY, None, None)
    unchanged, *stamps = read_pack(path)
    unchanged["manifest.txt"] = sign(unchanged["manifest.txt"].partition(b"\n\n")[0] + b"\n")
    verify.verify_pack(zipped(unchanged, *stamps), KEY, None, None)

kinds = [
    change_export("export", given["export"], None),
    change_export("export without data", given["withheld"], None),
    change_export("export with a checkpoint", given["export"], given["checkpoint"]),
    change_checkpoint(given["export"], given["checkpoint"]),
    change_tiles(given["tiles"]),
    change_pack("pack", given["pack"], False),
    change_pack("pack without data", given["packWithheld"], False),
    change_pack("pack, signed again", given["pack"], True),
    change_pack("pack without data, signed again", given["packWithheld"], True),
]
for number in range(given["changes"]):
    kinds[number % len(kinds)]()
print(json.dumps({"missed": missed, "counts": counts}))
