import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { needs } from '../support/needs.js';
import { hasPython } from '../support/python.js';
import { checkpointOver, KEY, signerNamed, SIGNER, tlogFiles } from '../support/sealed-log.js';
import { cosignatureLine, witnessKey } from '../support/small-witness.js';
import { flipBit, leafDataOf } from '../support/sealed-tree.js';
import { refusal, startVerifyPy, type Verified, type VerifyPy } from '../support/verify-py.js';

const leavesOf = (size: number): ReadonlyArray<Buffer> =>
  Array.from({ length: size }, (_, index) => leafDataOf('tiles', index));

describe('verify.py tiles', function () {
  this.timeout(180_000);

  const SIZE = 70_000;
  const leaves = leavesOf(SIZE);
  let python: VerifyPy;

  before(async function () {
    needs(this, hasPython(), 'python3, in which the verifier is written');
    python = await startVerifyPy();
  });
  after(async () => {
    if (hasPython()) await python.stop();
  });

  const verify = async (files: ReadonlyMap<string, Buffer>): Promise<Verified> => {
    const directory = randomUUID();
    for (const [name, bytes] of files) await python.file(`${directory}/${name}`, bytes);
    return python.run('tiles', python.path(directory), '--key', KEY);
  };

  const verified = (tiles: number, events: string): Verified => ({
    code: 0,
    out:
      `${tiles} tiles of ${events}: each is what it must be, and their root is that of the checkpoint, which is signed by the key.\n` +
      'This cannot show what the events say, nor that nothing came after the checkpoint.\n',
    error: '',
  });

  it('finds the tiles of trees of every kind of size whole', async () => {
    for (const [size, tiles, events] of [
      [1, 2, '1 event'],
      [2, 2, '2 events'],
      [255, 2, '255 events'],
      [256, 3, '256 events'],
      [257, 5, '257 events'],
      [1_000, 9, '1000 events'],
      [65_536, 514, '65536 events'],
      [SIZE, 551, '70000 events'],
    ] as const)
      expect(await verify(tlogFiles(leaves.slice(0, size)))).to.deep.equal(verified(tiles, events));
  });

  it('checks the witnesses of the checkpoint', async () => {
    const files = tlogFiles(leaves.slice(0, 257));
    const note = files.get('checkpoint')?.toString() ?? '';
    const witness = witnessKey('w.example/1', 1);
    const policy = await python.file('policy', `witness w ${witness.vkey}\nquorum w\n`);
    const tiles = async (checkpoint: string) => {
      const directory = randomUUID();
      for (const [name, bytes] of files) await python.file(`${directory}/${name}`, bytes);
      await python.file(`${directory}/checkpoint`, checkpoint);
      return python.run('tiles', python.path(directory), '--key', KEY, '--policy', policy);
    };
    const { code, out } = await tiles(`${note}${cosignatureLine(witness, note, 1_790_000_000)}`);
    expect([code, out.split('\n')[1]]).to.deep.equal([
      0,
      'Witnesses saw the checkpoint, by their clocks, and that it extends what they saw before: w at 2026-09-21T14:13:20Z.',
    ]);
    expect(await tiles(note)).to.deep.equal(
      refusal('the checkpoint lacks the quorum of the policy: it is cosigned by no witness of it'),
    );
  });

  it('takes tiles of smaller trees that lie beside those of the tree', async () => {
    const files = tlogFiles(leaves.slice(0, 600));
    for (const [name, bytes] of tlogFiles(leaves.slice(0, 300))) if (!files.has(name)) files.set(name, bytes);
    expect(files.has('tile/0/001.p/44')).to.equal(true);
    expect(await verify(files)).to.deep.equal(verified(7, '600 events'));
  });

  const whole = tlogFiles(leaves.slice(0, 600));
  const put = (name: string, change: (bytes: Buffer) => Buffer) => (): Map<string, Buffer> =>
    new Map([...whole, [name, change(whole.get(name) ?? Buffer.alloc(0))]]);
  const without = (name: string) => (): Map<string, Buffer> => {
    expect(whole.has(name)).to.equal(true);
    return new Map([...whole].filter(([other]) => other !== name));
  };

  for (const [what, files, said] of [
    ['a tile is missing', without('tile/0/001'), 'tile/0/001 is missing'],
    ['the last tile is missing', without('tile/0/002.p/88'), 'tile/0/002.p/88 is missing'],
    ['an entry bundle is missing', without('tile/entries/000'), 'tile/entries/000 is missing'],
    ['a tile of the level above is missing', without('tile/1/000.p/2'), 'tile/1/000.p/2 is missing'],
    ['a tile is cut', put('tile/0/001', (bytes) => bytes.subarray(1)), 'tile/0/001 has 8191 bytes, and not 8192'],
    [
      'a tile goes on',
      put('tile/0/001', (bytes) => Buffer.concat([bytes, bytes])),
      'tile/0/001 has 16384 bytes, and not 8192',
    ],
    ['a tile is empty', put('tile/1/000.p/2', () => Buffer.alloc(0)), 'tile/1/000.p/2 has 0 bytes, and not 64'],
    [
      'a hash in a tile was changed',
      put('tile/0/001', (bytes) => flipBit(bytes, 8 * 32 * 3)),
      'entry 3 in tile/entries/001 is not that of its hash in tile/0/001',
    ],
    [
      'an entry was changed',
      put('tile/entries/001', (bytes) => flipBit(bytes, 8 * (34 * 5 + 9))),
      'entry 5 in tile/entries/001 is not that of its hash in tile/0/001',
    ],
    [
      'the length of an entry was changed',
      put('tile/entries/001', (bytes) => flipBit(bytes, 8 * 34 * 5)),
      'entry 5 in tile/entries/001 is not that of its hash in tile/0/001',
    ],
    [
      'a hash of the level above was changed',
      put('tile/1/000.p/2', (bytes) => flipBit(bytes, 300)),
      'tile/1/000.p/2 is not computed of the tiles of level 0',
    ],
    ['the checkpoint is missing', without('checkpoint'), /checkpoint cannot be read: No such file or directory$/],
    [
      'the checkpoint is of fewer events',
      put('checkpoint', () => Buffer.from(checkpointOver(leaves.slice(0, 599)))),
      'tile/0/002.p/87 is missing',
    ],
    [
      'the checkpoint is of other events',
      put('checkpoint', () => Buffer.from(checkpointOver(leaves.slice(1, 601)))),
      'the tiles do not have the root of the checkpoint',
    ],
    [
      'the checkpoint is forged',
      put('checkpoint', () =>
        Buffer.from(checkpointOver(leaves.slice(0, 600), signerNamed(SIGNER.verifier.name, 'forger'))),
      ),
      /^the checkpoint is not signed by the key /,
    ],
    [
      'the checkpoint was changed',
      put('checkpoint', (bytes) => Buffer.from(bytes.toString().replace('\n600\n', '\n500\n'))),
      'the signature of the checkpoint does not fit: it was changed, or is forged',
    ],
    [
      'a tile of a smaller tree is another one',
      put('tile/0/002.p/3', () => Buffer.alloc(96)),
      'tile/0/002.p/3 is not the beginning of tile/0/002.p/88',
    ],
    [
      'a tile of a smaller tree has another length',
      put('tile/0/001.p/3', () => whole.get('tile/0/001')!.subarray(0, 64)),
      'tile/0/001.p/3 is not the beginning of tile/0/001',
    ],
    [
      'there is a tile beyond the tree',
      put('tile/0/003', () => Buffer.alloc(0)),
      'tile/0/003 is no part of the tree of the checkpoint',
    ],
    [
      'there is a width that no tile has',
      put('tile/0/001.p/256', () => whole.get('tile/0/001')!),
      'tile/0/001.p/256 is no part of the tree of the checkpoint',
    ],
    [
      'there is a width in another spelling',
      put('tile/0/001.p/03', () => whole.get('tile/0/001')!.subarray(0, 96)),
      'tile/0/001.p/03 is no part of the tree of the checkpoint',
    ],
    [
      'there is a width of nothing',
      put('tile/0/001.p/0', () => Buffer.alloc(0)),
      'tile/0/001.p/0 is no part of the tree of the checkpoint',
    ],
    [
      'there is another file',
      put('readme.txt', () => Buffer.from('hello')),
      'readme.txt is no part of the tree of the checkpoint',
    ],
  ] as const)
    it(`says so when ${what}`, async () => {
      const { code, out, error } = await verify(files());
      expect([code, out]).to.deep.equal([1, '']);
      if (typeof said === 'string') expect(error).to.equal(refusal(said).error);
      else expect(error.slice('NOT VERIFIED: '.length, -1)).to.match(said);
    });
});
