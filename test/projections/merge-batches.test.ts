import { expect } from 'chai';
import { mergeBatches } from '../../projections/engine/rows/merge-batches.js';
import type { LogBatch } from '../../src/event-sourcing/event-store.js';
import { stored } from '../support/recorded.js';

const event = stored({ type: 'Noted', data: {} });

const batch = (commit: number, events = 1): LogBatch => ({
  events: Array.from({ length: events }, () => event),
  checkpoint: { commit: BigInt(commit), prepare: 0n },
});

const shape = ({ events, checkpoint }: LogBatch): string => `${events.length} to ${checkpoint.commit}`;

const LIMITS = { events: 10, bytes: 1_000_000 };
const untilIdle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function* counting(count: number, given: Array<number>): AsyncGenerator<LogBatch> {
  for (let i = 1; i <= count; i++) {
    await untilIdle();
    given.push(i);
    yield batch(i);
  }
}

describe('merged batches', () => {
  it('hold what arrived while the consumer was busy, and all of it once', async () => {
    const seen: Array<string> = [];
    for await (const merged of mergeBatches(() => counting(6, []), LIMITS, new AbortController().signal)) {
      seen.push(shape(merged));
      for (let i = 0; i < 9; i++) await untilIdle();
    }
    expect(seen).to.deep.equal(['1 to 1', '5 to 6']);
  });

  it('read ahead no further than the limit', async () => {
    for (const limits of [LIMITS, { events: 1_000, bytes: 10 * (event.data.length + event.metadata.length) }]) {
      const given: Array<number> = [];
      for await (const merged of mergeBatches(() => counting(100, given), limits, new AbortController().signal)) {
        expect(merged.events.length).to.be.at.most(11);
        for (let i = 0; i < 30; i++) await untilIdle();
        if (given.length > 10) break;
      }
      expect(given.length).to.be.at.most(12);
    }
  });

  it('are all as large as the limit but the last, where the consumer wants that', async () => {
    const seen: Array<string> = [];
    const limits = { ...LIMITS, isFull: true };
    for await (const merged of mergeBatches(() => counting(25, []), limits, new AbortController().signal))
      seen.push(shape(merged));
    expect(seen).to.deep.equal(['10 to 10', '10 to 20', '5 to 25']);
  });

  it('throw what the source throws, after the batches that it gave', async () => {
    async function* failing(): AsyncGenerator<LogBatch> {
      yield await Promise.resolve(batch(1));
      throw new Error('lost');
    }
    const seen: Array<string> = [];
    let thrown: unknown;
    try {
      for await (const merged of mergeBatches(failing, LIMITS, new AbortController().signal)) seen.push(shape(merged));
    } catch (error) {
      thrown = error;
    }
    expect([seen, String(thrown)]).to.deep.equal([['1 to 1'], 'Error: lost']);
  });

  it('abort the source when the consumer leaves', async () => {
    let isReleased = false;
    async function* endless(signal: AbortSignal): AsyncGenerator<LogBatch> {
      try {
        yield batch(1);
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      } finally {
        isReleased = true;
      }
    }
    for await (const merged of mergeBatches(endless, LIMITS, new AbortController().signal))
      if (merged.events.length > 0) break;
    expect(isReleased).to.equal(true);
  });
});
