import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import fc from 'fast-check';
import { findUnnamedFiles } from '../../src/application/document/find-unnamed-files.js';
import { sweepFiles } from '../../src/application/document/sweep-files.js';
import type { ObjectStorage } from '../../src/application/ports.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';
import { makeCheckpointArchive, type UnfitObject } from '../../src/infrastructure/checkpoints/checkpoint-archive.js';
import { checkpointKey } from '../../src/infrastructure/checkpoints/checkpoint-key.js';
import type { CheckpointObjects } from '../../src/infrastructure/checkpoints/checkpoint-objects.js';
import type { SignedCheckpoint } from '../../src/read/sealed-tree.js';
import type { CheckpointArchive } from '../../src/sealing/checkpoint-archive.js';
import { checkpointOf } from '../support/checkpoints.js';
import { FakeObjectStorage } from '../support/fake-object-storage.js';
import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import { needs } from '../support/needs.js';

/** When to give up where a test makes a thousand objects or large ones: a busy machine takes long, and that is no fault. */
const BUSY_SERVER_MS = 180_000;

/** A storage under test. It may hold checkpoints of other origins, and files. */
type ArchiveUnderTest = {
  readonly storage: ObjectStorage & { readonly checkpoints: CheckpointObjects };
  /** What somebody does who may write into the storage: puts something under a key, over what is there. */
  readonly plant: (key: string, content: string) => Promise<void>;
  /** The same, who removes what is under a key. */
  readonly takeBack: (key: string) => Promise<void>;
  /** Whether what was put stays, whoever plants something over it or takes it back. */
  readonly isLocked: boolean;
  /** Keeps the storage from answering, until the function it gives is called. */
  readonly takeAway?: () => Promise<() => Promise<void>>;
  readonly close: () => Promise<void>;
};

const anOrigin = (): string => `archive.example/ü ${randomUUID()}`.replace(' ', '_');

const LARGEST = Number.MAX_SAFE_INTEGER;

const valueOf = <A>(outcome: E.Either<unknown, A>): A => {
  if (E.isLeft(outcome)) throw new Error('the storage failed', { cause: outcome.left });
  return outcome.right;
};

const allOf = async (archive: CheckpointArchive, origin: string): Promise<ReadonlyArray<SignedCheckpoint>> => {
  const found: Array<SignedCheckpoint> = [];
  for await (const checkpoint of archive.all()) if (checkpoint.origin === origin) found.push(checkpoint);
  return found.sort((one, other) => one.size - other.size);
};

type Opened = { readonly archive: CheckpointArchive; readonly unfit: ReadonlyArray<UnfitObject> };

const openOver = ({ storage }: ArchiveUnderTest): Opened => {
  const unfit: Array<UnfitObject> = [];
  return {
    archive: makeCheckpointArchive(storage.checkpoints, { onUnfit: (one) => unfit.push(one) }),
    unfit,
  };
};

const keeping = (given: () => ArchiveUnderTest): void => {
  it('gives back what was put, and the largest of it beyond a size', async () => {
    const { archive, unfit } = openOver(given());
    const origin = anOrigin();
    const sizes = [0, 1, 9_999, 10_000, 10_001, 123_456_789, 2 ** 40, LARGEST];
    for (const size of sizes) valueOf(await archive.put(checkpointOf(origin, size)));
    expect(await allOf(archive, origin)).to.deep.equal(sizes.map((size) => checkpointOf(origin, size)));
    for (const beyond of [-1, 0, 5, 9_999, 2 ** 40, LARGEST - 1])
      expect(valueOf(await archive.largestOf(origin, beyond))).to.deep.equal(checkpointOf(origin, LARGEST));
    expect(valueOf(await archive.largestOf(origin, LARGEST))).to.equal(undefined);
    expect(unfit).to.deep.equal([]);
  });

  it('finds the largest beyond a size among any sizes', async () => {
    const { archive } = openOver(given());
    const size = fc.oneof(fc.nat(30_000), fc.nat(300_000_000), fc.integer({ min: 0, max: LARGEST }));
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(size, { minLength: 1, maxLength: 6 }), size, async (sizes, beyond) => {
        const origin = anOrigin();
        for (const one of sizes) valueOf(await archive.put(checkpointOf(origin, one)));
        const largest = Math.max(...sizes);
        const found = valueOf(await archive.largestOf(origin, beyond));
        expect(found?.size).to.equal(largest > beyond ? largest : undefined);
      }),
      { numRuns: 20 },
    );
  }).timeout(BUSY_SERVER_MS);

  it('keeps origins apart, and has none of one that it was never given', async () => {
    const { archive } = openOver(given());
    const [one, other] = [anOrigin(), anOrigin()];
    valueOf(await archive.put(checkpointOf(one, 7)));
    expect(valueOf(await archive.largestOf(one, -1))).to.deep.equal(checkpointOf(one, 7));
    expect(valueOf(await archive.largestOf(other, -1))).to.equal(undefined);
  });

  it('takes one again that it has', async () => {
    const { archive } = openOver(given());
    const origin = anOrigin();
    for (let round = 0; round < 2; round += 1) valueOf(await archive.put(checkpointOf(origin, 3)));
    await Promise.all([1, 2, 3].map(async () => valueOf(await archive.put(checkpointOf(origin, 4)))));
    expect(new Set((await allOf(archive, origin)).map(({ size }) => size))).to.deep.equal(new Set([3, 4]));
  });

  it('is shared by processes', async () => {
    const origin = anOrigin();
    valueOf(await openOver(given()).archive.put(checkpointOf(origin, 5)));
    expect(valueOf(await openOver(given()).archive.largestOf(origin, -1))).to.deep.equal(checkpointOf(origin, 5));
  });
};

