import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { randomUUID } from 'node:crypto';
import { newSalt, seal } from '../../../src/event-sourcing/envelope.js';
import { chainStart, extendChain } from '../../../src/event-sourcing/hash-chain.js';
import type { StreamName } from '../../../src/event-sourcing/recorded-event.js';
import { noneSkipped, type SkippedEvents } from '../../../src/event-sourcing/passed-over.js';
import { aNotebook, aProcess, chainOf, close, handled, open, take } from '../../support/command-handler.js';
import { makeInMemoryEventStore } from '../../support/in-memory-event-store.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';

describe('a command on an entity of which an event is skipped', () => {
  let store: ReturnType<typeof makeInMemoryEventStore>;
  let stream: StreamName;
  let skipped: SkippedEvents;
  let run: ReturnType<typeof aProcess>;

  const skip = (id: string): void => {
    skipped = { ids: new Set([id]), streams: new Set([stream]) };
  };

  /** Appends an event of a version to come. */
  const appendUnreadable = async (): Promise<string> => {
    const known = await chainOf(store, stream);
    const end = known.reduce((chain, event) => {
      const extended = extendChain(chain, event);
      return E.isRight(extended) ? extended.right : chain;
    }, chainStart);
    const { hash: _hash, ...event } = seal(
      {
        id: randomUUID(),
        stream,
        revision: end.revision,
        type: 'NoteTorn',
        data: {},
        schemaVersion: 1,
        at: new Date().toISOString(),
        actor: 'alice',
        correlationId: 'request-1',
        causationId: randomUUID(),
        request: 'null',
        previousHash: end.hash,
      },
      newSalt(systemRuntime.random),
    );
    expect(E.isRight(await store.append(stream, end.revision - 1n, [event]))).to.equal(true);
    return event.id;
  };

  beforeEach(() => {
    store = makeInMemoryEventStore();
    stream = aNotebook();
    skipped = noneSkipped;
    run = aProcess(store, { findSkipped: () => skipped });
  });

  it('fails while the event cannot be read, and passes over it from then on', async () => {
    await handled(run(stream, open));
    const unreadable = await appendUnreadable();
    const refused = await aProcess(store)(stream, take('a'));
    expect(E.isLeft(refused) && refused.left._tag).to.equal('UndecodableEvent');
    skip(unreadable);
    const taken = await handled(run(stream, take('a')));
    expect([taken.revision, taken.after.notes]).to.deep.equal([2n, ['a']]);
    expect((await chainOf(store, stream)).map(({ revision }) => revision)).to.deep.equal([0n, 1n, 2n]);
  });

  it('is decided without the event though a fold with it is remembered', async () => {
    await handled(run(stream, open));
    await handled(run(stream, take('a')));
    await handled(run(stream, close));
    expect(E.isLeft(await run(stream, take('b')))).to.equal(true);
    const closed = (await chainOf(store, stream)).at(-1);
    skip(closed?.id ?? '');
    const taken = await handled(run(stream, take('b')));
    expect([taken.revision, taken.after.notes]).to.deep.equal([3n, ['a', 'b']]);
    expect((await handled(run(stream, take('c')))).after.notes).to.deep.equal(['a', 'b', 'c']);
  });
});
