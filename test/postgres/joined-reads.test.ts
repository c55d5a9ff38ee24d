import { expect } from 'chai';
import { makeJoinedReads } from '../../src/postgres/joined-reads.js';

describe('joined reads', () => {
  const arrange = () => {
    const ask = makeJoinedReads<number>();
    const begun: Array<{ readonly key: string; readonly end: (failed?: Error) => void }> = [];
    const read = (key: string): Promise<number> =>
      ask(
        key,
        () =>
          new Promise((resolve, reject) => {
            const number = begun.length + 1;
            const end = (failed?: Error): void => (failed === undefined ? resolve(number) : reject(failed));
            begun.push({ key, end });
          }),
      );
    return { read, begun };
  };

  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('are begun once for all who wait, and never joined once they are begun', async () => {
    const { read, begun } = arrange();
    const first = read('a');
    const waiting = [read('a'), read('a'), read('a')];
    await turn();
    expect(begun).to.have.length(1);
    begun[0]!.end();
    expect(await first).to.equal(1);
    await turn();
    expect(begun).to.have.length(2);
    const later = read('a');
    begun[1]!.end();
    expect(await Promise.all(waiting)).to.deep.equal([2, 2, 2]);
    await turn();
    begun[2]!.end();
    expect(await later).to.equal(3);
  });

  it('are begun as the newest of those who wait would, who has the most time', async () => {
    const ask = makeJoinedReads<string>();
    let end = (): void => undefined;
    const first = ask('a', () => new Promise((resolve) => (end = () => resolve('first'))));
    const waiting = ['second', 'third', 'fourth'].map((name) => ask('a', () => Promise.resolve(name)));
    end();
    expect(await Promise.all([first, ...waiting])).to.deep.equal(['first', 'fourth', 'fourth', 'fourth']);
  });

  it('do not wait for those of other keys', async () => {
    const { read, begun } = arrange();
    const both = [read('a'), read('b')];
    expect(begun.map(({ key }) => key)).to.deep.equal(['a', 'b']);
    for (const { end } of begun) end();
    expect(await Promise.all(both)).to.deep.equal([1, 2]);
  });

  it('fail for all who share them, and the next one is begun all the same', async () => {
    const { read, begun } = arrange();
    const first = read('a').catch((error: unknown) => error);
    const waiting = [read('a'), read('a')].map((each) => each.catch((error: unknown) => error));
    const failure = new Error('away');
    begun[0]!.end(failure);
    expect(await first).to.equal(failure);
    await turn();
    begun[1]!.end(failure);
    expect(await Promise.all(waiting)).to.deep.equal([failure, failure]);
    const again = read('a');
    begun[2]!.end();
    expect(await again).to.equal(3);
  });
});