const strangers = (given: () => ArchiveUnderTest): void => {
  it('leaves out what is no checkpoint, however large its key, and reports it once', async () => {
    const { plant } = given();
    const { archive, unfit } = openOver(given());
    const origin = anOrigin();
    valueOf(await archive.put(checkpointOf(origin, 10)));
    const keyOf = (size: number): string => checkpointKey({ origin, size });
    await plant(keyOf(11), 'not a checkpoint');
    await plant(keyOf(12), '');
    await plant(keyOf(13), checkpointOf(origin, 10).note);
    await plant(keyOf(20_000), checkpointOf(anOrigin(), 20_000).note);
    await plant(keyOf(30_000), 'x'.repeat(1_000_000));
    await plant(keyOf(10).replace(/\d{4}$/, '00011'), checkpointOf(origin, 11).note);
    await plant(`${keyOf(10).slice(0, -10)}/stray`, checkpointOf(origin, 11).note);
    for (let round = 0; round < 3; round += 1) {
      expect(valueOf(await archive.largestOf(origin, -1))).to.deep.equal(checkpointOf(origin, 10));
      expect(valueOf(await archive.largestOf(origin, 10))).to.equal(undefined);
    }
    const reported = unfit.map(({ key, reason }) => `${key.slice(keyOf(0).length - 19)}: ${reason}`).sort();
    expect(reported).to.deep.equal(
      [
        '0000/0000/0000/0011: the note has no empty line before its signatures',
        '0000/0000/0000/0012: the note has no empty line before its signatures',
        '0000/0000/0000/0013: its key is not that of the checkpoint in it',
        '0000/0000/0000/00011: the key is not that of a checkpoint',
        '0000/0000/0002/0000: its key is not that of the checkpoint in it',
        '0000/0000/0003/0000: it is no regular object, or longer than any checkpoint',
        '0000/0000/stray: the key is not that of a checkpoint',
      ].sort(),
    );
    expect(await allOf(archive, origin)).to.deep.equal([checkpointOf(origin, 10)]);
  });

  it('has whose signature counts judged by its caller', async () => {
    const { plant } = given();
    const origin = anOrigin();
    const { archive, unfit } = openOver(given());
    valueOf(await archive.put(checkpointOf(origin, 10)));
    const forged = checkpointOf(origin, 99, 'another key');
    await plant(checkpointKey(forged), forged.note);
    expect(valueOf(await archive.largestOf(origin, -1))).to.deep.equal(forged);
    expect(unfit).to.deep.equal([]);
  });

  it('does not write over what has the place of a checkpoint', async () => {
    const { plant, isLocked } = given();
    const { archive } = openOver(given());
    const origin = anOrigin();
    const [ours, other] = [checkpointOf(origin, 10), checkpointOf(origin, 10, 'another key')];
    await plant(checkpointKey(ours), other.note);
    const outcome = await archive.put(ours);
    const found = await allOf(archive, origin);
    if (isLocked) {
      expect(outcome).to.deep.equal(E.right(undefined));
      expect(found.map(({ note }) => note).sort()).to.deep.equal([ours.note, other.note].sort());
    } else {
      expect(E.isLeft(outcome) && outcome.left._tag).to.equal('CheckpointTaken');
      expect(E.isLeft(outcome) && String(outcome.left.cause)).to.match(/something else under checkpoints\/.*\/0010/);
      expect(found).to.deep.equal([other]);
    }
  });

  it('still has what somebody wrote over, or took back, where it is locked', async function () {
    const { plant, takeBack, isLocked } = given();
    needs(this, isLocked, 'a bucket with object lock');
    const { archive } = openOver(given());
    const origin = anOrigin();
    const [one, two] = [checkpointOf(origin, 10), checkpointOf(origin, 20)];
    for (const checkpoint of [one, two]) valueOf(await archive.put(checkpoint));
    await plant(checkpointKey(two), 'not a checkpoint');
    expect(valueOf(await archive.largestOf(origin, -1))).to.deep.equal(two);
    for (const checkpoint of [one, two]) await takeBack(checkpointKey(checkpoint));
    expect(valueOf(await archive.largestOf(origin, -1))).to.deep.equal(two);
    expect(await allOf(archive, origin)).to.deep.equal([one, two]);
  });
};

