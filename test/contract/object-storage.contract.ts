import { randomUUID } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import type { ErasableFiles, ObjectStorage, StoredObject } from '../../src/application/ports.js';
import type { ByteRange, FileContents } from '../../src/read/get-file.js';
import { bodyOf, bytesOf, contentOf, digestOf, failingBody } from '../support/bodies.js';
import { atRest } from '../support/eventually.js';
import { handlesAtMost, openHandles } from '../support/open-handles.js';
import { needs } from '../support/needs.js';

const KiB = 1024;
const MiB = 1024 * KiB;

/** When to give up where a test makes a thousand objects or large ones: a busy machine takes long, and that is no fault. */
const BUSY_SERVER_MS = 180_000;

/** A storage under test. It may hold objects of others. */
type StorageUnderTest = {
  readonly storage: ObjectStorage & FileContents & ErasableFiles;
  /** Makes the storage stop taking bytes, without refusing them, until the function it gives is called. */
  readonly stall?: () => Promise<() => void>;
  /** Keeps the storage from answering, until the function it gives is called. */
  readonly takeAway?: () => Promise<() => Promise<void>>;
  /** Leaves an upload as a process does that is killed in its midst. */
  readonly abandonUpload: (key: string) => Promise<void>;
  /** Of a storage that keeps versions: how many there are below a folder, with the marks that one was removed. */
  readonly countVersions?: (folder: string) => Promise<number>;
  /** How many bytes of a body the storage may hold at a time. */
  readonly heldBytes: number;
  /** Promises that the server behind the adapter breaks by a fault of its own; they are skipped. */
  readonly breaks?: ReadonlyArray<'whole replacement' | 'range of the first byte alone'>;
  readonly close: () => Promise<void>;
};

const aKey = (): string => `documents/${randomUUID()}/${randomUUID()}`;

const listed = async (storage: ObjectStorage, prefix: string): Promise<ReadonlyArray<StoredObject>> => {
  const found: Array<StoredObject> = [];
  for await (const object of storage.list(prefix)) found.push(object);
  return found.sort((one, other) => (one.key < other.key ? -1 : 1));
};

const opened = async ({ open }: FileContents, key: string, range?: ByteRange): Promise<Readable> => {
  const outcome = await open(key, range);
  if (E.isLeft(outcome)) throw new Error(`${key} cannot be opened`, { cause: outcome.left });
  return outcome.right;
};

const stored = async ({ put }: ObjectStorage, key: string, body: Readable): Promise<void> => {
  expect(await put(key, body)).to.deep.equal(E.right(undefined));
};

const tagOf = (outcome: E.Either<{ readonly _tag: string }, unknown>): string =>
  E.isLeft(outcome) ? outcome.left._tag : 'right';

