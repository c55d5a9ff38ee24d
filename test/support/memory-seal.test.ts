import { expect } from 'chai';
import { ledgerOf, registry } from '../../src/entities/registry.js';
import type { SignedCheckpoint } from '../../src/read/sealed-tree.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';
import { append, created } from '../projections/appending.js';
import { type ManualClock, makeManualClock } from './manual-clock.js';
import { startMemoryEngine } from './memory-engine.js';
import type { MemorySeal } from './memory-seal.js';
import { right } from './sealed-tree.js';

describe('checkpoints in memory', () => {
  let clock: ManualClock;
  let seal: ReturnType<MemorySeal>;
  let stop: () => Promise<void>;

  beforeEach(async () => {
    clock = makeManualClock();
    const engine = startMemoryEngine({ clock, random: systemRuntime.random });
    seal = engine.seal(ledgerOf(registry).name);
    await append(engine.store, `business-${systemRuntime.random.uuid()}`, 0n, created('Acme'));
    await clock.advance(5_000);
    expect((await engine.queries.ledgerExtent(ledgerOf(registry))()).size).to.equal(1);
    stop = async () => {
      const stopped = engine.stop();
      await clock.advance(1_000);
      await stopped;
    };
  });

  afterEach(() => stop());

  const checkpoint = (size: number, origin = 'one'): SignedCheckpoint => ({ origin, size, note: `${origin} ${size}` });

  const record = (...checkpoints: ReadonlyArray<SignedCheckpoint>): Promise<unknown> =>
    seal.lockTree(async (tree) => {
      for (const one of checkpoints) await tree.record(one);
    });

  const recordCosigned = async (one: SignedCheckpoint): Promise<void> => (await seal.openCosigned()).record(one);

  const handedOut = async () => right(await seal.tree.newestCheckpoint())?.note;

  const notesOf = async (all: AsyncIterable<SignedCheckpoint>): Promise<ReadonlyArray<string>> => {
    const notes: Array<string> = [];
    for await (const { note } of all) notes.push(note);
    return notes;
  };

  it('are recorded by one process after the other, and only when its work has ended', async () => {
    const failed = seal.lockTree(async (tree) => {
      await tree.record(checkpoint(1));
      throw new Error('it goes wrong');
    });
    const seen = seal.lockTree(async (tree) => [tree.size, await tree.largestOf('one')]);
    const signed = record(checkpoint(1), checkpoint(2));
    const later = seal.lockTree(({ largestOf }) => largestOf('one'));
    expect(await failed.catch(String)).to.equal('Error: it goes wrong');
    expect(await seen).to.deep.equal([1, undefined]);
    await signed;
    expect(await later).to.deep.equal(checkpoint(2));
  });

  it('are handed out with cosignatures, unless a later one has waited for them for a minute', async () => {
    expect(await handedOut()).to.equal(undefined);
    await record(checkpoint(1), checkpoint(2));
    expect([await handedOut(), right(await seal.tree.cosignedOf('one'))]).to.deep.equal(['one 2', undefined]);
    await recordCosigned({ ...checkpoint(2), note: 'one 2 cosigned' });
    await record(checkpoint(3));
    // those of another origin, or larger than what was signed, do not count
    await recordCosigned({ ...checkpoint(3, 'other'), note: 'another' });
    await recordCosigned({ ...checkpoint(9), note: 'too large' });
    await clock.advance(60_000);
    expect(await handedOut()).to.equal('one 2 cosigned');
    await clock.advance(1);
    expect(await handedOut()).to.equal('one 3');
    await recordCosigned({ ...checkpoint(3), note: 'one 3 cosigned' });
    expect([await handedOut(), right(await seal.tree.newestOf('one'))?.note]).to.deep.equal([
      'one 3 cosigned',
      'one 3',
    ]);
    await record(checkpoint(3, 'two'), checkpoint(1, 'two'));
    expect(await handedOut()).to.equal('two 1');
    expect(await notesOf(seal.tree.checkpoints())).to.deep.equal(['one 1', 'one 2', 'one 3', 'two 1', 'two 3']);
    expect(await notesOf(seal.tree.cosigned())).to.deep.equal([
      'one 2 cosigned',
      'one 3 cosigned',
      'too large',
      'another',
    ]);
  });
});
