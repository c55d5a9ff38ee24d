import { expect } from 'chai';
import type { EventStore, TruncationBatch } from '../../../src/event-sourcing/event-store.js';
import { checkpointAt, type StoredEvent } from '../../../src/event-sourcing/recorded-event.js';
import { makeTruncationCheck } from '../../../src/event-sourcing/whole-log/truncation-check.js';

const eventAt = (position: bigint): StoredEvent => ({
  ...{ id: '', type: '', data: '{}', metadata: '{}', stream: 'business-a', revision: 0n, position },
});

const cut = { stream: 'business-cut', first: 3n } as const;
const deleted = { stream: 'business-deleted', first: undefined } as const;

describe('what a store hides of its streams', () => {
  /** Of a log that was read up to position 50. */
  const faultsIn = async (store: Pick<EventStore, 'readTruncations'>): Promise<ReadonlyArray<string>> => {
    const faults: Array<string> = [];
    const check = makeTruncationCheck(store, ({ kind, stream, reason }) =>
      faults.push(`${kind}: ${stream}: ${reason}`),
    );
    await check.take([eventAt(50n)]);
    await check.take([]);
    await check.end();
    return faults;
  };

  const hiding = (...batches: ReadonlyArray<TruncationBatch>): Pick<EventStore, 'readTruncations'> => ({
    // eslint-disable-next-line @typescript-eslint/require-await -- the port is asynchronous
    async *readTruncations() {
      yield* batches;
    },
  });

  it('is named once for each stream that is shown in part, or not at all', async () => {
    const store = hiding(
      { truncated: [cut, deleted, cut], checkpoint: checkpointAt(10n) },
      { truncated: [], checkpoint: checkpointAt(20n) },
      { truncated: [deleted], checkpoint: checkpointAt(50n) },
    );
    expect(await faultsIn(store)).to.deep.equal([
      'stream-truncated: business-cut: the stream was cut in the store before revision 3: the events before it are not ' +
        'shown any more, and can be removed from the log',
      'stream-truncated: business-deleted: the stream was deleted in the store: its history is not shown any more, and ' +
        'what the log still has of it can be removed',
    ]);
  });

  it('is looked for as far as the log was read', async () => {
    const store = hiding(
      { truncated: [cut], checkpoint: checkpointAt(51n) },
      { truncated: [deleted], checkpoint: checkpointAt(52n) },
    );
    expect(await faultsIn(store)).to.have.length(1);
  });

  it('is nothing in a store that can hide nothing', async () => {
    expect(await faultsIn({})).to.deep.equal([]);
  });
});
