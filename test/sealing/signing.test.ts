import { expect } from 'chai';
import { either as E } from 'fp-ts';
import type { SignedCheckpoint } from '../../src/read/sealed-tree.js';
import { openCheckpoint } from '../../src/seal/checkpoint.js';
import { renderVerifier, signerOf, type Signer } from '../../src/seal/note-key.js';
import { keepSigning, type SigningEvent } from '../../src/sealing/keep-signing.js';
import type { LockTree } from '../../src/sealing/lock-tree.js';
import { findSealFault, signTree } from '../../src/sealing/sign-tree.js';
import { makeManualClock, type ManualClock } from '../support/manual-clock.js';
import { historyOf, sealBy } from '../support/seal-in-force.js';
import { makeMemoryArchive } from '../support/memory-archive.js';
import { makeMemoryTree } from '../support/memory-tree.js';
import { right } from '../support/sealed-tree.js';

const signerNamed = (name: string, byte = 7): Signer => {
  const signer = signerOf(name, Buffer.alloc(32, byte));
  if (E.isLeft(signer)) throw new Error(signer.left);
  return signer.right;
};

const ORIGIN = 'example.com/log';

const names = (count: number, prefix = 'event'): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, number) => `${prefix} ${number}`);

describe('signing the tree', () => {
  const tree = () => makeMemoryTree();
  const running: Array<() => Promise<void>> = [];
  let clock: ManualClock;

  beforeEach(() => {
    clock = makeManualClock();
  });

  afterEach(async () => {
    for (const stop of running.splice(0)) await stop();
  });

  /** Lets time pass, a few minutes at most, until it is so. */
  const until = async (isSo: () => boolean): Promise<boolean> => {
    for (let seconds = 0; !isSo() && seconds < 200; seconds += 1) await clock.advance(1_000);
    return isSo();
  };

  const start = (
    { state, lockTree }: ReturnType<typeof makeMemoryTree>,
    archive: ReturnType<typeof makeMemoryArchive>,
    changed: Partial<Parameters<typeof keepSigning>[0]> = {},
  ) => {
    const events: Array<SigningEvent> = [];
    const signing = keepSigning({
      clock,
      lockTree,
      archive,
      findSeal: sealBy(signerNamed(ORIGIN)),
      isKeeper: () => true,
      reached: () => state.leaves,
      isComplete: () => Promise.resolve(true),
      onEvent: (event) => events.push(event),
      ...changed,
    });
    running.push(signing.stop);
    const said = (tag: SigningEvent['_tag']) => until(() => events.some(({ _tag }) => _tag === tag));
    const tags = () => events.map((event) => (event._tag === 'Fault' ? event.fault._tag : event._tag));
    return { ...signing, events, said, tags };
  };

  const sizes = (checkpoints: ReadonlyArray<SignedCheckpoint>) => checkpoints.map(({ size }) => size);

  it('signs what there is, and again only when the tree has grown', async () => {
    const kept = tree();
    kept.state.leaves = names(3);
    const { said, events } = start(kept, makeMemoryArchive());
    await said('Signed');
    await clock.advance(120_000);
    expect(sizes(kept.state.recorded)).to.deep.equal([3]);
    kept.state.leaves = names(300);
    expect(await until(() => events.filter(({ _tag }) => _tag === 'Signed').length === 2)).to.equal(true);
    expect(sizes(kept.state.recorded)).to.deep.equal([3, 300]);
    const opened = openCheckpoint(Buffer.from(kept.state.recorded[1]?.note ?? ''), [signerNamed(ORIGIN).verifier]);
    expect(E.isRight(opened) && [opened.right.size, opened.right.root.toString('hex')]).to.deep.equal([
      300,
      kept.rootOf(names(300)).toString('hex'),
    ]);
  });

  it('puts into the storage what witnesses have cosigned, and when it stops, what they have not', async () => {
    const kept = tree();
    kept.state.leaves = names(3);
    const archive = makeMemoryArchive();
    const witnessed = new Array<SignedCheckpoint>();
    const { said, stop, events } = start(kept, archive, { toArchive: () => witnessed[0] });
    await said('Signed');
    await clock.advance(120_000);
    expect(archive.kept).to.deep.equal([]);
    witnessed.push({ origin: ORIGIN, size: 3, note: 'with cosignatures' });
    await said('Archived');
    expect(archive.kept.map(({ size, note }) => [size, note])).to.deep.equal([[3, 'with cosignatures']]);
    // what is no note would not be extended
    archive.kept.pop();
    kept.state.leaves = names(5);
    await until(() => events.filter(({ _tag }) => _tag === 'Signed').length === 2);
    await stop();
    expect(archive.kept.map(({ size, note }) => [size, note === 'with cosignatures'])).to.deep.equal([[5, false]]);
  });

  it('signs nothing of a log without events', async () => {
    const kept = tree();
    const { stop } = start(kept, makeMemoryArchive());
    await clock.advance(20_000);
    await stop();
    expect(kept.state.recorded).to.deep.equal([]);
  });

  it('puts the first checkpoint into the storage at once, however long there was nothing to sign', async () => {
    const kept = tree();
    const { tags } = start(kept, makeMemoryArchive());
    await clock.advance(120_000);
    kept.state.leaves = names(1);
    await clock.advance(1_000);
    expect(tags()).to.deep.equal(['Signed', 'Archived']);
  });

  it('puts checkpoints into the storage from time to time, and the last one at a stop', async () => {
    const kept = tree();
    const archive = makeMemoryArchive();
    kept.state.leaves = names(1);
    const { said, stop } = start(kept, archive);
    await said('Archived');
    for (const size of [2, 3]) {
      kept.state.leaves = names(size);
      await clock.advance(1_000);
      expect(kept.state.recorded.at(-1)?.size).to.equal(size);
    }
    await clock.advance(57_000);
    expect(sizes(archive.kept)).to.deep.equal([1]);
    await clock.advance(1_000);
    expect(sizes(archive.kept)).to.deep.equal([1, 3]);
    kept.state.leaves = names(4);
    await stop();
    expect(sizes(archive.kept)).to.deep.equal([1, 3, 4]);
    expect(archive.kept.at(-1)).to.deep.equal(kept.state.recorded.at(-1));
  });

  const damages: ReadonlyArray<{
    readonly done: string;
    readonly fault: string;
    readonly leaves: ReadonlyArray<string>;
  }> = [
    { done: 'has lost its end', fault: 'Shorter', leaves: names(9) },
    { done: 'has lost its end and grown again', fault: 'Differs', leaves: [...names(9), ...names(9, 'other')] },
    { done: 'has lost an event', fault: 'Differs', leaves: [...names(15).slice(1), ...names(2, 'other')] },
    { done: 'has another event', fault: 'Differs', leaves: names(15).with(4, 'changed') },
    { done: 'has one more in between', fault: 'Differs', leaves: names(15).toSpliced(3, 0, 'inserted') },
    { done: 'has two events swapped', fault: 'Differs', leaves: names(15).with(3, 'event 4').with(4, 'event 3') },
  ];

  for (const { done, fault, leaves } of damages)
    for (const known of ['Postgres', 'the storage', 'the process'] as const)
      it(`does not sign a tree that ${done}, by what ${known} knows, until it is whole again`, async () => {
        const kept = tree();
        const archive = makeMemoryArchive();
        kept.state.leaves = names(10);
        const before = start(kept, archive);
        await before.said('Archived');
        const same = known === 'the process';
        if (!same) await before.stop();
        if (known !== 'Postgres') kept.state.recorded.length = 0;
        if (known !== 'the storage') archive.kept.length = 0;
        kept.state.leaves = leaves;
        const after = same ? before : start(kept, archive);
        await after.said('Fault');
        await clock.advance(20_000);
        expect(after.tags().slice(same ? -1 : 0)).to.deep.equal([fault]);
        expect(after.fault()?._tag).to.equal(fault);
        expect(kept.state.recorded.filter(({ size }) => size !== 10)).to.deep.equal([]);
        kept.state.leaves = names(12);
        await after.said('FaultOver');
        expect([kept.state.recorded.at(-1)?.size, after.fault()]).to.deep.equal([12, undefined]);
      });

  it('leaves what it alone remembers to the process after it, when log and database have lost their ends together', async () => {
    const kept = tree();
    const archive = makeMemoryArchive();
    kept.state.leaves = names(3);
    const first = start(kept, archive);
    await first.said('Archived');
    kept.state.leaves = names(5);
    await until(() => sizes(kept.state.recorded).includes(5));
    kept.state.leaves = names(4);
    kept.state.recorded.pop();
    await first.said('Fault');
    // at once, and not when it would be put there anyway
    await clock.advance(0);
    expect(sizes(archive.kept)).to.deep.equal([3, 5]);
    await first.stop();
    kept.state.leaves = [...names(4), 'another'];
    const second = start(kept, archive);
    await second.said('Fault');
    expect(second.tags()).to.deep.equal(['Differs']);
    expect(sizes(kept.state.recorded)).to.deep.equal([3]);
  });

  it('waits for a tree that is still being built', async () => {
    const kept = tree();
    kept.state.leaves = names(10);
    const first = start(kept, makeMemoryArchive());
    await first.said('Signed');
    await first.stop();
    kept.state.leaves = names(4);
    const { events } = start(kept, makeMemoryArchive(), {
      isComplete: () => Promise.resolve(kept.state.leaves.length > 9),
    });
    await clock.advance(20_000);
    expect(events).to.deep.equal([]);
    kept.state.leaves = names(11);
    expect(await until(() => kept.state.recorded.at(-1)?.size === 11)).to.equal(true);
  });

  it('does not sign where another key has signed as the same origin', async () => {
    const kept = tree();
    kept.state.leaves = names(10);
    const first = start(kept, makeMemoryArchive(), { findSeal: sealBy(signerNamed(ORIGIN, 8)) });
    await first.said('Signed');
    await first.stop();
    kept.state.leaves = names(11);
    const { said, tags } = start(kept, makeMemoryArchive());
    await said('Fault');
    expect(tags()).to.deep.equal(['Foreign']);
    expect(sizes(kept.state.recorded)).to.deep.equal([10]);
  });

  it('does not sign where a checkpoint is filed under a size that it does not have', async () => {
    const kept = tree();
    kept.state.leaves = names(10);
    const first = start(kept, makeMemoryArchive());
    await first.said('Signed');
    await first.stop();
    kept.state.leaves = names(15);
    kept.state.recorded = kept.state.recorded.map((one) => ({ ...one, size: 12 }));
    const { said, tags } = start(kept, makeMemoryArchive());
    await said('Fault');
    expect(tags()).to.deep.equal(['Foreign']);
  });

  it('finds that a log is whole again also where it has come to the place at which it was signed', async () => {
    const kept = tree();
    kept.state.leaves = names(10);
    let reached = 10;
    const { said, tags } = start(kept, makeMemoryArchive(), { reached: () => reached });
    await said('Archived');
    [kept.state.leaves, reached] = [names(9), 9];
    await said('Fault');
    [kept.state.leaves, reached] = [names(10), 10];
    await clock.advance(5_000);
    expect(tags()).to.deep.equal(['Signed', 'Archived', 'Shorter', 'FaultOver']);
  });

  it('signs at its stop what the tree has when it is complete', async () => {
    const kept = tree();
    const { stop } = start(kept, makeMemoryArchive(), {
      isComplete: () => {
        kept.state.leaves = names(3);
        return Promise.resolve(true);
      },
    });
    await stop();
    expect(sizes(kept.state.recorded)).to.deep.equal([3]);
  });

  it('says again that it cannot sign, when it has signed in between', async () => {
    const kept = tree();
    const archive = makeMemoryArchive();
    const { tags } = start(kept, archive);
    for (const size of [1, 2, 3]) {
      kept.state.leaves = names(size);
      kept.state.isAway = true;
      await clock.advance(3_000);
      kept.state.isAway = false;
      await clock.advance(1_000);
    }
    expect(tags().filter((tag) => tag !== 'Archived')).to.deep.equal([1, 2, 3].flatMap(() => ['Postponed', 'Signed']));
  });

  it('signs nothing while the storage, the database or the log cannot be asked, and says so once', async () => {
    const kept = tree();
    const archive = makeMemoryArchive();
    kept.state.leaves = names(10);
    let isLogAway = true;
    archive.isAway = true;
    const { said, tags } = start(kept, archive, {
      findSeal: () => (isLogAway ? Promise.reject(new Error('away')) : sealBy(signerNamed(ORIGIN))()),
    });
    await said('Postponed');
    await clock.advance(20_000);
    archive.isAway = false;
    await clock.advance(20_000);
    kept.state.isAway = true;
    isLogAway = false;
    await clock.advance(20_000);
    expect([kept.state.recorded, tags()]).to.deep.equal([[], ['Postponed']]);
    kept.state.isAway = false;
    await said('Archived');
    expect(sizes(kept.state.recorded)).to.deep.equal([10]);
    archive.isAway = true;
    kept.state.leaves = names(11);
    await clock.advance(20_000);
    expect(sizes(kept.state.recorded)).to.deep.equal([10]);
  });

  it('has not signed where the database takes a checkpoint and does not keep it', async () => {
    const kept = tree();
    const archive = makeMemoryArchive();
    kept.state.leaves = names(10);
    kept.state.swallows = true;
    const { said, events } = start(kept, archive);
    await said('Postponed');
    await clock.advance(20_000);
    expect([events.map(({ _tag }) => _tag), archive.kept]).to.deep.equal([['Postponed'], []]);
    expect(events).to.have.nested.property('[0].cause.message').that.includes('triggers and rules of seal.checkpoint');
    kept.state.swallows = false;
    await said('Archived');
    expect(sizes(kept.state.recorded)).to.deep.equal([10]);
  });

  it('hands out the checkpoint of the storage again in a database that was made anew', async () => {
    const kept = tree();
    const archive = makeMemoryArchive();
    kept.state.leaves = names(10);
    const first = start(kept, archive);
    await first.said('Archived');
    await first.stop();
    kept.state.recorded.length = 0;
    const second = start(kept, archive);
    await second.said('Signed');
    expect(kept.state.recorded).to.deep.equal(archive.kept);
  });

  it('leaves it to the process that keeps the tree', async () => {
    const kept = tree();
    kept.state.leaves = names(10);
    const { stop, events } = start(kept, makeMemoryArchive(), { isKeeper: () => false });
    await clock.advance(20_000);
    await stop();
    expect([events, kept.state.recorded]).to.deep.equal([[], []]);
  });

  it('says nothing of a fault any more when another process keeps the tree', async () => {
    const kept = tree();
    const archive = makeMemoryArchive();
    kept.state.leaves = names(10);
    let isKeeper = true;
    const { said, fault } = start(kept, archive, { isKeeper: () => isKeeper });
    await said('Signed');
    kept.state.leaves = names(5);
    await said('Fault');
    expect(fault()?._tag).to.equal('Shorter');
    isKeeper = false;
    expect(await until(() => fault() === undefined)).to.equal(true);
  });

  it('begins anew under another origin when the log says so', async () => {
    const kept = tree();
    const archive = makeMemoryArchive();
    let origin = ORIGIN;
    kept.state.leaves = names(10);
    const { said, events } = start(kept, archive, { findSeal: () => sealBy(signerNamed(origin))() });
    await said('Archived');
    kept.state.leaves = names(5);
    await said('Fault');
    origin = `${ORIGIN}/2`;
    await said('FaultOver');
    expect(events.filter(({ _tag }) => _tag === 'Restarted')).to.deep.equal([
      { _tag: 'Restarted', origin, replaced: ORIGIN },
    ]);
    expect(kept.state.recorded.map((one) => [one.origin, one.size])).to.deep.equal([
      [ORIGIN, 10],
      [`${ORIGIN}/2`, 5],
    ]);
    expect(await until(() => archive.kept.at(-1)?.origin === origin)).to.equal(true);
  });

  it('signs nothing under an origin that began meanwhile, before it has asked the storage about that', async () => {
    const kept = tree();
    const archive = makeMemoryArchive();
    const [before, after] = [sealBy(signerNamed(ORIGIN)), sealBy(signerNamed(`${ORIGIN}/2`))];
    kept.state.leaves = names(5);
    const first = start(kept, archive, { findSeal: after });
    await first.said('Archived');
    await first.stop();
    kept.state.recorded.length = 0;
    kept.state.leaves = names(3);
    let asked = 0;
    const { said, tags } = start(kept, archive, { findSeal: () => ((asked += 1) === 1 ? before() : after()) });
    await clock.advance(1_000);
    expect([asked, kept.state.recorded]).to.deep.equal([2, []]);
    kept.state.leaves = names(4);
    await said('Fault');
    expect([tags(), kept.state.recorded]).to.deep.equal([['Restarted', 'Shorter'], []]);
  });

  it('goes on with another key when the log says so, and says that', async () => {
    const kept = tree();
    kept.state.leaves = names(10);
    const [before, after] = [signerNamed(ORIGIN), signerNamed(ORIGIN, 8)];
    let seal = await sealBy(before)();
    const { said, events } = start(kept, makeMemoryArchive(), { findSeal: () => Promise.resolve(seal) });
    await said('Signed');
    const keys = [{ verifier: before.verifier, last: { size: 10, root: kept.rootOf(names(10)) } }, after];
    seal = { signer: after, history: { ...historyOf(after.verifier), keys } };
    kept.state.leaves = names(11);
    await said('KeyReplaced');
    expect(await until(() => kept.state.recorded.length === 2)).to.equal(true);
    expect(E.isRight(openCheckpoint(Buffer.from(kept.state.recorded[1]!.note), [after.verifier]))).to.equal(true);
    expect(events.filter(({ _tag }) => _tag === 'KeyReplaced')).to.deep.equal([
      { _tag: 'KeyReplaced', key: renderVerifier(after.verifier), replaced: renderVerifier(before.verifier) },
    ]);
  });

  /** An archive, and how often it was asked for the largest checkpoint, and whether it is there. */
  const watchedArchive = () => {
    const archive = makeMemoryArchive();
    const asked = { largest: 0, isThere: 0 };
    return {
      asked,
      archive: {
        ...archive,
        largestOf: (origin: string, beyond: number) => {
          asked.largest += 1;
          return archive.largestOf(origin, beyond);
        },
        isThere: () => {
          asked.isThere += 1;
          return archive.isThere();
        },
      },
    };
  };

  it('asks nobody while nothing comes, and the storage what it has once a minute while something does', async () => {
    const kept = tree();
    const { asked, archive } = watchedArchive();
    kept.state.leaves = names(1);
    start(kept, { ...archive, isAway: false });
    await clock.advance(30_000);
    expect(asked).to.deep.equal({ largest: 1, isThere: 1 });
    for (let second = 31; second <= 60; second += 1) {
      kept.state.leaves = names(second);
      await clock.advance(1_000);
    }
    expect(asked).to.deep.equal({ largest: 1, isThere: 31 });
    kept.state.leaves = names(61);
    await clock.advance(1_000);
    expect(asked).to.deep.equal({ largest: 2, isThere: 32 });
  });

  it('asks the storage what it has at each try while there is a fault', async () => {
    const kept = tree();
    const { asked, archive } = watchedArchive();
    kept.state.leaves = names(10);
    const { said } = start(kept, { ...archive, isAway: false });
    await said('Signed');
    kept.state.leaves = names(9);
    await said('Fault');
    const before = asked.largest;
    await clock.advance(10_000);
    expect(asked.largest - before).to.equal(2);
  });

  it('has not put into the storage what that did not take', async () => {
    const kept = tree();
    const archive = makeMemoryArchive();
    kept.state.leaves = names(3);
    let isFull = true;
    const { tags } = start(kept, {
      ...archive,
      put: (checkpoint) =>
        isFull
          ? Promise.resolve(E.left({ _tag: 'StorageUnavailable', cause: new Error('full') }))
          : archive.put(checkpoint),
    });
    await clock.advance(3_000);
    expect(tags()).to.deep.equal(['Signed', 'Postponed']);
    isFull = false;
    await clock.advance(1_000);
    expect([tags(), sizes(archive.kept)]).to.deep.equal([['Signed', 'Postponed', 'Archived'], [3]]);
  });

  it('does not sign a tree whose only event is another one, by what the storage knows', async () => {
    const kept = tree();
    const archive = makeMemoryArchive();
    kept.state.leaves = names(1);
    const first = start(kept, archive);
    await first.said('Archived');
    await first.stop();
    kept.state.recorded.length = 0;
    kept.state.leaves = names(1, 'other');
    const { tags } = start(kept, archive);
    await clock.advance(1_000);
    expect(tags()).to.deep.equal(['Differs']);
  });

  it('says of each other fault that it has come', async () => {
    const kept = tree();
    const archive = makeMemoryArchive();
    kept.state.leaves = names(12);
    const other = start(kept, makeMemoryArchive());
    await other.said('Signed');
    await other.stop();
    const [larger] = kept.state.recorded.splice(0);
    kept.state.leaves = names(10);
    const { said, events } = start(kept, archive);
    await said('Signed');
    kept.state.leaves = names(9);
    await clock.advance(20_000);
    kept.state.recorded.length = 0;
    archive.kept.push(larger!);
    await clock.advance(20_000);
    kept.state.leaves = names(15, 'other');
    await clock.advance(20_000);
    expect(
      events.flatMap((event) => (event._tag === 'Fault' ? [[event.fault._tag, event.fault.signed]] : [])),
    ).to.deep.equal([
      ['Shorter', 10],
      ['Shorter', 12],
      ['Differs', 12],
    ]);
  });

  it('puts into the storage what witnesses have not cosigned when the tree must not be signed any more', async () => {
    const kept = tree();
    const archive = makeMemoryArchive();
    kept.state.leaves = names(10);
    const { said, tags } = start(kept, archive, { toArchive: () => undefined });
    await said('Signed');
    await clock.advance(60_000);
    expect([tags(), archive.kept]).to.deep.equal([['Signed'], []]);
    kept.state.leaves = names(9);
    await said('Fault');
    expect([tags(), sizes(archive.kept)]).to.deep.equal([['Signed', 'Shorter', 'Archived'], [10]]);
  });

  it('puts what witnesses have cosigned into the storage at its stop, where that is all of it', async () => {
    const kept = tree();
    const archive = makeMemoryArchive();
    kept.state.leaves = names(10);
    const witnessed = { origin: ORIGIN, size: 10, note: 'with cosignatures' };
    const { stop } = start(kept, archive, { toArchive: () => witnessed });
    await stop();
    expect(archive.kept).to.deep.equal([witnessed]);
  });

  it('says that a tree differs whether or not it is complete', async () => {
    const kept = tree();
    kept.state.leaves = names(10);
    const { said, tags } = start(kept, makeMemoryArchive(), { isComplete: () => Promise.resolve(false) });
    await said('Signed');
    kept.state.leaves = names(10, 'other');
    await said('Fault');
    expect(tags().at(-1)).to.equal('Differs');
  });
});