const others = (given: () => ArchiveUnderTest): void => {
  it('is neither swept away nor reported with the files that no event names', async () => {
    const { storage } = given();
    const { archive } = openOver(given());
    const origin = anOrigin();
    valueOf(await archive.put(checkpointOf(origin, 10)));
    const store = makeInMemoryEventStore();
    const removed: Array<string> = [];
    const marks = new FakeObjectStorage();
    const watched: Pick<ObjectStorage, 'put' | 'remove' | 'list' | 'clearUnfinished'> = {
      put: marks.put,
      remove: (key) => {
        removed.push(key);
        return Promise.resolve(E.right(undefined));
      },
      list: (prefix) => (prefix === 'log/' ? marks : storage).list(prefix),
      clearUnfinished: marks.clearUnfinished,
    };
    const inTenYears = new Date(Date.now() + 10 * 365 * 24 * 3_600_000);
    const clock = { ...systemRuntime.clock, date: () => inTenYears };
    const sweep = sweepFiles({ clock, store, storage: watched, onFault: () => undefined });
    const { signal } = new AbortController();
    for (let round = 0; round < 2; round += 1) valueOf(await sweep(signal));
    const unnamed: Array<string> = [];
    for await (const { key } of findUnnamedFiles(
      { clock, store, storage },
      () => false,
      () => undefined,
      signal,
    ))
      unnamed.push(key);
    expect([...removed, ...unnamed].filter((key) => key.startsWith('checkpoints'))).to.deep.equal([]);
    expect(valueOf(await archive.largestOf(origin, -1))?.size).to.equal(10);
  });

  it('says so when the storage is away', async function () {
    const { takeAway } = given();
    if (takeAway === undefined) {
      needs(this, false, 'a way to keep the storage from answering');
      return;
    }
    const { archive, unfit } = openOver(given());
    const origin = anOrigin();
    valueOf(await archive.put(checkpointOf(origin, 10)));
    expect(await archive.isThere()).to.equal(true);
    const giveBack = await takeAway();
    const outcomes = [
      await archive.put(checkpointOf(origin, 11)),
      await archive.largestOf(origin, -1),
      await archive.largestOf(anOrigin(), -1),
    ];
    const listed = await allOf(archive, origin).catch(() => 'rejected');
    const isThere = await archive.isThere().catch(() => false);
    await giveBack();
    expect(outcomes.map((outcome) => (E.isLeft(outcome) ? outcome.left._tag : 'right'))).to.deep.equal(
      outcomes.map(() => 'StorageUnavailable'),
    );
    expect([listed, isThere]).to.deep.equal(['rejected', false]);
    expect(unfit).to.deep.equal([]);
    expect(valueOf(await archive.largestOf(origin, -1))?.size).to.equal(10);
  }).timeout(BUSY_SERVER_MS);
};

// last, as every reading of all checkpoints after it takes longer
const longListing = (given: () => ArchiveUnderTest): void => {
  it('finds the largest among more objects than fit on a page of a listing', async () => {
    const { plant } = given();
    const { archive } = openOver(given());
    const origin = anOrigin();
    const sizes = Array.from({ length: 1_100 }, (_, size) => size);
    for (let at = 0; at < sizes.length; at += 50)
      await Promise.all(
        sizes.slice(at, at + 50).map((size) => plant(checkpointKey({ origin, size }), checkpointOf(origin, size).note)),
      );
    expect(valueOf(await archive.largestOf(origin, -1))?.size).to.equal(1_099);
    expect((await allOf(archive, origin)).map(({ size }) => size)).to.deep.equal(sizes);
  }).timeout(BUSY_SERVER_MS);
};

/** What every adapter of `CheckpointArchive` keeps. */
export const checkpointArchiveContract = (name: string, make: () => Promise<ArchiveUnderTest>): void => {
  describe(`checkpoint archive: ${name}`, () => {
    let underTest: ArchiveUnderTest;
    before(async () => (underTest = await make()));
    after(() => underTest.close());
    const given = (): ArchiveUnderTest => underTest;

    describe('what was put', () => keeping(given));
    describe('what others have put there', () => strangers(given));
    describe('beside files', () => others(given));
    describe('a long listing', () => longListing(given));
  });
};
