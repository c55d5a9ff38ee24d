import { expect } from 'chai';
import { either as E } from 'fp-ts';
import {
  type Appended,
  type AppendFailure,
  type EventStore,
  StoreUnavailable,
} from '../../src/event-sourcing/event-store.js';
import { SILENCE_MS } from '../../src/event-sourcing/answer-deadline.js';
import { makeLogMemory } from '../../src/event-sourcing/log-memory.js';
import type { StoredEvent } from '../../src/event-sourcing/recorded-event.js';
import { anEvent, appended, aStream } from '../contract/event-store/store-under-test.js';
import { aNotebook, aProcess, chainOf, handled, notesOf, open, take } from '../support/command-handler.js';
import { makeNews } from '../support/news.js';
import { restorable } from '../support/restorable-log.js';
import { makeManualClock } from '../support/manual-clock.js';

const OUTAGE = { kind: 'connection-lost', connection: 'writer', cause: undefined } as const;

/** A log that can be put back, and what a process remembers of it; `isSilent`: it does not tell a repeat from a first append. */
const arrange = ({ isSilent = false } = {}) => {
  const { store: log, restore } = restorable();
  let isAway = false;
  let answering: Promise<void> = Promise.resolve();
  let sent = 0;
  const store: EventStore = {
    ...log,
    append: async (stream, expected, events, _until, mayAppend) => {
      const may = await mayAppend?.();
      if (may !== undefined && E.isLeft(may)) return may;
      sent += 1;
      return E.map((outcome: Appended) => (isSilent ? { ...outcome, confirmedNew: false } : outcome))(
        await log.append(stream, expected, events),
      );
    },
    reaches: async (checkpoint) => {
      await answering;
      return isAway ? E.left(new StoreUnavailable('away')) : log.reaches(checkpoint);
    },
  };
  let losses = 0;
  const news = makeNews();
  const clock = makeManualClock();
  const onEventsLost = (): void => {
    losses += 1;
    news.tell();
  };
  const memory = makeLogMemory({ clock, store, onEventsLost });
  const all = async (): Promise<ReadonlyArray<StoredEvent>> => {
    const events: Array<StoredEvent> = [];
    for await (const batch of log.readAll({ after: 'start' })) events.push(...batch.events);
    return events;
  };
  return {
    log,
    clock,
    memory,
    /** Keeps the first events, and forgets the others. */
    putBack: async (count: number) => restore((await all()).slice(0, count)),
    setAway: (is: boolean) => void (isAway = is),
    /** It answers no comparison until what this gives is called. */
    setSilent: (): (() => void) => {
      let answer = (): void => undefined;
      answering = new Promise((resolve) => (answer = resolve));
      return answer;
    },
    losses: () => losses,
    /** Resolves when a loss has been noticed. */
    lost: () => news.until(() => losses > 0),
    sent: () => sent,
    append: (stream = aStream(), event = anEvent(), until?: number): Promise<E.Either<AppendFailure, Appended>> =>
      memory.store.append(stream, 'no-stream', [event], until),
  };
};

const isUnavailable = (outcome: E.Either<AppendFailure, Appended>): boolean =>
  E.isLeft(outcome) && outcome.left._tag === 'StoreUnavailable';

