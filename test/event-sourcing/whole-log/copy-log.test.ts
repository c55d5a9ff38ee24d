import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { type EventStore, StoreUnavailable } from '../../../src/event-sourcing/event-store.js';
import { copyLog, type Copying } from '../../../src/event-sourcing/whole-log/copy-log.js';
import type { StreamName } from '../../../src/event-sourcing/recorded-event.js';
import type { LogTarget } from '../../../src/event-sourcing/whole-log/log-target.js';
import { appended } from '../../contract/event-store/store-under-test.js';
import { makeInMemoryEventStore } from '../../support/in-memory-event-store.js';
import {
  appendChained,
  businessStream,
  type Chains,
  interleaved,
  makeChains,
  wholeLog,
  withoutPositions,
} from '../../support/chained-events.js';
import { startDouble } from '../../support/eventstoredb-double/double.js';
import { openStore } from '../../support/eventstoredb-double/open-store.js';
import { makeHeard } from '../../support/news.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';
import { makeManualClock } from '../../support/manual-clock.js';

type Kind = { readonly name: string; readonly open: () => Promise<{ store: LogTarget; close: () => Promise<void> }> };

const memory: Kind = {
  name: 'memory',
  open: () => Promise.resolve({ store: makeInMemoryEventStore(), close: () => Promise.resolve() }),
};

const eventStoreDb: Kind = {
  name: 'EventStoreDB',
  open: async () => {
    const double = await startDouble();
    const { store } = openStore(double.connectionString);
    const close = async (): Promise<void> => {
      await store.close();
      double.close();
    };
    return { store, close };
  },
};

const quietly = (over: Partial<Copying> = {}): Copying => ({
  runtime: systemRuntime,
  follow: false,
  signal: new AbortController().signal,
  onPair: () => undefined,
  onProgress: () => undefined,
  ...over,
});

const identityOf = async (store: EventStore): Promise<string> => {
  const identity = await store.identity();
  if (E.isLeft(identity)) throw identity.left;
  return identity.right;
};

const contentOf = async (store: EventStore) => withoutPositions(await wholeLog(store));

for (const [from, to] of [
  [memory, eventStoreDb],
  [eventStoreDb, memory],
] as const)
  describe(`copying a log from ${from.name} to ${to.name}`, function () {
    this.timeout(90_000);

    let chains: Chains;
    let source: LogTarget;
    let target: LogTarget;
    let close: () => Promise<void>;

    beforeEach(async () => {
      const [one, other] = [await from.open(), await to.open()];
      [source, target] = [one.store, other.store];
      close = async () => {
        await one.close();
        await other.close();
      };
      chains = makeChains();
      await appendChained(source, chains, ...interleaved(12, 50), 'document-d1', 'document-d1');
    });

    afterEach(() => close());

    it('keeps every event with its id, revision, texts and hashes, in order, and the name of the log', async () => {
      const copied = await copyLog(source, target, quietly());
      expect(copied).to.deep.equal(E.right({ events: 602, streams: 13, copied: 602, isLevel: true, isComplete: true }));
      expect(await contentOf(target)).to.deep.equal(await contentOf(source));
      expect(await identityOf(target)).to.equal(await identityOf(source));
    });

    it('reports each event with its position in both logs, once, in order', async () => {
      const pairs: Array<readonly [bigint, bigint]> = [];
      const copying = quietly({ onPair: (one, other) => pairs.push([one.position, other.position]) });
      await copyLog(source, target, copying);
      const [old, now] = [await wholeLog(source), await wholeLog(target)];
      expect(pairs).to.deep.equal(old.map(({ position }, index) => [position, now[index]!.position]));
    });

    it('goes on where an earlier run ended, and copies nothing twice', async () => {
      const interrupted = new AbortController();
      const onProgress: Copying['onProgress'] = (phase) => {
        if (phase === 'copying') interrupted.abort();
      };
      const first = await copyLog(source, target, quietly({ onProgress, signal: interrupted.signal }));
      const begun = (await contentOf(target)).length;
      expect(begun).to.be.within(1, 601);
      expect(E.isRight(first) && first.right.isComplete).to.equal(false);

      await appendChained(source, chains, ...interleaved(3, 1));
      const second = await copyLog(source, target, quietly());
      expect(second).to.deep.equal(
        E.right({ events: 605, streams: 13, copied: 605 - begun, isLevel: true, isComplete: true }),
      );
      expect(await contentOf(target)).to.deep.equal(await contentOf(source));
    });

    it('follows what is appended meanwhile, until it is told to end', async () => {
      const enough = new AbortController();
      const copied = makeHeard<number>();
      const onProgress: Copying['onProgress'] = (phase, events) => {
        if (phase === 'copying') copied.hear(events);
      };
      const copying = copyLog(source, target, quietly({ onProgress, follow: true, signal: enough.signal }));
      await copied.until((all) => all.at(-1) === 602);
      await appendChained(source, chains, ...interleaved(12, 2));
      await copied.until((all) => all.at(-1) === 626);
      enough.abort();
      expect(await copying).to.deep.equal(
        E.right({ events: 626, streams: 13, copied: 626, isLevel: true, isComplete: true }),
      );
      expect(await contentOf(target)).to.deep.equal(await contentOf(source));
    });

    it('refuses a target that holds another log, and leaves it as it is', async () => {
      await appendChained(target, makeChains(), businessStream(0));
      const refused = await copyLog(source, target, quietly());
      expect(refused).to.deep.equal(
        E.left({ _tag: 'OtherLog', source: await identityOf(source), target: await identityOf(target) }),
      );
      expect(await contentOf(target)).to.have.length(1);
    });

    it('refuses a target that has gone its own way since it was copied', async () => {
      await copyLog(source, target, quietly());
      await appendChained(target, chains, businessStream(1));
      const refused = await copyLog(source, target, quietly());
      const [found] = (await wholeLog(target)).slice(-1);
      expect(refused).to.deep.equal(E.left({ _tag: 'LogsDiffer', found, wanted: undefined }));
    });
  });