const roundTrips = (given: () => StorageUnderTest): void => {
  for (const [size, words] of [
    [0, 'an empty object'],
    [1, 'one byte'],
    [5 * MiB + 1, 'a byte more than 5 MiB'],
    [8 * MiB, 'exactly 8 MiB'],
    [20 * MiB, '20 MiB'],
  ] as const) {
    it(`gives back ${words} as it was put`, async () => {
      const { storage } = given();
      const key = aKey();
      await stored(storage, key, bodyOf(size).body);
      expect(await digestOf(await opened(storage, key))).to.deep.equal(await digestOf(bodyOf(size).body));
    });
  }

  it('holds no more of a large object than its bound, on the way in and on the way out', async () => {
    const { storage } = given();
    const key = aKey();
    const before = process.memoryUsage().rss;
    let peak = before;
    // polls: the most memory there is meanwhile
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss);
    }, 5);
    try {
      await stored(storage, key, bodyOf(128 * MiB).body);
      expect((await digestOf(await opened(storage, key))).size).to.equal(128 * MiB);
    } finally {
      clearInterval(watch);
    }
    expect(peak - before).to.be.below(80 * MiB);
  }).timeout(BUSY_SERVER_MS);

  it('takes a body in chunks of any length', async () => {
    const { storage } = given();
    const key = aKey();
    const content = contentOf(9 * MiB);
    const cuts = [0, 1, 1, 3, 70_000, 5 * MiB, 8 * MiB + 1, content.length];
    const pieces = cuts.slice(1).map((end, index) => content.subarray(cuts[index], end));
    await stored(storage, key, Readable.from(pieces));
    expect((await bytesOf(await opened(storage, key))).equals(content)).to.equal(true);
  });

  it('keeps what fifty concurrent uploads put apart', async () => {
    const { storage } = given();
    const keys = Array.from({ length: 50 }, aKey);
    await Promise.all(keys.map((key, index) => stored(storage, key, Readable.from([Buffer.from(`object ${index}`)]))));
    const texts = await Promise.all(keys.map(async (key) => (await bytesOf(await opened(storage, key))).toString()));
    expect(texts).to.deep.equal(keys.map((_key, index) => `object ${index}`));
  });

  it('shows a reader the old or the new object, whole, while a key is put again', async function () {
    const { storage, breaks } = given();
    needs(this, breaks?.includes('whole replacement') !== true, 'a server that replaces an object as a whole');
    const key = aKey();
    const versions = ['a', 'b'].map((letter) => Buffer.alloc(300 * KiB, letter));
    await stored(storage, key, Readable.from([versions[0]!]));
    const rewriting = (async () => {
      for (let round = 1; round <= 20; round += 1) await stored(storage, key, Readable.from([versions[round % 2]!]));
    })();
    const seen = new Set<string>();
    for (let round = 0; round < 20; round += 1) {
      const content = await bytesOf(await opened(storage, key));
      seen.add(versions.some((version) => version.equals(content)) ? 'whole' : 'torn');
    }
    await rewriting;
    expect([...seen]).to.deep.equal(['whole']);
  });
};

const ranges = (given: () => StorageUnderTest): void => {
  const SIZE = 100_000;
  for (const [words, range] of [
    ['the first byte', { first: 0, last: 0 }],
    ['the last byte', { first: SIZE - 1, last: SIZE - 1 }],
    ['a range, both ends included', { first: 251, last: 70_000 }],
    ['the whole of it', { first: 0, last: SIZE - 1 }],
  ] as const) {
    it(`reads ${words}`, async function () {
      const { storage, breaks } = given();
      const isBroken = range.last === 0 && breaks?.includes('range of the first byte alone') === true;
      needs(this, !isBroken, 'a server that gives the first byte alone');
      const key = aKey();
      await stored(storage, key, bodyOf(SIZE).body);
      const content = await bytesOf(await opened(storage, key, range));
      expect(content.equals(contentOf(SIZE).subarray(range.first, range.last + 1))).to.equal(true);
    });
  }

  it('does not pass off an object that is shorter than asked as the range', async () => {
    const { storage } = given();
    const key = aKey();
    await stored(storage, key, bodyOf(10).body);
    const outcomes = [
      await storage.open(key, { first: 5, last: 10 }),
      await storage.open(key, { first: 10, last: 12 }),
    ];
    expect(outcomes.map(tagOf)).to.deep.equal(['FileTooShort', 'FileTooShort']);
  });
};

