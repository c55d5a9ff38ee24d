/** A member of a ZIP in the layout of packs, in the parts that stand one after the other; `entry` stands in the directory. */
export type ZipMemberParts = {
  readonly local: Buffer;
  readonly content: Buffer;
  readonly descriptor: Buffer;
  readonly entry: Buffer;
};

/** A ZIP in parts. Each may be changed, and `zipOf` puts them together. */
export type ZipParts = { readonly members: ReadonlyArray<ZipMemberParts>; readonly end: Buffer };

const ENTRY = 46;
const LOCAL = 30;
const END = 22;
const DESCRIPTOR = 16;

/** Where numbers stand in an entry of the directory, and in the end of the ZIP. */
export const IN_ENTRY = { crc: 16, packed: 20, size: 24, named: 28, extra: 30, comment: 32, attributes: 38, at: 42 };
export const IN_END = { onDisk: 8, count: 10, size: 12, at: 16, comment: 20 };

/** The parts of a ZIP that the packer wrote, smaller than what needs ZIP64. */
export const partsOf = (zip: Buffer): ZipParts => {
  const end = zip.subarray(-END);
  const members: Array<ZipMemberParts> = [];
  let at = end.readUInt32LE(IN_END.at);
  for (let number = 0; number < end.readUInt16LE(IN_END.count); number += 1) {
    const named = zip.readUInt16LE(at + IN_ENTRY.named);
    const entry = zip.subarray(at, at + ENTRY + named + zip.readUInt16LE(at + IN_ENTRY.extra));
    const start = entry.readUInt32LE(IN_ENTRY.at);
    const content = start + LOCAL + named;
    const behind = content + entry.readUInt32LE(IN_ENTRY.packed);
    members.push({
      local: zip.subarray(start, content),
      content: zip.subarray(content, behind),
      descriptor: zip.subarray(behind, behind + DESCRIPTOR),
      entry,
    });
    at += entry.length;
  }
  return { members, end };
};

/** A copy of these bytes with another number in so many of them, little-endian. */
export const withNumber = (bytes: Buffer, at: number, size: 1 | 2 | 4, value: number): Buffer => {
  const copy = Buffer.from(bytes);
  copy.writeUIntLE(value, at, size);
  return copy;
};

/** The same in eight bytes, counted from the end. */
const withWide = (bytes: Buffer, at: number, value: number): Buffer => {
  const copy = Buffer.from(bytes);
  copy.writeBigUInt64LE(BigInt(value), bytes.length + at);
  return copy;
};

const WIDE = 0xffffffff;
const isWide = (entry: Buffer): boolean => entry.readUInt32LE(IN_ENTRY.packed) === WIDE;

/** A member that is said to be of this size, in the form of ZIP64. */
export const widened = ({ local, content, descriptor, entry }: ZipMemberParts, size: number): ZipMemberParts => {
  const wide = withExtra(withNumber(entry, 6, 2, 45), Buffer.from('01001800' + '00'.repeat(24), 'hex'));
  wide.fill(0xff, IN_ENTRY.packed, IN_ENTRY.named).fill(0xff, IN_ENTRY.at, IN_ENTRY.at + 4);
  const sizes = Buffer.concat([descriptor.subarray(0, 8), Buffer.alloc(16)]);
  return {
    local,
    content,
    descriptor: withWide(withWide(sizes, -16, content.length), -8, size),
    entry: withWide(withWide(wide, -24, size), -16, content.length),
  };
};

const joined = ({ members, end }: ZipParts): Buffer =>
  Buffer.concat([
    ...members.flatMap(({ local, content, descriptor }) => [local, content, descriptor]),
    ...members.map(({ entry }) => entry),
    end,
  ]);

/** The bytes of the parts as they are: offsets and counts may then be false. */
export const zipAsItIs = joined;

/** The same with true offsets in the directory, and true counts in its end, as somebody would forge it. */
export const zipOf = ({ members, end }: ZipParts): Buffer => {
  let at = 0;
  const placed = members.map((member) => {
    const entry = isWide(member.entry) ? withWide(member.entry, -8, at) : withNumber(member.entry, IN_ENTRY.at, 4, at);
    at += member.local.length + member.content.length + member.descriptor.length;
    return { ...member, entry };
  });
  const size = placed.reduce((sum, { entry }) => sum + entry.length, 0);
  const counted = withNumber(withNumber(end, IN_END.onDisk, 2, placed.length), IN_END.count, 2, placed.length);
  return joined({ members: placed, end: withNumber(withNumber(counted, IN_END.size, 4, size), IN_END.at, 4, at) });
};

/** An entry with this behind what is there of extra fields, and its length made true; or a local header, likewise. */
export const withExtra = (header: Buffer, extra: Buffer): Buffer => {
  const place = header.readUInt32LE(0) === 0x02014b50 ? IN_ENTRY.extra : 28;
  return Buffer.concat([withNumber(header, place, 2, header.readUInt16LE(place) + extra.length), extra]);
};

/** A member with other bytes for its content, and the length of them in its headers. */
export const packedAs = (member: ZipMemberParts, content: Buffer): ZipMemberParts => ({
  ...member,
  content,
  descriptor: withNumber(member.descriptor, 8, 4, content.length),
  entry: withNumber(member.entry, IN_ENTRY.packed, 4, content.length),
});
