import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { type Appended, StoreUnavailable } from '../../../src/event-sourcing/event-store.js';
import {
  DiskFull,
  type DiskSpace,
  freeBytesOf,
  isOutOfSpace,
  watchDiskSpace,
} from '../../../src/infrastructure/disk-space/disk-space.js';
import { makeRowsWithoutSpace } from '../../../src/infrastructure/disk-space/rows-without-space.js';
import {
  appendWithinSpace,
  chunksWithinSpace,
  putWithinSpace,
} from '../../../src/infrastructure/disk-space/within-space.js';
import { bodyOf } from '../../support/bodies.js';
import { systemError } from '../../support/failing-disk.js';
import { givenStream } from '../../support/given-stream.js';
import { makeInMemoryEventStore } from '../../support/in-memory-event-store.js';
import { makeManualClock, type ManualClock } from '../../support/manual-clock.js';

const MIB = 1024 * 1024;

describe('a failure for want of space', () => {
  const wrapped = (code: string): unknown => ({ _tag: 'StorageUnavailable', cause: systemError(code) });
  for (const code of ['ENOSPC', 'EDQUOT', '53100'])
    it(`is recognised by ${code}, also in a cause`, () => {
      expect(isOutOfSpace(systemError(code))).to.equal(true);
      expect(isOutOfSpace(wrapped(code))).to.equal(true);
      expect(isOutOfSpace(new StoreUnavailable('no', new Error('no', { cause: systemError(code) })))).to.equal(true);
    });

  it('is not any other failure', () => {
    const others = [
      wrapped('EIO'),
      systemError('53200'),
      new DiskFull(),
      { _tag: 'RevisionConflict' },
      undefined,
      'no',
    ];
    expect(others.filter(isOutOfSpace)).to.deep.equal([]);
  });
});

describe('the space of a disk', () => {
  let clock: ManualClock;
  beforeEach(() => {
    clock = makeManualClock();
  });

  const watched = (free: () => number | undefined): DiskSpace =>
    watchDiskSpace(clock, '/somewhere', () => Promise.resolve(free()));

  it('is what the system says of a directory that is there', async () => {
    expect(await freeBytesOf('.')).to.be.greaterThan(0);
    expect(await freeBytesOf('/nowhere/at/all')).to.equal(undefined);
  });

  it('is too little below 64 MiB, and enough again when there is more, measured by itself', async () => {
    let free = 64 * MIB;
    const disk = watched(() => free);
    await clock.advance(0);
    expect([disk.isFull(), disk.admits(1)]).to.deep.equal([false, true]);
    free -= 1;
    await clock.advance(999);
    expect([disk.isFull(), disk.admits(1)]).to.deep.equal([false, true]);
    await clock.advance(1);
    expect([disk.isFull(), disk.admits(1)]).to.deep.equal([true, false]);
    free += 1;
    await clock.advance(1_000);
    expect([disk.isFull(), disk.admits(1)]).to.deep.equal([false, true]);
  });

  it('is measured once a second, however often it is asked for, and once more after many bytes', async () => {
    let measurements = 0;
    const disk = watched(() => ++measurements);
    await clock.advance(0);
    for (let asked = 0; asked < 10_000; asked += 1) disk.isFull();
    for (let asked = 0; asked < 7; asked += 1) disk.admits(MIB);
    expect(measurements).to.equal(1);
    disk.admits(MIB);
    expect(measurements).to.equal(2);
    // a measurement is under way: no other one begins
    disk.admits(20 * MIB);
    expect(measurements).to.equal(2);
    await clock.advance(3_000);
    expect(measurements).to.equal(5);
    await disk.stop();
    await clock.advance(3_000);
    expect([measurements, clock.waiting()]).to.deep.equal([5, 0]);
  });

  it('is not known to be too little where the system does not say, or the data is elsewhere', () => {
    const disk = watched(() => undefined);
    expect([disk.isFull(), disk.admits(1), disk.free()]).to.deep.equal([false, true, undefined]);
    const elsewhere = watchDiskSpace(clock, undefined);
    expect([elsewhere.isFull(), elsewhere.admits(1), elsewhere.free()]).to.deep.equal([false, true, undefined]);
  });

  it('is too little when a write failed for want of it, until one succeeds', () => {
    const elsewhere = watchDiskSpace(clock, undefined);
    elsewhere.failed(systemError('ECONNRESET'));
    expect(elsewhere.isFull()).to.equal(false);
    elsewhere.failed(systemError('53100'));
    expect([elsewhere.isFull(), elsewhere.admits(1)]).to.deep.equal([true, true]);
    elsewhere.succeeded();
    expect(elsewhere.isFull()).to.equal(false);
  });

  it('is not too little for ever when no other write is tried', async () => {
    const elsewhere = watchDiskSpace(clock, undefined);
    elsewhere.failed(systemError('53100'));
    await clock.advance(14_999);
    expect(elsewhere.isFull()).to.equal(true);
    await clock.advance(1);
    expect(elsewhere.isFull()).to.equal(false);
  });

  it('is measured at once when a write failed for want of it', async () => {
    let free = 100 * MIB;
    const disk = watched(() => free);
    await clock.advance(0);
    free = 0;
    disk.failed(systemError('ENOSPC'));
    await clock.advance(0);
    expect(disk.admits(1)).to.equal(false);
  });
});

