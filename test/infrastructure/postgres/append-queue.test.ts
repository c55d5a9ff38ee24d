import { expect } from 'chai';
import { either as E } from 'fp-ts';
import {
  defaultAppendLimits,
  makeAppendQueue,
  type PendingAppend,
} from '../../../src/infrastructure/postgres/event-log/append-queue.js';
import { anEvent, aStream } from '../../contract/event-store/store-under-test.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';

type Batch = { readonly appends: ReadonlyArray<PendingAppend>; readonly commit: () => void };

const command = (stream = aStream(), data = '{}') => ({
  stream,
  expected: 'no-stream' as const,
  events: [anEvent({ data })] as const,
});

/** A text of about so many bytes. */
const bytes = (size: number): string => `"${'x'.repeat(size)}"`;

const answer = { revision: 0n, position: 1n, confirmedNew: true };

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A queue whose batches are committed by hand. */
const arrange = (limits = defaultAppendLimits) => {
  const batches: Array<Batch> = [];
  const queue = makeAppendQueue(
    systemRuntime.clock,
    (appends) =>
      new Promise((resolve) => {
        const commit = (): void => {
          for (const append of appends) append.answer(E.right(answer));
          resolve();
        };
        batches.push({ appends, commit });
      }),
    limits,
  );
  const batch = async (index: number): Promise<Batch> => {
    for (let turns = 0; turns < 10 && batches[index] === undefined; turns += 1) await turn();
    if (batches[index] === undefined) throw new Error(`no batch ${index} came`);
    return batches[index];
  };
  return { queue, batch };
};

const streamsOf = ({ appends }: Batch): ReadonlyArray<string> => appends.map(({ stream }) => stream);

const tagOf = (outcome: E.Either<{ readonly _tag: string }, unknown>): string =>
  E.isLeft(outcome) ? outcome.left._tag : outcome._tag;

/** What is known of an append without any batch being committed. */
const atOnce = (outcome: Promise<E.Either<{ readonly _tag: string }, unknown>>): Promise<string> =>
  Promise.race([outcome.then(tagOf), turn().then(() => 'waits')]);

describe('the queue of appends', () => {
  it('sends what arrives in one turn together, and what arrives meanwhile as the next batch', async () => {
    const { queue, batch } = arrange();
    const [a, b, c] = [command(), command(), command()];
    const answers = [queue.add(a), queue.add(b)];
    const first = await batch(0);
    answers.push(queue.add(c));
    expect(streamsOf(first)).to.deep.equal([a.stream, b.stream]);
    first.commit();
    const second = await batch(1);
    expect(streamsOf(second)).to.deep.equal([c.stream]);
    second.commit();
    expect(await Promise.all(answers)).to.deep.equal([E.right(answer), E.right(answer), E.right(answer)]);
  });

  it('takes one append of a stream into a batch and keeps the order of the others', async () => {
    const { queue, batch } = arrange();
    const [a, b] = [aStream(), aStream()];
    const added = [a, a, b, a].map((stream) => command(stream));
    void added.map((append) => queue.add(append));
    const seen: Array<ReadonlyArray<string>> = [];
    for (const index of [0, 1, 2]) {
      const next = await batch(index);
      seen.push(next.appends.map(({ events }) => events[0].id));
      next.commit();
    }
    const ids = added.map(({ events }) => events[0].id);
    expect(seen).to.deep.equal([[ids[0], ids[2]], [ids[1]], [ids[3]]]);
  });

  it('bounds a batch in appends and in bytes', async () => {
    const { queue, batch } = arrange({ ...defaultAppendLimits, batch: 3, batchBytes: 1_000 });
    for (const size of [10, 10, 10, 600, 600, 10]) void queue.add(command(aStream(), bytes(size)));
    const sizes: Array<number> = [];
    for (const index of [0, 1, 2]) {
      const next = await batch(index);
      sizes.push(next.appends.length);
      next.commit();
    }
    expect(sizes).to.deep.equal([3, 1, 2]);
  });

  it('fails at once what is more than may wait in number, and takes again when there is room', async () => {
    const { queue, batch } = arrange({ ...defaultAppendLimits, waiting: 2 });
    const running = queue.add(command());
    const first = await batch(0);
    const waiting = [queue.add(command()), queue.add(command())];
    expect(await atOnce(queue.add(command()))).to.equal('StoreUnavailable');
    first.commit();
    (await batch(1)).commit();
    expect((await Promise.all([running, ...waiting])).map(tagOf)).to.deep.equal(['Right', 'Right', 'Right']);
    const again = queue.add(command());
    (await batch(2)).commit();
    expect(tagOf(await again)).to.equal('Right');
  });

  it('fails at once what is more than may wait in bytes together, and takes again when there is room', async () => {
    const { queue, batch } = arrange({ ...defaultAppendLimits, waitingBytes: 2_000 });
    const large = () => queue.add(command(aStream(), bytes(850)));
    const running = large();
    const first = await batch(0);
    const waiting = [large(), large()];
    expect(await atOnce(large())).to.equal('StoreUnavailable');
    const small = queue.add(command());
    first.commit();
    (await batch(1)).commit();
    const outcomes = await Promise.all([running, ...waiting, small]);
    expect(outcomes.map(tagOf)).to.deep.equal(['Right', 'Right', 'Right', 'Right']);
    const again = [large(), large()];
    (await batch(2)).commit();
    expect((await Promise.all(again)).map(tagOf)).to.deep.equal(['Right', 'Right']);
  });

  it('takes far more than may wait when one comes after the other', async () => {
    const { queue, batch } = arrange({ ...defaultAppendLimits, waitingBytes: 2_000 });
    for (let index = 0; index < 10; index += 1) {
      const added = queue.add(command(aStream(), bytes(900)));
      (await batch(index)).commit();
      expect(tagOf(await added)).to.equal('Right');
    }
  });

  it('by default lets 10,000 appends wait and stores 128 at a time', async () => {
    const { queue, batch } = arrange();
    const added = Array.from({ length: 10_001 }, () => queue.add(command()));
    expect(await Promise.all([added[9_999]!, added[10_000]!].map(atOnce))).to.deep.equal(['waits', 'StoreUnavailable']);
    expect((await batch(0)).appends).to.have.length(128);
  });

  it('by default lets 64 MiB wait and stores 4 MiB at a time', async () => {
    const { queue, batch } = arrange();
    const added = Array.from({ length: 65 }, () => queue.add(command(aStream(), bytes(1_040_000))));
    expect(await Promise.all([added[63]!, added[64]!].map(atOnce))).to.deep.equal(['waits', 'StoreUnavailable']);
    expect((await batch(0)).appends).to.have.length(4);
  });

  it('answers what waits before it closes, and fails what comes later', async () => {
    const { queue, batch } = arrange();
    const waiting = queue.add(command());
    const closing = queue.close();
    expect(await atOnce(queue.add(command()))).to.equal('StoreUnavailable');
    (await batch(0)).commit();
    await closing;
    expect(tagOf(await waiting)).to.equal('Right');
  });

  it('rejects an id that is no UUID before it is sent', async () => {
    const { queue } = arrange();
    const outcome = await queue.add({ ...command(), events: [anEvent({ id: 'x' })] });
    expect(tagOf(outcome)).to.equal('AppendRejected');
  });
});