const absences = (given: () => StorageUnderTest): void => {
  it('fails for a missing object when it is opened, not by an empty stream', async () => {
    expect(tagOf(await given().storage.open(aKey()))).to.equal('FileMissing');
    expect(tagOf(await given().storage.open(aKey(), { first: 0, last: 1 }))).to.equal('FileMissing');
  });

  it('tells an object that it lacks from a storage that is away', async function () {
    const { storage, takeAway } = given();
    if (takeAway === undefined) {
      needs(this, false, 'a way to keep the storage from answering');
      return;
    }
    const key = aKey();
    await stored(storage, key, bodyOf(10).body);
    const giveBack = await takeAway();
    const opened = [
      await storage.open(key),
      await storage.open(aKey()),
      await storage.open(key, { first: 0, last: 1 }),
    ];
    await giveBack();
    expect(opened.map(tagOf)).to.deep.equal(['FileUnavailable', 'FileUnavailable', 'FileUnavailable']);
    const reopened = await storage.open(key);
    if (E.isRight(reopened)) reopened.right.destroy();
    expect([reopened, await storage.open(aKey())].map(tagOf)).to.deep.equal(['right', 'FileMissing']);
  });

  it('removes all of a folder for good, and nothing beside it', async () => {
    const { storage, countVersions } = given();
    const [folder, other] = [`documents/${randomUUID()}`, aKey()];
    const keys = [1, 2].map(() => `${folder}/${randomUUID()}`);
    for (const key of [...keys, ...keys, other]) await stored(storage, key, bodyOf(10).body);
    // where a server keeps versions, this leaves them and a mark
    expect(await storage.remove(keys[0] ?? '')).to.deep.equal(E.right(undefined));
    if (countVersions !== undefined) expect(await countVersions(folder)).to.equal(5);
    expect(await storage.removeForGood(folder)).to.deep.equal(E.right([]));
    expect(await listed(storage, `${folder}/`)).to.deep.equal([]);
    if (countVersions !== undefined) expect(await countVersions(folder)).to.equal(0);
    expect((await listed(storage, other)).length).to.equal(1);
    expect(await storage.removeForGood(folder)).to.deep.equal(E.right([]));
  });

  it('removes an object, and removing it again is fine', async () => {
    const { storage } = given();
    const key = aKey();
    await stored(storage, key, bodyOf(10).body);
    expect(await storage.remove(key)).to.deep.equal(E.right(undefined));
    expect(await storage.remove(key)).to.deep.equal(E.right(undefined));
    expect(tagOf(await storage.open(key))).to.equal('FileMissing');
  });

  for (const key of [
    '',
    '/',
    '../escaped',
    'a/../../escaped',
    'a//b',
    '/etc/passwd',
    'a_b',
    'a.b',
    'ä',
    'a b',
    'a\0b',
  ]) {
    it(`takes, opens and removes nothing under the key ${JSON.stringify(key)}`, async () => {
      const { storage } = given();
      const { body } = bodyOf(10);
      const outcomes = [await storage.put(key, body), await storage.open(key), await storage.remove(key)];
      expect(outcomes.map(tagOf)).to.deep.equal(['StorageUnavailable', 'FileMissing', 'StorageUnavailable']);
      expect(body.destroyed).to.equal(true);
    });
  }

  it('refuses a key that is longer than a file name may be', async () => {
    expect(tagOf(await given().storage.put(`documents/${'a'.repeat(300)}`, bodyOf(1).body))).to.equal(
      'StorageUnavailable',
    );
  });
};

const listing = (given: () => StorageUnderTest): void => {
  it('lists every complete object with its key, size and time', async () => {
    const { storage } = given();
    const prefix = `documents/${randomUUID()}/`;
    const began = Date.now();
    const sizes = [0, 1, 100_000];
    const keys = sizes.map((size) => `${prefix}${size}-${randomUUID()}`).sort();
    for (const [index, key] of keys.entries()) await stored(storage, key, bodyOf(sizes[index]!).body);
    const found = await listed(storage, prefix);
    expect(found.map(({ key, size }) => ({ key, size }))).to.deep.equal(
      keys.map((key, index) => ({ key, size: sizes[index] })),
    );
    // servers give times to the second, and by their own clock
    for (const { modifiedAt } of found) expect(modifiedAt.getTime()).to.be.within(began - 5000, Date.now() + 5000);
  });

  it('ends a listing early without keeping anything open', async () => {
    const { storage } = given();
    await stored(storage, aKey(), bodyOf(1).body);
    const before = await openHandles();
    for (let round = 0; round < 5; round += 1) for await (const _object of storage.list('documents/')) break;
    expect(await handlesAtMost(before + 2)).to.be.at.most(before + 2);
  });
};

