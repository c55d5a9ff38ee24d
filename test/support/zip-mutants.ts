import { constants, crc32, deflateRawSync, deflateSync, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import {
  IN_END,
  IN_ENTRY,
  packedAs,
  partsOf,
  widened,
  withExtra,
  withNumber,
  zipAsItIs,
  type ZipMemberParts,
  zipOf,
  type ZipParts,
} from './zip-parts.js';

/** A change of the ZIP around the contents of a pack. */
type Mutate = (parts: ZipParts) => Buffer;
type Mutation = fc.Arbitrary<Mutate>;

const { record, constantFrom, oneof, nat, boolean, uint8Array, array } = fc;

const bytesOf = (most: number): fc.Arbitrary<Buffer> =>
  uint8Array({ minLength: 1, maxLength: most }).map((bytes) => Buffer.from(bytes));

/** What programs take for something else than a number, and any other one. */
const numberOf = (size: number): fc.Arbitrary<number> =>
  oneof(
    constantFrom(0, 1, 2, 8, 20, 45, 0x0800, 0x7fff, 0xffff, 0x7fffffff, 0xfffffffe, 0xffffffff),
    nat(2 ** 31 - 1),
    nat(300),
  ).map((value) => value % 2 ** (8 * size));

type Field = readonly [at: number, size: 1 | 2 | 4];
const fieldOf = (...fields: ReadonlyArray<Field>): fc.Arbitrary<{ at: number; size: 1 | 2 | 4; value: number }> =>
  constantFrom(...fields).chain(([at, size]) => numberOf(size).map((value) => ({ at, size, value })));

const inMember = (
  { members, end }: ZipParts,
  place: number,
  change: (member: ZipMemberParts) => Partial<ZipMemberParts>,
): ZipParts => {
  const at = place % members.length;
  const member = members[at]!;
  return { members: members.with(at, { ...member, ...change(member) }), end };
};

/** With true offsets, as a forger would have them, or with those that were there. */
const placed = (isPlaced: boolean): ((parts: ZipParts) => Buffer) => (isPlaced ? zipOf : zipAsItIs);

const plain = ({ content }: ZipMemberParts): Buffer => inflateRawSync(content);

const rawBytes: Mutation = record({ how: nat(4), at: nat(), other: nat(), bytes: bytesOf(20) }).map(
  ({ how, at, other, bytes }) =>
    (parts) => {
      const zip = zipAsItIs(parts);
      const [from, to] = [at % zip.length, other % zip.length].sort((one, two) => one - two) as [number, number]; // reason: two
      if (how === 0) return Buffer.from(zip.with(from, zip[from]! ^ (1 + (other % 255))));
      if (how === 1) return Buffer.concat([zip.subarray(0, from), bytes, zip.subarray(from)]);
      if (how === 2) return Buffer.concat([zip.subarray(0, from), zip.subarray(from + bytes.length)]);
      if (how === 3) return zip.subarray(0, from);
      return Buffer.from(zip.with(from, zip[to]!).with(to, zip[from]!));
    },
);

const LOCAL_FIELDS: ReadonlyArray<Field> = [
  ...([0, 14, 18, 22] as const).map((at): Field => [at, 4]),
  ...([4, 6, 8, 10, 12, 26, 28] as const).map((at): Field => [at, 2]),
  ...([30, 31, 40] as const).map((at): Field => [at, 1]),
];
const ENTRY_FIELDS: ReadonlyArray<Field> = [
  ...([0, 16, 20, 24, 38, 42] as const).map((at): Field => [at, 4]),
  ...([4, 6, 8, 10, 12, 14, 28, 30, 32, 34, 36] as const).map((at): Field => [at, 2]),
  ...([46, 47, 53] as const).map((at): Field => [at, 1]),
];

/** In the last bytes of a header that is shorter. */
const withField = (header: Buffer, field: { at: number; size: 1 | 2 | 4; value: number } | null): Buffer =>
  field === null ? header : withNumber(header, Math.min(field.at, header.length - field.size), field.size, field.value);

const headers: Mutation = record({
  member: nat(),
  local: fc.option(fieldOf(...LOCAL_FIELDS)),
  entry: fc.option(fieldOf(...ENTRY_FIELDS)),
}).map(
  ({ member, local, entry }) =>
    (parts) =>
      zipAsItIs(
        inMember(parts, member, (one) => ({
          local: withField(one.local, local),
          entry: withField(one.entry, entry),
        })),
      ),
);

const end: Mutation = record({
  fields: array(fieldOf([0, 4], [4, 2], [6, 2], [8, 2], [10, 2], [12, 4], [16, 4], [20, 2]), {
    minLength: 1,
    maxLength: 2,
  }),
  behind: fc.option(bytesOf(30)),
}).map(({ fields, behind }) => ({ members, end: old }) => {
  const changed = fields.reduce((bytes, { at, size, value }) => withNumber(bytes, at, size, value), old);
  return zipAsItIs({ members, end: Buffer.concat([changed, behind ?? Buffer.alloc(0)]) });
});

const descriptors: Mutation = record({
  member: nat(),
  how: nat(4),
  field: fieldOf([0, 4], [4, 4], [8, 4], [12, 4]),
  junk: bytesOf(24),
  isPlaced: boolean(),
}).map(
  ({ member, how, field, junk, isPlaced }) =>
    (parts) =>
      placed(isPlaced)(
        inMember(parts, member, ({ descriptor, content }) => ({
          descriptor:
            [
              withNumber(descriptor, field.at, field.size, field.value),
              descriptor.subarray(4),
              Buffer.alloc(0),
              junk,
              Buffer.concat([descriptor.subarray(0, 12), Buffer.alloc(4), descriptor.subarray(12), Buffer.alloc(4)]),
            ][how] ?? content,
        })),
      ),
);

const gaps: Mutation = record({
  member: nat(),
  where: constantFrom('local', 'content', 'descriptor', 'entry', 'end', 'start'),
  what: oneof(
    bytesOf(300).map((bytes) => () => bytes),
    constantFrom(
      ({ members }: ZipParts) => Buffer.concat([members[0]!.local, members[0]!.content, members[0]!.descriptor]),
      ({ members }: ZipParts) => members[0]!.entry,
      (parts: ZipParts) => parts.end,
      () => Buffer.from('504b0506' + '00'.repeat(18), 'hex'),
    ),
  ),
  isPlaced: boolean(),
}).map(({ member, where, what, isPlaced }) => (parts) => {
  const bytes = what(parts);
  if (where === 'start') return Buffer.concat([bytes, placed(isPlaced)(parts)]);
  if (where === 'end') return placed(isPlaced)({ ...parts, end: Buffer.concat([bytes, parts.end]) });
  return placed(isPlaced)(inMember(parts, member, (one) => ({ [where]: Buffer.concat([one[where], bytes]) })));
});

const extras: Mutation = record({
  member: nat(),
  id: oneof(constantFrom(0x0001, 0x000a, 0x5455, 0x5855, 0x7875, 0x7075, 0x6375, 0x9901, 0xcafe), nat(0xffff)),
  bytes: bytesOf(40),
  lie: fc.option(nat(60)),
  where: constantFrom('local', 'entry', 'both', 'member comment', 'comment'),
}).map(({ member, id, bytes, lie, where }) => (parts) => {
  const extra = Buffer.concat([Buffer.alloc(4), bytes]);
  extra.writeUInt16LE(id, 0);
  extra.writeUInt16LE(lie ?? bytes.length, 2);
  if (where === 'comment')
    return zipOf({
      ...parts,
      end: Buffer.concat([withNumber(parts.end, IN_END.comment, 2, lie ?? bytes.length), bytes]),
    });
  return zipOf(
    inMember(parts, member, ({ local, entry }) => ({
      local: where === 'local' || where === 'both' ? withExtra(local, extra) : local,
      entry:
        where === 'entry' || where === 'both'
          ? withExtra(entry, extra)
          : where === 'member comment'
            ? Buffer.concat([withNumber(entry, IN_ENTRY.comment, 2, lie ?? bytes.length), bytes])
            : entry,
    })),
  );
});

const streams: Mutation = record({
  member: nat(),
  level: nat(9),
  strategy: constantFrom(constants.Z_DEFAULT_STRATEGY, constants.Z_HUFFMAN_ONLY, constants.Z_RLE, constants.Z_FIXED),
  how: nat(7),
  junk: bytesOf(40),
  at: nat(),
}).map(
  ({ member, level, strategy, how, junk, at }) =>
    (parts) =>
      zipOf(
        inMember(parts, member, (one) => {
          const text = plain(one);
          const packed = deflateRawSync(text, { level, strategy });
          const flushed = deflateRawSync(text, { level, finishFlush: constants.Z_FULL_FLUSH });
          const place = at % packed.length;
          return packedAs(
            one,
            [
              packed,
              Buffer.concat([packed, junk]),
              packed.subarray(0, place),
              Buffer.concat([packed, packed]),
              Buffer.concat([flushed, deflateRawSync(Buffer.alloc(0))]),
              flushed,
              deflateSync(text, { level }),
              Buffer.from(packed.with(place, packed[place]! ^ (1 + (at % 255)))),
            ][how] ?? text,
          );
        }),
      ),
);

const NAMES = [
  './key.txt',
  '../key.txt',
  '/key.txt',
  'KEY.TXT',
  'key.txt/',
  'key\\txt',
  'key.txt ',
  'kéy.txt',
  'C:key',
  'zz',
];

const renamed = (member: ZipMemberParts, name: Buffer, inBoth: boolean): ZipMemberParts => {
  const { local, entry } = member;
  const named = (header: Buffer, place: number, start: number): Buffer => {
    const old = header.readUInt16LE(place);
    const changed = withNumber(header, place, 2, name.length);
    return Buffer.concat([changed.subarray(0, start), name, changed.subarray(start + old)]);
  };
  return { ...member, local: inBoth ? named(local, 26, 30) : local, entry: named(entry, IN_ENTRY.named, 46) };
};

const membersOf: Mutation = record({
  one: nat(),
  two: nat(),
  how: nat(5),
  name: constantFrom(...NAMES),
  isPlaced: boolean(),
}).map(({ one, two, how, name, isPlaced }) => (parts) => {
  const { members } = parts;
  const [from, to] = [one % members.length, two % members.length];
  const moved = [
    members.toSpliced(to, 0, members[from]!),
    members.toSpliced(from, 1),
    members.with(from, renamed(members[from]!, Buffer.from(name), isPlaced)),
    members.with(from, members[to]!).with(to, members[from]!),
    members.with(from, { ...members[to]!, local: members[from]!.local, entry: members[from]!.entry }),
    [...members, renamed(members[from]!, Buffer.from(name), true)],
  ][how];
  return placed(isPlaced || how !== 3)({ ...parts, members: moved ?? [] });
});

/** Sizes and CRC before the content, and none behind it, as most programs write it. */
const known = (member: ZipMemberParts, content: Buffer, method: 0 | 8, text: Buffer): ZipMemberParts => {
  const sizes = (header: Buffer, at: number, flags: number): Buffer => {
    const changed = withNumber(withNumber(header, flags, 2, 0x0800), flags + 2, 2, method);
    return [crc32(text), content.length, text.length].reduce(
      (bytes, value, number) => withNumber(bytes, at + 4 * number, 4, value),
      changed,
    );
  };
  return {
    local: sizes(member.local, 14, 6),
    content,
    descriptor: Buffer.alloc(0),
    entry: sizes(member.entry, IN_ENTRY.crc, 8),
  };
};

/** One who reads from the start, and one who reads the directory, would find other contents. */
const twoReadings: Mutation = record({ member: nat(), how: nat(5), size: nat(2000), forged: bytesOf(60) }).map(
  ({ member, how, size, forged }) =>
    (parts) => {
      const report = parts.members.at(-3)!;
      return zipOf(
        inMember(parts, member, (one) => {
          const text = plain(one);
          const stored = known(one, text, 0, text);
          const inside = known(report, forged, 0, forged);
          const within = Buffer.concat([forged, inside.local, forged, text]);
          switch (how) {
            case 0:
              return known(one, one.content, 8, text);
            case 1:
              return stored;
            case 2: // more bytes than the size
              return { ...known(one, Buffer.concat([text, forged]), 0, text), entry: stored.entry };
            case 3: // a local header that ends earlier, so that a forged report follows within the content
              return { ...known(one, within, 0, within), local: withNumber(stored.local, 18, 4, forged.length) };
            case 4:
              return { local: withNumber(withNumber(one.local, 18, 4, size), 22, 4, size) };
            default: // deflated, with a whole member behind the end of the stream
              return packedAs(one, Buffer.concat([one.content, one.descriptor, report.local, report.content]));
          }
        }),
      );
    },
);

const zip64: Mutation = record({
  member: nat(),
  size: oneof(constantFrom(5e9, 2 ** 32, 2 ** 53), nat(5000)),
  how: nat(4),
  field: nat(55),
  value: nat(255),
}).map(({ member, size, how, field, value }) => (parts) => {
  const wide = inMember(parts, member, (one) => widened(one, how === 0 ? plain(one).length : size));
  const { members } = wide;
  if (how === 1) return zipOf(wide);
  if (how === 0 || how === 2)
    return zipOf({
      ...wide,
      members: members.map((one, at) =>
        at === member % members.length ? { ...one, descriptor: parts.members[at]!.descriptor } : one,
      ),
    });
  const whole = zipOf(parts);
  const old = partsOf(whole).end;
  const end64 = Buffer.alloc(56);
  end64.write('PK\u0006\u0006', 'latin1');
  for (const [at, number] of [
    [4, 44],
    [24, old.readUInt16LE(IN_END.count)],
    [32, old.readUInt16LE(IN_END.count)],
    [40, old.readUInt32LE(IN_END.size)],
    [48, old.readUInt32LE(IN_END.at)],
  ] as const)
    end64.writeUInt32LE(number, at);
  end64.writeUInt32LE(0x002d033f, 12);
  if (how === 4) end64[field] = value;
  const locator = Buffer.from('504b0607' + '00'.repeat(16), 'hex');
  locator.writeUInt32LE(whole.length - old.length, 8);
  locator.writeUInt32LE(1, 16);
  const short = Buffer.from(old);
  if (value % 2 === 0) short.fill(0xff, 8, 20);
  return Buffer.concat([whole.subarray(0, -old.length), end64, locator, short]);
});

/** Ten ways to build a ZIP around the members of a pack that the packer does not take, by what they change. */
export const ZIP_MUTATIONS: Readonly<Record<string, Mutation>> = {
  ...{
    'bytes anywhere': rawBytes,
    'fields of headers': headers,
    'the end': end,
    'data descriptors': descriptors,
    gaps,
  },
  ...{ 'extra fields and comments': extras, 'deflate streams': streams, members: membersOf },
  ...{ 'two readings': twoReadings, ZIP64: zip64 },
};
