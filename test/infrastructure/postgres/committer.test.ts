import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { SILENCE_MS } from '../../../src/event-sourcing/answer-deadline.js';
import type { PendingAppend } from '../../../src/infrastructure/postgres/event-log/append-queue.js';
import { makeCommitFeed } from '../../../src/infrastructure/postgres/event-log/commit-feed.js';
import { makeCommitter } from '../../../src/infrastructure/postgres/event-log/committer.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';
import { anEvent, aStream } from '../../contract/event-store/store-under-test.js';
import { makeManualClock } from '../../support/manual-clock.js';

/** Appends to a server that takes no connection, each with the time at which it was answered. */
const arrange = () => {
  const clock = makeManualClock();
  const opened: Array<number> = [];
  const open = async (ms = 0): Promise<never> => {
    opened.push(ms);
    await clock.sleep(ms);
    throw new Error('no connection in time');
  };
  const connection = { open, current: () => undefined, drop: () => undefined, close: () => Promise.resolve() };
  const commit = makeCommitter({
    runtime: { ...systemRuntime, clock },
    connection,
    feed: makeCommitFeed(clock),
    notifier: null,
    onConnectionEvent: () => undefined,
  });
  const answers: Array<readonly [string, string, number]> = [];
  const appendOf = (name: string, until: number): PendingAppend => ({
    stream: aStream(),
    expected: 'no-stream',
    events: [anEvent()],
    bytes: 1,
    since: clock.monotonic(),
    until,
    answer: (outcome) => void answers.push([name, E.isLeft(outcome) ? outcome.left._tag : 'stored', clock.monotonic()]),
  });
  return { clock, opened, commit, answers, appendOf };
};

describe('committing appends that are due', () => {
  it('answers each by then, and goes on with those that have more time', async () => {
    const { clock, commit, answers, appendOf } = arrange();
    const committing = commit([appendOf('due', 900), appendOf('not due', Infinity)]);
    await clock.advance(900);
    expect(answers.map(([name, tag]) => [name, tag])).to.deep.equal([['due', 'StoreUnavailable']]);
    await clock.advance(SILENCE_MS);
    await committing;
    const [, last] = answers;
    expect(last?.slice(0, 2)).to.deep.equal(['not due', 'StoreUnavailable']);
    expect(last?.[2]).to.be.within(SILENCE_MS, SILENCE_MS + 400);
  });

  it('sends nothing that has too little time left for an answer', async () => {
    const { commit, answers, opened, appendOf } = arrange();
    await commit([appendOf('due', 150), appendOf('over', -1)]);
    expect([answers, opened]).to.deep.equal([
      [
        ['due', 'StoreUnavailable', 0],
        ['over', 'StoreUnavailable', 0],
      ],
      [],
    ]);
  });
});
