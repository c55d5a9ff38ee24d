import { expect } from 'chai';
import { businesses } from '../../projections/businesses.js';
import { catchUp } from '../../projections/engine/rows/catch-up.js';
import type { ApplyBatch } from '../../projections/engine/rows/prepared-batch.js';
import type { Writer } from '../../projections/engine/storage.js';
import type { LogBatch } from '../../src/event-sourcing/event-store.js';
import { checkpointAt, type From } from '../../src/event-sourcing/recorded-event.js';
import { makeManualClock } from '../support/manual-clock.js';
import { stored } from '../support/recorded.js';
import { renamed } from './appending.js';

describe('the order of reading and writing while rows catch up', () => {
  const { soon } = makeManualClock();
  const clock = { ...makeManualClock(), soon };

  const batch = (from: number, to: number): LogBatch => ({
    events: Array.from({ length: to - from }, (_, index) => {
      const revision = BigInt(from + index);
      return { ...stored(renamed(`name ${revision}`), { stream: 'business-1', revision }), position: revision + 1n };
    }),
    checkpoint: checkpointAt(BigInt(to)),
  });

  type Write = (positions: ReadonlyArray<bigint>) => Promise<void>;

  /** Catches up, and what was written: positions of events, and up to where. */
  const catching = (
    batches: AsyncIterable<LogBatch>,
    { from = 'start', upTo, write = () => Promise.resolve() }: { from?: From; upTo?: number; write?: Write } = {},
  ) => {
    const written: Array<string> = [];
    const prepare: ApplyBatch['prepare'] = (events) =>
      Promise.resolve({
        events,
        write: async ({ to }) => {
          const positions = events.map(({ position }) => position);
          await write(positions);
          written.push(`${positions.join(' ')} up to ${to.commit}`);
          return 'live';
        },
      });
    // reason: nothing else of the writer is used where batches are not written
    const writer = { projection: businesses, generation: { name: 'businesses_1' } } as unknown as Writer;
    const { signal } = new AbortController();
    const options = { clock, signal, ...(upTo === undefined ? {} : { upTo: checkpointAt(BigInt(upTo)) }) };
    const apply = { prepare, readAhead: () => Promise.reject(new Error('nothing is read ahead')) };
    const caughtUp = catchUp(writer, { readAll: () => batches }, apply, from, options);
    return { written, caughtUp };
  };

  const turns = async (): Promise<void> => {
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };

  async function* logOf(...batches: ReadonlyArray<LogBatch>): AsyncGenerator<LogBatch> {
    for (const each of batches) yield await Promise.resolve(each);
  }

  it('is that of the log, up to the position that is asked for and no further', async () => {
    const { written, caughtUp } = catching(logOf(batch(0, 2), batch(2, 5), batch(5, 6)), { upTo: 4 });
    expect(await caughtUp).to.deep.equal({ checkpoint: checkpointAt(4n), events: 4 });
    expect(written).to.deep.equal(['1 2 up to 2', '3 4 up to 4']);
  });

  it('goes over what the log has of others alone up to that position', async () => {
    const { written, caughtUp } = catching(logOf(batch(0, 2)), { upTo: 9 });
    expect(await caughtUp).to.deep.equal({ checkpoint: checkpointAt(9n), events: 2 });
    expect(written).to.deep.equal(['1 2 up to 2', ' up to 9']);
  });

  it('writes nothing a second time', async () => {
    const { written, caughtUp } = catching(logOf(batch(0, 2), batch(0, 2), batch(2, 3)));
    expect((await caughtUp).checkpoint).to.deep.equal(checkpointAt(3n));
    expect(written).to.deep.equal(['1 2 up to 2', '3 up to 3']);
    const there = catching(logOf(batch(0, 2)), { from: checkpointAt(2n), upTo: 2 });
    expect([(await there.caughtUp).events, there.written]).to.deep.equal([0, []]);
  });

  it('has ended when it fails: nothing is written behind that', async () => {
    let finish = (): void => undefined;
    const write = (): Promise<void> => new Promise((resolve) => (finish = resolve));
    async function* failing(): AsyncGenerator<LogBatch> {
      yield* logOf(batch(0, 2));
      await turns();
      throw new Error('the log is away');
    }
    const { written, caughtUp } = catching(failing(), { write });
    let end: unknown;
    const ended = caughtUp.catch((error: unknown) => (end = String(error)));
    await turns();
    await turns();
    await turns();
    expect([end, written]).to.deep.equal([undefined, []]);
    finish();
    await ended;
    expect([end, written]).to.deep.equal(['Error: the log is away', ['1 2 up to 2']]);
  });

  it('fails with a batch that cannot be written, also where the log gives the next one only later', async () => {
    let goOn = (): void => undefined;
    async function* slow(): AsyncGenerator<LogBatch> {
      yield* logOf(batch(0, 2));
      await new Promise<void>((resolve) => (goOn = resolve));
      yield* logOf(batch(2, 3));
    }
    const { caughtUp } = catching(slow(), { write: () => Promise.reject(new Error('full')) });
    const error = caughtUp.catch((thrown: unknown) => String(thrown));
    // a failure that nobody awaits would end a process
    const unawaited: Array<unknown> = [];
    const note = (reason: unknown): void => void unawaited.push(reason);
    process.on('unhandledRejection', note);
    await turns();
    process.off('unhandledRejection', note);
    goOn();
    expect([await error, unawaited]).to.deep.equal(['Error: full', []]);
  });
});
