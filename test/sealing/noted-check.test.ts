import { Readable } from 'node:stream';
import { expect } from 'chai';
import type { SignedCheckpoint } from '../../src/read/sealed-tree.js';
import { makeNotedCheck } from '../../src/sealing/noted-check.js';
import { checkpointOf } from '../support/checkpoints.js';

const ORIGIN = 'log.example';

const passing = (sizes: ReadonlyArray<number>, origin = ORIGIN): AsyncIterable<SignedCheckpoint> =>
  Readable.from(sizes.map((size) => checkpointOf(origin, size))) as AsyncIterable<SignedCheckpoint>; // reason: made of these

const drain = async (all: AsyncGenerator): Promise<void> => {
  while ((await all.next()).done !== true);
};

/** What is found of these that are noted, where these are there. */
const found = async (
  noted: ReadonlyArray<number>,
  places: { readonly Postgres?: AsyncIterable<SignedCheckpoint>; readonly Storage?: AsyncIterable<SignedCheckpoint> },
): Promise<ReadonlyArray<string>> => {
  const faults: Array<string> = [];
  const { watch, check } = makeNotedCheck({ origin: ORIGIN, sizes: noted, elsewhere: 0 }, ({ kind, reason }) =>
    faults.push(`${kind}: ${reason}`),
  );
  for (const place of ['Storage', 'Postgres'] as const) {
    const all = places[place];
    if (all !== undefined) await drain(watch(place, all)).catch(() => undefined);
  }
  await check.end();
  return faults;
};

async function* endingEarly(sizes: ReadonlyArray<number>): AsyncGenerator<SignedCheckpoint> {
  yield* passing(sizes);
  throw new Error('away');
}

describe('comparing checkpoints with what is noted of them', () => {
  it('finds nothing where all of them are there, and others too', async () => {
    expect(await found([3, 9], { Postgres: passing([1, 3, 5, 9]), Storage: passing([1, 3, 9]) })).to.deep.equal([]);
  });

  it('names one that the storage does not have any more', async () => {
    expect(await found([3, 9], { Postgres: passing([3, 9]), Storage: passing([3]) })).to.deep.equal([
      'checkpoint-removed: the checkpoint of 9 events of log.example, once put in the file storage, is not there any more: it was removed there, or the storage was taken back to a backup',
    ]);
  });

  it('does not take one of another origin for it', async () => {
    expect(await found([3], { Postgres: passing([3]), Storage: passing([3], 'elsewhere') })).to.have.length(1);
  });

  it('does not take one of another size for it', async () => {
    const kinds = await found([3, 6], { Postgres: passing([3, 5]), Storage: passing([3, 5]) });
    expect(kinds.map((fault) => /^\S+ the checkpoint of \d+/.exec(fault)?.[0])).to.deep.equal([
      'checkpoint-removed: the checkpoint of 6',
    ]);
  });

  it('does not take one of another origin in Postgres for an earlier one', async () => {
    async function* both(): AsyncGenerator<SignedCheckpoint> {
      yield* passing([1], 'elsewhere');
      yield* passing([6]);
    }
    expect(await found([3, 6], { Postgres: both(), Storage: passing([3, 6]) })).to.have.length(1);
  });

  it('names those that were removed from Postgres, where no earlier one is left that shows it', async () => {
    const kinds = async (inPostgres: ReadonlyArray<number>) =>
      (await found([3, 6, 9], { Postgres: passing(inPostgres), Storage: passing([3, 6, 9]) })).map(
        (fault) => /^\S+ the checkpoint of \d+/.exec(fault)?.[0],
      );
    expect(await kinds([])).to.deep.equal([
      'checkpoint-missing: the checkpoint of 3',
      'checkpoint-missing: the checkpoint of 6',
      'checkpoint-missing: the checkpoint of 9',
    ]);
    expect(await kinds([9])).to.have.length(2);
    expect(await kinds([3])).to.deep.equal([]);
  });

  it('says nothing of a place that was not read to its end', async () => {
    expect(await found([3, 9], { Postgres: endingEarly([3]), Storage: endingEarly([]) })).to.deep.equal([]);
    expect(await found([3, 9], {})).to.deep.equal([]);
  });
});
