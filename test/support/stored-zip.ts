import { crc32 } from 'node:zlib';

type ZipMember = { readonly name: string; readonly content: Buffer };

const fields = (...values: ReadonlyArray<readonly [size: 2 | 4 | 8, value: number]>): Buffer =>
  Buffer.concat(
    values.map(([size, value]) => {
      const bytes = Buffer.alloc(size);
      if (size === 8) bytes.writeBigUInt64LE(BigInt(value));
      else bytes.writeUIntLE(value, 0, size);
      return bytes;
    }),
  );

const placed = ({ name, content }: ZipMember): Buffer =>
  fields(
    [2, 20],
    [2, 0],
    [2, 0],
    [2, 0],
    [2, 0x21],
    [4, crc32(content)],
    [4, content.length],
    [4, content.length],
    [2, name.length],
    [2, 0],
  );

/** A ZIP of stored members, as other programs than the packer write it. */
export const storedZip = (members: ReadonlyArray<ZipMember>, { zip64 = false } = {}): Buffer => {
  const parts: Array<Buffer> = [];
  const directory: Array<Buffer> = [];
  let at = 0;
  for (const member of members) {
    const { name, content } = member;
    const local = [fields([4, 0x04034b50]), placed(member), Buffer.from(name, 'latin1'), content];
    // In the form of ZIP64 the sizes and the offset stand behind the name.
    const extra = zip64 ? fields([2, 1], [2, 24], [8, content.length], [8, content.length], [8, at]) : Buffer.alloc(0);
    const place = placed(member);
    if (zip64) place.fill(0xff, 14, 22);
    place.writeUInt16LE(extra.length, place.length - 2);
    directory.push(
      fields([4, 0x02014b50], [2, 20]),
      place,
      fields([2, 0], [2, 0], [2, 0], [4, 0], [4, zip64 ? 0xffffffff : at]),
      Buffer.from(name, 'latin1'),
      extra,
    );
    parts.push(...local);
    at += local.reduce((sum, { length }) => sum + length, 0);
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  const count = members.length;
  if (zip64)
    directory.push(
      fields([4, 0x06064b50], [8, 44], [2, 45], [2, 45], [4, 0], [4, 0], [8, count], [8, count], [8, size], [8, at]),
      fields([4, 0x07064b50], [4, 0], [8, at + size], [4, 1]),
    );
  const end = zip64
    ? ([
        [2, 0xffff],
        [2, 0xffff],
        [4, 0xffffffff],
        [4, 0xffffffff],
      ] as const)
    : ([
        [2, count],
        [2, count],
        [4, size],
        [4, at],
      ] as const);
  directory.push(fields([4, 0x06054b50], [2, 0], [2, 0], ...end, [2, 0]));
  return Buffer.concat([...parts, ...directory]);
};