describe('writing within the space of a disk', () => {
  const reported: Array<string> = [];
  const disk = (admits: (bytes: number) => boolean): DiskSpace => ({
    isFull: () => false,
    free: () => undefined,
    admits,
    succeeded: () => reported.push('succeeded'),
    failed: (cause) => reported.push(isOutOfSpace(cause) ? 'out of space' : 'failed'),
    stop: () => Promise.resolve(),
  });
  beforeEach(() => reported.splice(0));

  const event = ['BusinessCreated', { name: 'a' }] as const;

  it('appends, and reports the outcome', async () => {
    const store = makeInMemoryEventStore();
    const [stored] = await givenStream(store, 'business-1', [{ type: event[0], data: event[1] }]);
    const within = appendWithinSpace(
      makeInMemoryEventStore(),
      disk(() => true),
    );
    expect(E.isRight(await within.append('business-1', 'no-stream', [stored!]))).to.equal(true);
    const out = { ...store, append: () => Promise.resolve(E.left(new StoreUnavailable('no', systemError('53100')))) };
    expect(
      E.isLeft(
        await appendWithinSpace(
          out,
          disk(() => true),
        ).append('business-1', 0n, [stored!]),
      ),
    ).to.equal(true);
    expect(reported).to.deep.equal(['succeeded', 'out of space']);
  });

  it('appends nothing without it, and reads on', async () => {
    const store = makeInMemoryEventStore();
    const [stored] = await givenStream(store, 'business-1', [{ type: event[0], data: event[1] }]);
    let asked = 0;
    const counted = {
      ...store,
      append: (): Promise<E.Either<never, Appended>> => ((asked += 1), Promise.resolve(E.right(null as never))),
    };
    const within = appendWithinSpace(
      counted,
      disk(() => false),
    );
    const outcome = await within.append('business-2', 'no-stream', [stored!]);
    expect(E.isLeft(outcome) && outcome.left).to.be.instanceOf(StoreUnavailable);
    expect([asked, reported]).to.deep.equal([0, []]);
    expect(E.isRight(await within.head())).to.equal(true);
  });

  it('stores a file as long as there is some', async () => {
    let left = 2;
    const chunks = chunksWithinSpace(
      bodyOf(300_000).body as AsyncIterable<Uint8Array>, // reason: a body is a byte stream
      disk(() => (left -= 1) >= 0),
    );
    const taken: Array<number> = [];
    const failure = await (async () => {
      for await (const chunk of chunks) taken.push(chunk.length);
    })().then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failure).to.be.instanceOf(DiskFull);
    expect(taken).to.have.length(2);
  });

  it('reports the outcome of storing a file', async () => {
    const put = (outcome: Promise<E.Either<{ _tag: 'StorageUnavailable'; cause: unknown }, void>>) =>
      putWithinSpace(
        () => outcome,
        disk(() => true),
      )('documents/a/b', bodyOf(1).body);
    await put(Promise.resolve(E.right(undefined)));
    await put(Promise.resolve(E.left({ _tag: 'StorageUnavailable', cause: systemError('ENOSPC') })));
    await put(Promise.resolve(E.left({ _tag: 'StorageUnavailable', cause: systemError('EIO') })));
    expect(reported).to.deep.equal(['succeeded', 'out of space', 'failed']);
  });
});

describe('rows that cannot be written for want of space', () => {
  it('are known from the interruption to the next event of their projection', () => {
    const rows = makeRowsWithoutSpace();
    const seen = (
      [
        { _tag: 'Interrupted', projection: 'businesses', cause: systemError('ECONNRESET') },
        { _tag: 'Interrupted', projection: 'businesses', cause: systemError('53100') },
        { _tag: 'Interrupted', projection: 'documents', cause: systemError('53100') },
        { _tag: 'Projecting', projection: 'businesses', generation: 'b_1', role: 'live' },
        { _tag: 'Projecting', projection: 'documents', generation: 'd_1', role: 'live' },
      ] as const
    ).map((event) => {
      rows.onEngineEvent(event);
      return rows.any();
    });
    expect(seen).to.deep.equal([false, true, true, true, false]);
  });
});