describe('a tree that is signed once', () => {
  const seal = sealBy(signerNamed(ORIGIN));
  const sign = (lockTree: LockTree, largest?: SignedCheckpoint) =>
    signTree(lockTree, seal, { origin: ORIGIN, largest });

  /** A tree of so many events, and its checkpoint. */
  const signedTree = async (size: number) => {
    const kept = makeMemoryTree();
    kept.state.leaves = names(size);
    const checkpoint = right(await sign(kept.lockTree));
    return { ...kept, checkpoint: checkpoint! };
  };

  it('is not signed again where it has not grown, wherever its checkpoint is', async () => {
    const { lockTree, state, checkpoint } = await signedTree(5);
    expect(right(await sign(lockTree))).to.deep.equal(checkpoint);
    expect(right(await sign(lockTree, { ...checkpoint, size: 5 }))).to.deep.equal(checkpoint);
    expect(state.recorded).to.deep.equal([checkpoint]);
    const small = await signedTree(3);
    small.state.leaves = names(5);
    expect(right(await sign(small.lockTree, checkpoint))).to.deep.equal(checkpoint);
    expect(small.state.recorded).to.deep.equal([small.checkpoint]);
    expect(right(await sign(lockTree, small.checkpoint))).to.deep.equal(checkpoint);
  });

  it('is not signed while its tiles cannot be read, whether or not it was signed before', async () => {
    const { lockTree } = await signedTree(5);
    const unreadable =
      (lock: LockTree): LockTree =>
      (work) =>
        lock((locked) =>
          work({ ...locked, readTiles: (wanted) => Promise.resolve(E.right(wanted.map(() => undefined))) }),
        );
    const fault = { _tag: 'Unreadable', origin: ORIGIN, size: 5 };
    expect(await sign(unreadable(lockTree))).to.deep.equal(E.left({ ...fault, signed: 5 }));
    const unsigned = makeMemoryTree();
    unsigned.state.leaves = names(5);
    expect(await sign(unreadable(unsigned.lockTree))).to.deep.equal(E.left({ ...fault, signed: 0 }));
  });

  it('is compared without being signed', async () => {
    const { lockTree, state, checkpoint } = await signedTree(5);
    const history = historyOf(signerNamed(ORIGIN).verifier);
    const faultOf = async (elsewhere?: SignedCheckpoint) => (await findSealFault(lockTree, history, elsewhere))?._tag;
    state.leaves = names(6);
    expect(await faultOf()).to.equal(undefined);
    const { checkpoint: larger } = await signedTree(7);
    expect(await faultOf(larger)).to.equal('Shorter');
    state.leaves = names(5, 'other');
    expect(await faultOf()).to.equal('Differs');
    expect(state.recorded).to.deep.equal([checkpoint]);
  });
});