const failures = (given: () => StorageUnderTest): void => {
  for (const size of [0, 100_000, 9 * MiB]) {
    it(`stores nothing of a body that fails after ${size} bytes, and says why`, async () => {
      const { storage } = given();
      const key = aKey();
      const failure = new Error('the client went away');
      const outcome = await storage.put(key, failingBody(size, failure));
      expect(outcome).to.deep.equal(E.left({ _tag: 'UploadAborted', cause: failure }));
      expect(tagOf(await storage.open(key))).to.equal('FileMissing');
      expect(await listed(storage, key)).to.deep.equal([]);
      expect(await storage.clearUnfinished(new Date(Date.now() + 3_600_000))).to.deep.equal(E.right(0));
    });
  }

  it('clears what an abandoned upload left, but nothing that is younger than asked', async () => {
    const { storage, abandonUpload } = given();
    const key = aKey();
    await abandonUpload(key);
    expect(await listed(storage, key)).to.deep.equal([]);
    const clearedBefore = async (ms: number) => storage.clearUnfinished(new Date(Date.now() + ms));
    const hour = 3_600_000;
    const cleared = [await clearedBefore(-hour), await clearedBefore(hour), await clearedBefore(hour)];
    expect(cleared).to.deep.equal([E.right(0), E.right(1), E.right(0)]);
  });

  it('takes a body that was destroyed without an error for an aborted one', async () => {
    const { storage } = given();
    const body = new PassThrough();
    body.write('half of it');
    const outcome = storage.put(aKey(), body);
    body.destroy();
    expect(tagOf(await outcome)).to.equal('UploadAborted');
  });

  it('takes a body that had failed before for an aborted one', async () => {
    const body = new PassThrough();
    body.once('error', () => undefined);
    body.destroy(new Error('the client went away'));
    expect(tagOf(await given().storage.put(aKey(), body))).to.equal('UploadAborted');
  });

  it('keeps nothing open for readers that stop early', async () => {
    const { storage } = given();
    const key = aKey();
    await stored(storage, key, bodyOf(MiB).body);
    const before = await openHandles();
    for (let round = 0; round < 50; round += 1) for await (const _chunk of await opened(storage, key)) break;
    for (let round = 0; round < 50; round += 1) (await opened(storage, key)).destroy();
    expect(await handlesAtMost(before + 2)).to.be.at.most(before + 2);
  });
};

const pace = (given: () => StorageUnderTest): void => {
  it('asks for no more of a body than it can hold while it cannot write', async function () {
    const { storage, stall, heldBytes } = given();
    if (stall === undefined) {
      needs(this, false, 'a way to keep the storage from writing');
      return;
    }
    const { body, pulled, untilPulled } = bodyOf(4 * heldBytes);
    const release = await stall();
    const upload = storage.put(aKey(), body);
    await untilPulled(0);
    // polls: nobody tells that nothing more is asked for
    const held = await atRest(pulled);
    release();
    expect(held).to.be.within(1, heldBytes);
    expect(await upload).to.deep.equal(E.right(undefined));
    expect(pulled()).to.equal(4 * heldBytes);
  });
};

// last, as every listing after it takes longer
const longListing = (given: () => StorageUnderTest): void => {
  it('lists more objects than fit on a page, each once', async () => {
    const { storage } = given();
    const prefix = `documents/${randomUUID()}/`;
    const keys = Array.from({ length: 1001 }, (_none, index) => `${prefix}${String(index).padStart(4, '0')}`);
    for (let start = 0; start < keys.length; start += 50)
      await Promise.all(keys.slice(start, start + 50).map((key) => stored(storage, key, bodyOf(1).body)));
    expect((await listed(storage, prefix)).map(({ key }) => key)).to.deep.equal(keys);
  }).timeout(BUSY_SERVER_MS);
};

/** What every adapter of `ObjectStorage` and `FileContents` keeps. */
export const objectStorageContract = (name: string, make: () => Promise<StorageUnderTest>): void => {
  describe(`object storage: ${name}`, () => {
    let underTest: StorageUnderTest;
    before(async () => (underTest = await make()));
    after(() => underTest.close());
    const given = (): StorageUnderTest => underTest;

    describe('what goes in comes out', () => roundTrips(given));
    describe('ranges', () => ranges(given));
    describe('what is not there', () => absences(given));
    describe('listing', () => listing(given));
    describe('failures', () => failures(given));
    describe('pace', () => pace(given));
    describe('a long listing', () => longListing(given));
  });
};