describe('copying a log', () => {
  it('ends with the first broken link and says where it is', async () => {
    const source = makeInMemoryEventStore();
    const chains = makeChains();
    await appendChained(source, chains, businessStream(0), businessStream(1));
    const { event } = chains(businessStream(0));
    await source.append(businessStream(0), 0n, [{ ...event, type: 'Changed' }]);
    const failed = await copyLog(source, makeInMemoryEventStore(), quietly());
    expect(E.isLeft(failed) && failed.left).to.include({ _tag: 'BrokenLink', reason: 'hash does not match the event' });
  });

  it('waits for a target that is away for a moment', async () => {
    const [source, target] = [makeInMemoryEventStore(), makeInMemoryEventStore()];
    await appendChained(source, makeChains(), ...interleaved(3, 3));
    let away = 1;
    const shaky: LogTarget = {
      ...target,
      appendInOrder: (appends) =>
        away-- > 0 ? Promise.resolve(E.left(new StoreUnavailable('away'))) : target.appendInOrder(appends),
    };
    expect(E.isRight(await copyLog(source, shaky, quietly()))).to.equal(true);
    expect(await contentOf(target)).to.deep.equal(await contentOf(source));
  });

  it('gives up when the target has been away for a minute', async () => {
    const source = makeInMemoryEventStore();
    await appendChained(source, makeChains(), ...interleaved(3, 3));
    const clock = makeManualClock();
    const tries: Array<number> = [];
    const away: LogTarget = {
      ...makeInMemoryEventStore(),
      appendInOrder: () => {
        tries.push(clock.monotonic());
        return Promise.resolve(E.left(new StoreUnavailable('away')));
      },
    };
    let outcome: E.Either<unknown, unknown> | undefined;
    const copying = copyLog(source, away, quietly({ runtime: { ...systemRuntime, clock } })).then((ended) => {
      outcome = ended;
    });
    while (outcome === undefined) await clock.advance(100);
    await copying;
    expect(E.isLeft(outcome) && outcome.left).to.be.instanceOf(StoreUnavailable);
    expect(tries.at(-1)).to.be.within(58_000, 60_000);
  });

  it('does not go on waiting for a target that is away when it is told to end', async () => {
    const [source, target] = [makeInMemoryEventStore(), makeInMemoryEventStore()];
    await appendChained(source, makeChains(), ...interleaved(3, 3));
    const interrupted = new AbortController();
    let tries = 0;
    const away: LogTarget = {
      ...target,
      appendInOrder: (appends) => {
        tries += 1;
        interrupted.abort();
        return tries > 1 ? target.appendInOrder(appends) : Promise.resolve(E.left(new StoreUnavailable('away')));
      },
    };
    const outcome = await copyLog(source, away, quietly({ signal: interrupted.signal }));
    expect([E.isLeft(outcome) && outcome.left._tag, tries]).to.deep.equal(['StoreUnavailable', 1]);
  });

  it('leaves no read of the source open where the target holds less than it', async () => {
    const [source, target] = [makeInMemoryEventStore(), makeInMemoryEventStore()];
    const chains = makeChains();
    await appendChained(source, chains, ...interleaved(3, 3));
    await copyLog(source, target, quietly());
    await appendChained(source, chains, ...interleaved(3, 1));
    let open = 0;
    const watched: EventStore = {
      ...source,
      async *readAll(range) {
        open += 1;
        try {
          yield* source.readAll(range);
        } finally {
          open -= 1;
        }
      },
    };
    const copied = await copyLog(watched, target, quietly());
    expect(E.isRight(copied) && copied.right).to.include({ copied: 3, isLevel: true });
    expect(open).to.equal(0);
  });

  it('is not level when the source has gone on meanwhile, and is when the next run has fetched that', async () => {
    const [source, target] = [makeInMemoryEventStore(), makeInMemoryEventStore()];
    const chains = makeChains();
    await appendChained(source, chains, ...interleaved(3, 3));
    let goesOn = true;
    const busy: EventStore = {
      ...source,
      async *readAll(range) {
        yield* source.readAll(range);
        // behind what was read
        if (goesOn) await appendChained(source, chains, businessStream(0));
      },
    };
    const copied = await copyLog(busy, target, quietly());
    expect(E.isRight(copied) && copied.right).to.include({ events: 9, isLevel: false, isComplete: true });
    goesOn = false;
    const again = await copyLog(busy, target, quietly());
    expect(E.isRight(again) && again.right).to.include({ isLevel: true, isComplete: true });
    expect(await contentOf(target)).to.deep.equal(await contentOf(source));
  });

  it('copies a stream of more bytes than one append may have', async () => {
    const [source, target] = [makeInMemoryEventStore(), makeInMemoryEventStore()];
    const chains = makeChains();
    const large = async (stream: StreamName, bytes: number): Promise<void> => {
      const { event, revision } = chains(stream, { name: 'x'.repeat(bytes) });
      await appended(source, stream, revision === 0n ? 'no-stream' : revision - 1n, event);
    };
    for (let count = 0; count < 5; count += 1) await large('document-d1', 400_000);
    for (let count = 0; count < 2; count += 1) await large('document-d2', 1_000_000);
    const copied = await copyLog(source, target, quietly());
    expect(E.isRight(copied) && copied.right).to.include({ events: 7, isLevel: true, isComplete: true });
    expect(await contentOf(target)).to.deep.equal(await contentOf(source));
  });
});
