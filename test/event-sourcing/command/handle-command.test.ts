import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { macStatusOf } from '../../../src/event-sourcing/event-mac.js';
import { type EventStore, StoreUnavailable } from '../../../src/event-sourcing/event-store.js';
import type { ExpectedRevision, StreamName } from '../../../src/event-sourcing/recorded-event.js';
import { makeInMemoryEventStore } from '../../support/in-memory-event-store.js';
import { anEvent, appended } from '../../contract/event-store/store-under-test.js';
import { oneKey } from '../../support/event-keys.js';
import { aNotebook, aProcess, chainOf, close, handled, notesOf, open, take } from '../../support/command-handler.js';
import { makeManualClock } from '../../support/manual-clock.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';

/** Enough turns of the event loop for all that waits for nothing but memory. */
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

const DAY_MS = 86_400_000;

type Tagged = E.Either<{ readonly _tag: string }, unknown>;

const soFar = (outcomes: ReadonlyArray<Promise<Tagged>>): Promise<ReadonlyArray<string>> => {
  const waits = turns().then(() => 'waits');
  const tagOf = (outcome: Tagged): string => (E.isLeft(outcome) ? outcome.left._tag : outcome._tag);
  return Promise.all(outcomes.map((outcome) => Promise.race([outcome.then(tagOf), waits])));
};

