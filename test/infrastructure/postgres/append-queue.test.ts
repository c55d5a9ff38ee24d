import { expect } from 'chai';
import { either as E } from 'fp-ts';
import {
  defaultAppendLimits,
  makeAppendQueue,
  type PendingAppend,
} from '../../../src/infrastructure/postgres/event-log/append/append-queue.js';
import { anEvent, aStream } from '../../contract/event-store/store-under-test.js';

type Batch = { readonly appends: ReadonlyArray<PendingAppend>; readonly commit: () => void };

const command = (stream = aStream(), data = '{}') => ({
  stream,
  expected: 'no-stream' as const,
  events: [anEvent({ data })],
});

const answer = { revision: 0n, position: 1n, confirmedNew: true };

/** A queue whose batches are committed by hand. */
const arrange = (limits = defaultAppendLimits) => {
  const batches: Array<Batch> = [];
  let arrived: (() => void) | undefined;
  const queue = makeAppendQueue(
    (appends) =>
      new Promise((resolve) => {
        const commit = (): void => {
          for (const append of appends) append.answer(E.right(answer));
          resolve();
        };
        batches.push({ appends, commit });
        arrived?.();
      }),
    limits,
  );
  const batch = async (index: number): Promise<Batch> => {
    while (batches[index] === undefined) await new Promise<void>((resolve) => (arrived = resolve));
    return batches[index];
  };
  return { queue, batch };
};

const streamsOf = ({ appends }: Batch): ReadonlyArray<string> => appends.map(({ stream }) => stream);

const tagOf = (outcome: E.Either<{ readonly _tag: string }, unknown>): string =>
  E.isLeft(outcome) ? outcome.left._tag : outcome._tag;

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
    void added.map(queue.add);
    const seen: Array<ReadonlyArray<string>> = [];
    for (const index of [0, 1, 2]) {
      const next = await batch(index);
      seen.push(next.appends.map(({ events }) => events[0]!.id));
      next.commit();
    }
    const ids = added.map(({ events }) => events[0]!.id);
    expect(seen).to.deep.equal([[ids[0], ids[2]], [ids[1]], [ids[3]]]);
  });

  it('bounds a batch in appends and in bytes', async () => {
    const { queue, batch } = arrange({ ...defaultAppendLimits, batch: 3, batchBytes: 1_000 });
    for (const size of [10, 10, 10, 600, 600, 10]) void queue.add(command(aStream(), `"${'x'.repeat(size)}"`));
    const sizes: Array<number> = [];
    for (const index of [0, 1, 2]) {
      const next = await batch(index);
      sizes.push(next.appends.length);
      next.commit();
    }
    expect(sizes).to.deep.equal([3, 1, 2]);
  });

  it('refuses at once what is more than may wait, in number or in bytes', async () => {
    const { queue, batch } = arrange({ ...defaultAppendLimits, waiting: 2, waitingBytes: 2_000 });
    const running = queue.add(command());
    const first = await batch(0);
    const large = await queue.add(command(aStream(), `"${'x'.repeat(2_000)}"`));
    const waiting = [queue.add(command()), queue.add(command())];
    expect([tagOf(large), tagOf(await queue.add(command()))]).to.deep.equal(['StoreUnavailable', 'StoreUnavailable']);
    first.commit();
    (await batch(1)).commit();
    expect((await Promise.all([running, ...waiting])).map(tagOf)).to.deep.equal(['Right', 'Right', 'Right']);
    const again = queue.add(command());
    (await batch(2)).commit();
    expect(tagOf(await again)).to.equal('Right');
  });

  it('answers what waits before it closes, and refuses what comes later', async () => {
    const { queue, batch } = arrange();
    const waiting = queue.add(command());
    const closing = queue.close();
    expect(tagOf(await queue.add(command()))).to.equal('StoreUnavailable');
    (await batch(0)).commit();
    await closing;
    expect(tagOf(await waiting)).to.equal('Right');
  });

  it('refuses an id that is no UUID before it travels', async () => {
    const { queue } = arrange();
    const outcome = await queue.add({ ...command(), events: [anEvent({ id: 'x' })] });
    expect(tagOf(outcome)).to.equal('AppendRejected');
  });
});
