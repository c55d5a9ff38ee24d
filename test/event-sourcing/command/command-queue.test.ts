import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { makeCommandQueue } from '../../../src/event-sourcing/command/command-queue.js';
import { heapTakenBy } from '../../support/heap-taken-by.js';

/** A task that ends when it is told to, and says when it began. */
const aTask = (name: string, began: Array<string>) => {
  let settle: { readonly resolve: () => void; readonly reject: (cause: Error) => void } | undefined;
  const end = new Promise<void>((resolve, reject) => (settle = { resolve, reject }));
  const task = async (): Promise<E.Either<never, string>> => {
    began.push(name);
    await end;
    return E.right(name);
  };
  return { task, end: () => settle?.resolve(), fail: () => settle?.reject(new Error(name)) };
};

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The outcome, or a failure after a few turns: nothing takes longer here, and a test that hangs names no fault. */
const soon = <A>(outcome: Promise<A>): Promise<A> => {
  const late = async (): Promise<never> => {
    for (let turns = 0; turns < 10; turns += 1) await turn();
    throw new Error('it still waits');
  };
  return Promise.race([outcome, late()]);
};

describe('the queue of commands', () => {
  it('runs the commands of one stream one after the other, in the order they came', async () => {
    const queue = makeCommandQueue(10);
    const began: Array<string> = [];
    const [a, b, c] = [aTask('a', began), aTask('b', began), aTask('c', began)];
    const outcomes = [a, b, c].map(({ task }) => queue('business-1', task));
    const seen: Array<ReadonlyArray<string>> = [];
    for (const { end } of [c, a, b]) {
      await turn();
      seen.push([...began]);
      end();
    }
    expect(await soon(Promise.all(outcomes))).to.deep.equal([E.right('a'), E.right('b'), E.right('c')]);
    expect(seen).to.deep.equal([['a'], ['a'], ['a', 'b']]);
  });

  it('runs the commands of different streams side by side', async () => {
    const queue = makeCommandQueue(10);
    const began: Array<string> = [];
    const [a, b] = [aTask('a', began), aTask('b', began)];
    const outcomes = [queue('business-1', a.task), queue('business-2', b.task)];
    expect(began).to.deep.equal(['a', 'b']);
    a.end();
    b.end();
    await soon(Promise.all(outcomes));
  });

  it('fails what is more than may wait, and takes commands again when there is room', async () => {
    const queue = makeCommandQueue(2);
    const [a, b, c] = [aTask('a', []), aTask('b', []), aTask('c', [])];
    const [first, second] = [queue('business-1', a.task), queue('business-1', b.task)];
    const contended = E.left({ _tag: 'StreamContended', stream: 'business-1' });
    expect(await soon(queue('business-1', c.task))).to.deep.equal(contended);
    for (const { end } of [a, b, c]) end();
    await soon(Promise.all([first, second]));
    expect(await soon(queue('business-1', c.task))).to.deep.equal(E.right('c'));
  });

  it('gives a shared failure to all that wait, and runs later commands', async () => {
    const queue = makeCommandQueue(10, (failure) => failure === 'log away');
    const began: Array<string> = [];
    let fail: () => void = () => undefined;
    const failing = (failure: string) => async (): Promise<E.Either<string, string>> => {
      began.push(failure);
      await new Promise<void>((resolve) => (fail = resolve));
      return E.left(failure);
    };
    const first = queue('business-1', failing('refused'));
    const second = queue('business-1', failing('log away'));
    const waiting = ['third', 'fourth'].map((name) => queue('business-1', aTask(name, began).task));
    fail();
    expect(await soon(first)).to.deep.equal(E.left('refused'));
    await turn();
    fail();
    const away = E.left('log away');
    expect(await soon(Promise.all([second, ...waiting]))).to.deep.equal([away, away, away]);
    const later = aTask('later', began);
    later.end();
    expect(await soon(queue('business-1', later.task))).to.deep.equal(E.right('later'));
    expect(began).to.deep.equal(['refused', 'log away', 'later']);
  });

  it('runs what comes after a shared failure, though others still have to be told of it', async () => {
    const queue = makeCommandQueue(100, () => true);
    const failing = queue('business-1', () => Promise.resolve(E.left('log away')));
    const waiting = Array.from({ length: 20 }, () => queue('business-1', aTask('waiting', []).task));
    await soon(failing);
    expect(await soon(queue('business-1', () => Promise.resolve(E.right('later'))))).to.deep.equal(E.right('later'));
    expect(await soon(Promise.all(waiting))).to.deep.equal(waiting.map(() => E.left('log away')));
  });

  it('by default has each command meet its own failure', async () => {
    const queue = makeCommandQueue(10);
    const outcomes = ['first', 'second'].map((failure) => queue('business-1', () => Promise.resolve(E.left(failure))));
    expect(await soon(Promise.all(outcomes))).to.deep.equal([E.left('first'), E.left('second')]);
  });

  it('has a command wait for those before it, also when one of these has ended', async () => {
    const queue = makeCommandQueue(10);
    const began: Array<string> = [];
    const [a, b, c] = [aTask('a', began), aTask('b', began), aTask('c', began)];
    const first = queue('business-1', a.task);
    const second = queue('business-1', b.task);
    a.end();
    await soon(first);
    const third = queue('business-1', c.task);
    await turn();
    expect(began).to.deep.equal(['a', 'b']);
    b.end();
    c.end();
    expect(await soon(Promise.all([second, third]))).to.deep.equal([E.right('b'), E.right('c')]);
  });

  it('goes on after a command that broke', async () => {
    const queue = makeCommandQueue(10);
    const began: Array<string> = [];
    const [a, b] = [aTask('a', began), aTask('b', began)];
    const broken = queue('business-1', a.task).then(undefined, (cause: unknown) => cause);
    const next = queue('business-1', b.task);
    a.fail();
    b.end();
    expect(await soon(broken)).to.be.instanceOf(Error);
    expect(await soon(next)).to.deep.equal(E.right('b'));
  });

  it('remembers nothing of a stream whose commands are done', async () => {
    const queue = makeCommandQueue(10);
    const run = (stream: number) => queue(`business-${stream}`, () => Promise.resolve(E.right(stream)));
    await run(0);
    const taken = await heapTakenBy(async () => {
      for (let stream = 1; stream <= 20_000; stream += 1) await run(stream);
    });
    // a hundredth of this is usual, and five times as much where each stream leaves something behind
    expect(taken).to.be.lessThan(1_000_000);
    expect(await soon(run(0)), 'the queue is still in use').to.deep.equal(E.right(0));
  });
});