describe('handling a command', () => {
  let store: EventStore;
  let stream: StreamName;
  let handle: ReturnType<typeof aProcess>;

  beforeEach(() => {
    store = makeInMemoryEventStore();
    stream = aNotebook();
    handle = aProcess(store, { runtime: { ...systemRuntime, clock: makeManualClock() } });
  });

  it('appends what was decided and answers with the state before and after it', async () => {
    await handle(stream, open);
    const at = '2026-01-02T03:04:05.678Z';
    expect(await handle(stream, take('a', 'b'))).to.deep.equal(
      E.right({
        before: { isOpen: true, notes: [], lastAt: at },
        after: { isOpen: true, notes: ['a', 'b'], lastAt: at },
        events: [
          { type: 'NoteTaken', data: { text: 'a' } },
          { type: 'NoteTaken', data: { text: 'b' } },
        ],
        revision: 2n,
        position: 3n,
        createdAt: at,
        lastAt: at,
        replayed: false,
      }),
    );
    expect(await notesOf(store, stream)).to.deep.equal(['a', 'b']);
  });

  it('seals every event under the event key, where there is one', async () => {
    await handled(handle(stream, open));
    await handled(aProcess(store, { eventKey: oneKey })(stream, take('a', 'b')));
    const macs = (await chainOf(store, stream)).map((event) => macStatusOf([oneKey], event));
    expect(macs).to.deep.equal(['None', 'Fits', 'Fits']);
  });

  it('stores the reason with the data of every event, and answers with the events as they were decided', async () => {
    await handle(stream, open);
    const envelope = {
      commandId: '01890000-0000-7000-8000-0000000000ff',
      actor: 'bob',
      correlationId: 'request-7',
      request: 'null',
      reason: 'as told',
    };
    const { events, after } = await handled(handle(stream, take('a', 'b'), { envelope }));
    expect(events.map(({ data }) => data)).to.deep.equal([{ text: 'a' }, { text: 'b' }]);
    expect((await chainOf(store, stream)).map(({ data }) => data)).to.deep.equal([
      '{}',
      '{"$reason":"as told","text":"a"}',
      '{"$reason":"as told","text":"b"}',
    ]);
    // folded from the log by another process
    expect((await handled(aProcess(store)(stream, take('c')))).before).to.deep.equal(after);
  });

  it('puts who, when and why into the envelope of every event', async () => {
    const { position } = await handled(
      handle(stream, open, {
        envelope: {
          commandId: '01890000-0000-7000-8000-0000000000ff',
          actor: 'bob',
          correlationId: 'request-7',
          traceparent: '00-1-2-01',
          request: '{}',
        },
      }),
    );
    const [stored] = await chainOf(store, stream);
    const metadata = JSON.parse(stored!.metadata) as Record<string, unknown>; // reason: the envelope is an object
    expect({ ...stored, data: undefined, metadata: undefined }).to.deep.equal({
      id: '01890000-0000-7000-8000-000000000000',
      type: 'NotebookOpened',
      stream,
      revision: 0n,
      position,
      data: undefined,
      metadata: undefined,
    });
    const { salt: _salt, fingerprint: _fingerprint, dataHash: _dataHash, hash: _hash, ...plain } = metadata;
    expect(plain).to.deep.equal({
      schemaVersion: 1,
      at: '2026-01-02T03:04:05.678Z',
      actor: 'bob',
      $correlationId: 'request-7',
      $causationId: '01890000-0000-7000-8000-0000000000ff',
      traceparent: '00-1-2-01',
      previousHash: '0'.repeat(64),
    });
  });

  it('appends nothing for a command that asks for what already is', async () => {
    await handle(stream, open);
    await handle(stream, take('a'));
    const outcome = await handled(handle(stream, take('a')));
    expect([outcome.events, outcome.revision, outcome.position, outcome.replayed]).to.deep.equal([[], 1n, 2n, false]);
    expect(await chainOf(store, stream)).to.have.length(2);
  });

  it('gives the rejection of the rules', async () => {
    expect(await handle(stream, take('a'))).to.deep.equal(E.left({ _tag: 'NotOpen' }));
    await handle(stream, open);
    expect(await handle(stream, open)).to.deep.equal(E.left({ _tag: 'AlreadyOpen' }));
  });

  it('never lets time go back within a stream', async () => {
    const [first, third] = ['2026-01-02T00:00:00.000Z', '2026-01-03T00:00:00.000Z'];
    const clock = makeManualClock(new Date(first));
    const ticking = aProcess(store, { runtime: { ...systemRuntime, clock } });
    await ticking(stream, open);
    clock.setBy(-DAY_MS);
    await ticking(stream, take('a'));
    clock.setBy(2 * DAY_MS);
    const { after } = await handled(ticking(stream, take('b')));
    const stamps = (await chainOf(store, stream)).map(
      // reason: written by the kernel
      ({ metadata }) => (JSON.parse(metadata) as { readonly at: string }).at,
    );
    expect(stamps).to.deep.equal([first, first, third]);
    expect(after.lastAt).to.equal(third);
  });

  describe('with a precondition', () => {
    const at =
      (...allowed: ReadonlyArray<ExpectedRevision>) =>
      (current: ExpectedRevision) =>
        allowed.includes(current);

    it('runs at the revision it names', async () => {
      await handle(stream, open, { precondition: at('no-stream') });
      const outcome = await handled(handle(stream, take('a'), { precondition: at(0n) }));
      expect(outcome.revision).to.equal(1n);
    });

    it('fails at any other, naming the current one', async () => {
      await handle(stream, open);
      expect(await handle(stream, take('a'), { precondition: at(7n) })).to.deep.equal(
        E.left({ _tag: 'PreconditionFailed', current: 0n }),
      );
    });

    it('comes after absence and before every other rejection, and before doing nothing', async () => {
      expect(await handle(stream, take('a'), { precondition: at(7n) })).to.deep.equal(E.left({ _tag: 'NotOpen' }));
      await handle(stream, open);
      const failed = E.left({ _tag: 'PreconditionFailed', current: 0n });
      expect(await handle(stream, open, { precondition: at(7n) })).to.deep.equal(failed);
      expect(await handle(stream, close, { precondition: at(7n) })).to.deep.equal(failed);
      expect(await handle(stream, take(), { precondition: at(7n) })).to.deep.equal(failed);
    });

    it('is compared with the newest revision, not with a remembered one', async () => {
      const other = aProcess(store);
      await handle(stream, open);
      await other(stream, take('a'));
      expect(await handle(stream, take('b'), { precondition: at(0n) })).to.deep.equal(
        E.left({ _tag: 'PreconditionFailed', current: 1n }),
      );
      expect((await handled(handle(stream, take('b'), { precondition: at(1n) }))).revision).to.equal(2n);
    });
  });

  describe('beside other processes', () => {
    it('decides again on what they appended, and loses no command', async () => {
      const processes = [handle, aProcess(store), aProcess(store)];
      await handle(stream, open);
      await Promise.all(
        processes.flatMap((process, index) =>
          Array.from({ length: 20 }, (_, count) => handled(process(stream, take(`${index}.${count}`)))),
        ),
      );
      expect(new Set(await notesOf(store, stream)).size).to.equal(60);
    });

    it('refuses and does nothing only after it has read what they appended', async () => {
      const other = aProcess(store);
      await handle(stream, open);
      await handle(stream, take('a'));
      await other(stream, close);
      expect(await handle(stream, take('a'))).to.deep.equal(E.left({ _tag: 'NotOpen' }));
      await other(stream, open);
      expect((await handled(handle(stream, take('a')))).revision).to.equal(3n);
    });

    /** A store in which somebody else always appends first, and how often it was tried. */
    const contended = () => {
      let attempts = 0;
      const append: EventStore['append'] = async (name, expected, events) => {
        attempts += 1;
        const theirs = anEvent({ type: 'NoteTaken', data: '{"text":"x"}', metadata: JSON.stringify(anEnvelope) });
        await appended(store, name, expected, theirs);
        return store.append(name, expected, events);
      };
      return { racing: { ...store, append }, attempts: () => attempts };
    };

    it('gives up after its attempts with StreamContended', async () => {
      const { racing, attempts } = contended();
      await handle(stream, open);
      const outcome = await aProcess(racing, { attempts: 3, maxPause: 1 })(stream, take('a'));
      expect(outcome).to.deep.equal(E.left({ _tag: 'StreamContended', stream }));
      expect(attempts()).to.equal(3);
      expect(await store.head()).to.deep.equal(E.right(4n));
    });

    it('pauses between attempts, by default 100 ms at most and 30 times in all', async () => {
      const { racing, attempts } = contended();
      await handle(stream, open);
      const clock = makeManualClock();
      const random = { ...systemRuntime.random, fraction: () => 0.5 };
      const outcome = aProcess(racing, { runtime: { clock, random } })(stream, take('a'));
      const seen: Array<readonly [number, number]> = [];
      const bounds = [2, 4, 8, 16, 32, 64, ...Array.from({ length: 21 }, () => 100)];
      for (const bound of bounds) {
        await clock.advance(bound / 2 - 0.25);
        const before = attempts();
        await clock.advance(0.25);
        seen.push([before, attempts()]);
      }
      expect(seen).to.deep.equal(bounds.map((_, pauses) => [pauses + 3, pauses + 4]));
      expect(await outcome).to.deep.equal(E.left({ _tag: 'StreamContended', stream }));
      expect(attempts()).to.equal(30);
    });
  });

  it('refuses more commands on one stream than may wait, and those alone', async () => {
    const narrow = aProcess(store, { queue: 2 });
    await narrow(stream, open);
    const outcomes = await Promise.all([
      narrow(stream, take('a')),
      narrow(stream, take('b')),
      narrow(stream, take('c')),
      narrow(aNotebook(), open),
    ]);
    expect(outcomes.map((outcome) => (E.isLeft(outcome) ? outcome.left : outcome.right.revision))).to.deep.equal([
      1n,
      2n,
      { _tag: 'StreamContended', stream },
      0n,
    ]);
  });

  it('asks a log that is away once for all commands of a stream that wait', async () => {
    let appends = 0;
    const process = aProcess({
      ...store,
      append: () => {
        appends += 1;
        return Promise.resolve(E.left(new StoreUnavailable('away')));
      },
    });
    const outcomes = await Promise.all(['a', 'b', 'c'].map(() => process(stream, open)));
    expect(outcomes.map((outcome) => E.isLeft(outcome) && outcome.left._tag)).to.deep.equal([
      'StoreUnavailable',
      'StoreUnavailable',
      'StoreUnavailable',
    ]);
    expect(appends).to.equal(1);
  });

  it('by default lets 1,000 commands of a stream wait', async () => {
    const stuck = aProcess({ ...store, append: () => new Promise(() => undefined) });
    const outcomes = Array.from({ length: 1_001 }, () => stuck(stream, open));
    expect(await soFar(outcomes.slice(-2))).to.deep.equal(['waits', 'StreamContended']);
  });

  it('by default lets 100 repeats of commands of a stream wait to be answered', async () => {
    let isHeld = false;
    const process = aProcess({
      ...store,
      async *readStream(name, range) {
        if (isHeld && range.limit !== undefined) await new Promise(() => undefined);
        yield* store.readStream(name, range);
      },
    });
    await handled(process(stream, open, { key: 'k1' }));
    isHeld = true;
    const outcomes = Array.from({ length: 101 }, () => process(stream, open, { key: 'k1' }));
    expect(await soFar(outcomes.slice(-2))).to.deep.equal(['waits', 'StreamContended']);
  });

  it('by default remembers the last 2,500 streams, and 5,000 at most', async () => {
    const read: Array<StreamName> = [];
    const process = aProcess({
      ...store,
      readStream: (name, range) => {
        read.push(name);
        return store.readStream(name, range);
      },
    });
    const streams = Array.from({ length: 5_001 }, () => aNotebook());
    for (const each of streams) await process(each, open);
    read.length = 0;
    for (const each of [streams[5_000]!, streams[2_501]!, streams[0]!]) await process(each, take('a'));
    expect(read).to.deep.equal([streams[0]]);
  });

  it('remembers fewer streams where they are large', async () => {
    const read: Array<StreamName> = [];
    const process = aProcess({
      ...store,
      readStream: (name, range) => {
        read.push(name);
        return store.readStream(name, range);
      },
    });
    const streams = Array.from({ length: 40 }, () => aNotebook());
    for (const each of streams) {
      await process(each, open);
      await process(each, take('x'.repeat(400_000)));
    }
    read.length = 0;
    for (const each of [streams[39]!, streams[0]!]) await process(each, take('a'));
    expect(read).to.deep.equal([streams[0]]);
  });

  it('reports an event that it cannot read, and appends nothing after it', async () => {
    await appended(store, stream, 'no-stream', anEvent({ type: 'Unheard' }));
    const outcome = await handle(stream, open);
    expect(E.isLeft(outcome) && outcome.left._tag).to.equal('UndecodableEvent');
  });
});

const anEnvelope = {
  schemaVersion: 1,
  at: '2026-01-02T03:04:05.678Z',
  actor: 'eve',
  $correlationId: 'request-2',
  $causationId: '01890000-0000-7000-8000-000000000000',
  fingerprint: '',
  dataHash: '',
  previousHash: '',
  hash: '',
};