describe('what a process remembers of the log', () => {
  let arranged: ReturnType<typeof arrange>;
  afterEach(() => arranged.memory.stop());

  for (const isSilent of [false, true])
    describe(
      isSilent ? 'where the store cannot tell repeated appends' : 'where the store tells repeated appends',
      () => {
        beforeEach(() => {
          arranged = arrange({ isSilent });
        });

        it('shows by the position of a new event that events were lost, and then holds nothing any more', async () => {
          const { append, putBack, losses } = arranged;
          for (let count = 0; count < 3; count += 1) await append();
          await putBack(1);
          expect([isUnavailable(await append()), losses()]).to.deep.equal([true, 1]);
          expect([E.isRight(await append()), losses()]).to.deep.equal([true, 1]);
        });

        it('says nothing of an append that is repeated, which has its old position', async () => {
          const { append, losses } = arranged;
          const [stream, event] = [aStream(), anEvent()];
          const first = await append(stream, event);
          await append();
          // a command that is repeated seals its events with other salts
          const again = await append(stream, { ...event, metadata: '{"salt":"another"}' });
          expect(E.isRight(again) && E.isRight(first) && again.right.position).to.equal(
            E.isRight(first) && first.right.position,
          );
          expect(losses()).to.equal(0);
        });
      },
    );

  it('counts positions of which other processes have told', async () => {
    arranged = arrange();
    arranged.memory.note(5n);
    expect([isUnavailable(await arranged.append()), arranged.losses()]).to.deep.equal([true, 1]);
  });

  it('is compared after a loss of the connection before anything is appended, also where the log has grown since', async () => {
    arranged = arrange();
    const { append, putBack, log, memory, losses, sent } = arranged;
    for (let count = 0; count < 3; count += 1) await append();
    await putBack(1);
    for (let count = 0; count < 5; count += 1) await appended(log, aStream(), 'no-stream', anEvent());
    memory.onConnectionEvent(OUTAGE);
    expect([isUnavailable(await append()), losses(), sent()]).to.deep.equal([true, 1, 3]);
    expect(E.isRight(await append())).to.equal(true);
  });

  it('lets nothing be appended until it was compared, and all when the log is whole', async () => {
    arranged = arrange();
    const { append, memory, setAway, losses, sent } = arranged;
    await append();
    setAway(true);
    memory.onConnectionEvent(OUTAGE);
    expect([isUnavailable(await append()), sent()]).to.deep.equal([true, 1]);
    setAway(false);
    expect([E.isRight(await append()), losses()]).to.deep.equal([true, 0]);
  });

  it('fails an append when the log does not answer the comparison, and lets the next one through when it does', async () => {
    arranged = arrange();
    const { append, clock, sent, setSilent, memory } = arranged;
    await append();
    const answer = setSilent();
    memory.onConnectionEvent(OUTAGE);
    let failed: boolean | undefined;
    const appending = append().then((outcome) => (failed = isUnavailable(outcome)));
    await clock.advance(SILENCE_MS - 1);
    expect(failed).to.equal(undefined);
    await clock.advance(1);
    expect([await appending, sent()]).to.deep.equal([true, 1]);
    answer();
    expect([E.isRight(await append()), sent()]).to.deep.equal([true, 2]);
  });

  it('waits for the comparison no longer than an append has time', async () => {
    arranged = arrange();
    const { append, clock, sent, setSilent, memory } = arranged;
    await append();
    const answer = setSilent();
    memory.onConnectionEvent(OUTAGE);
    const appending = append(aStream(), anEvent(), 300).then((outcome) => [isUnavailable(outcome), clock.monotonic()]);
    await clock.advance(SILENCE_MS);
    expect([await appending, sent()]).to.deep.equal([[true, 300], 1]);
    answer();
  });

  it('shows by a head that is below an earlier one that events were lost', async () => {
    arranged = arrange();
    const { append, putBack, memory, losses, lost } = arranged;
    await append();
    await append();
    await memory.store.head();
    await putBack(1);
    await memory.store.head();
    await lost();
    expect(losses()).to.equal(1);
  });

  it('ends subscriptions with what the log has lost, so that they begin anew', async () => {
    arranged = arrange();
    const { append, putBack, memory } = arranged;
    await append();
    await append();
    const leaving = new AbortController();
    const follow = async (): Promise<unknown> => {
      for await (const { checkpoint } of memory.store.subscribe({ after: 'start' }, leaving.signal))
        if (checkpoint.commit === 2n) {
          await putBack(1);
          await append();
        }
      return undefined;
    };
    const ended = await follow().catch((thrown: unknown) => thrown);
    expect(ended).to.be.instanceOf(StoreUnavailable);
  });

  it('is forgotten with the folds of commands: none is based on an event that was lost and replaced', async () => {
    arranged = arrange();
    const { putBack, memory, log, losses, lost } = arranged;
    const handle = aProcess(memory.store, { onLost: memory.onLost });
    const stream = aNotebook();
    await handled(handle(stream, open));
    await handled(handle(stream, take('lost')));
    await putBack(1);
    await handled(aProcess(log)(stream, take('instead')));
    memory.onConnectionEvent(OUTAGE);
    await lost();
    expect(losses()).to.equal(1);
    await handled(handle(stream, take('new')));
    expect(await notesOf(log, stream)).to.deep.equal(['instead', 'new']);
    expect(await chainOf(log, stream)).to.have.length(3);
  });

  it('finds out that the log has lost what a command has folded, also when it has grown beyond that since', async () => {
    arranged = arrange();
    const { log, memory, putBack, lost } = arranged;
    const [one, another, third] = [aProcess(memory.store, { onLost: memory.onLost }), aProcess(log), aProcess(log)];
    const stream = aNotebook();
    await one(stream, open);
    await another(stream, take('lost'));
    await memory.store.head();
    // it reads what the other one has appended, and keeps the fold
    await one(stream, take('lost'));
    await putBack(1);
    await third(stream, take('kept'));
    memory.onConnectionEvent(OUTAGE);
    await lost();
    await one(stream, take('new'));
    expect((await chainOf(log, stream)).length).to.equal(3);
  });
});
