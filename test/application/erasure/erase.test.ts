import { expect } from 'chai';
import { either as E } from 'fp-ts';
import {
  endErasure,
  erase,
  type ErasePorts,
  finishErasures,
  RecordIsHeld,
} from '../../../src/application/erasure/erase.js';
import { eventsToErase, findErased, findEvents } from '../../../src/application/erasure/find-events.js';
import { readErasures } from '../../../src/application/erasure/read-erasures.js';
import { encryptedStore } from '../../../src/event-sourcing/encryption/encrypted-store.js';
import { recordErasureDecision } from '../../../src/event-sourcing/erasure/erasure-decisions.js';
import { isErased } from '../../../src/event-sourcing/hash-chain.js';
import { categoryOf, type StoredEvent, type StreamName } from '../../../src/event-sourcing/recorded-event.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';
import { collect } from '../../contract/event-store/store-under-test.js';
import { aBusinessCreated, anOwnerAdded } from '../../support/business-events.js';
import { aDocumentCreated } from '../../support/document-events.js';
import { makeEncryption } from '../../support/encrypted.js';
import { givenStream } from '../../support/given-stream.js';
import { makeInMemoryEventStore } from '../../support/in-memory-event-store.js';

const [ACME, OTHER, DEED] = ['business-b1', 'business-b2', 'document-d1'] as const;
const BY = { actor: 'dpo', basis: 'ticket 1' };

class Killed extends Error {}

/** A log with two businesses of which bob owns a part, and a document; `survives`: how many calls of ports there are. */
const arrange = async () => {
  const encryption = makeEncryption();
  const store = encryptedStore(makeInMemoryEventStore(), encryption);
  for (const stream of [ACME, OTHER])
    await givenStream(
      store,
      stream,
      [aBusinessCreated()],
      [anOwnerAdded({ user: 'bob' })],
      [anOwnerAdded({ user: 'ann' })],
    );
  await givenStream(store, DEED, [aDocumentCreated()]);
  const removed: Array<string> = [];
  /** By category, the newest. */
  const reached = new Map<string, StoredEvent>();
  /** What is done to the rows, in order. */
  const toRows: Array<string> = [];
  const ports = (survives = Infinity, whyNot?: string): ErasePorts => {
    let left = survives;
    const alive =
      <A extends ReadonlyArray<unknown>, B>(call: (...args: A) => Promise<B>) =>
      async (...args: A): Promise<B> => {
        if (left === 0) throw new Killed();
        left -= 1;
        return call(...args);
      };
    return {
      runtime: systemRuntime,
      store: { readStream: store.readStream, append: alive(store.append) },
      keys: [],
      destroy: alive((places) => {
        encryption.tree = encryption.tree.without(places);
        return Promise.resolve();
      }),
      files: {
        removeForGood: alive((folder: string) => {
          removed.push(folder);
          return Promise.resolve(E.right([]));
        }),
      },
      rows: {
        reach: alive((event: StoredEvent) => {
          toRows.push(`reach ${event.stream} ${event.revision}`);
          const category = categoryOf(event.stream);
          if (event.position > (reached.get(category)?.position ?? -1n)) reached.set(category, event);
          return Promise.resolve(whyNot);
        }),
        rewrite: alive((rows: ReadonlyArray<StoredEvent>) => {
          for (const { stream, revision } of rows) toRows.push(`rewrite ${stream} ${revision}`);
          return Promise.resolve();
        }),
        forget: alive(() => Promise.resolve()),
        look: alive(() => Promise.resolve([])),
      },
      onStep: () => undefined,
    };
  };
  const events = (stream: StreamName): Promise<ReadonlyArray<StoredEvent>> =>
    collect(store.readStream(stream, { direction: 'forwards' }));
  return { encryption, store, ports, events, removed, reached, toRows };
};

const shapeOf = (events: ReadonlyArray<StoredEvent>): ReadonlyArray<string> =>
  events.map((event) => (isErased(event) ? 'gone' : event.type));

describe('erasing', () => {
  it('goes on after a crash at any step, and ends as if there had been none', async () => {
    const subject = { kind: 'owner', user: 'bob' } as const;
    const document = { kind: 'document', id: 'd1' } as const;
    let crashes = 0;
    for (let survives = 0; ; survives += 1) {
      const { store, ports, events, removed, reached } = await arrange();
      const records = [...(await findEvents(store, subject)), ...(await findEvents(store, document))];
      const killed = await erase(ports(survives), records, BY).then(
        () => false,
        (error: unknown) => error instanceof Killed,
      );
      if (killed) {
        crashes += 1;
        // nothing is gone that the log does not name
        const begun = [];
        for await (const erasure of readErasures(store, [])) begun.push(...erasure.records);
        const isGone = (await Promise.all([ACME, OTHER, DEED].map(events))).flat().some(isErased);
        expect(isGone && begun.length === 0).to.equal(false);
        expect((await finishErasures(ports())).left).to.deep.equal([]);
        if (begun.length === 0) await erase(ports(), records, BY);
      }
      for (const stream of [ACME, OTHER])
        expect(shapeOf(await events(stream)), `after ${survives} calls`).to.deep.equal([
          ...['BusinessCreated', 'gone', 'BusinessOwnerAdded', 'BusinessErased'],
        ]);
      expect(shapeOf(await events(DEED))).to.deep.equal(['gone', 'DocumentErased']);
      expect(removed).to.include('documents/d1');
      for (const stream of [OTHER, DEED])
        expect(reached.get(categoryOf(stream)), `after ${survives} calls`).to.deep.equal((await events(stream)).at(-1));
      const all = [];
      for await (const { unfinished } of readErasures(store, [])) all.push(unfinished);
      expect(all).to.deep.equal([[]]);
      if (!killed) break;
    }
    expect(crashes).to.be.greaterThan(10);
  });

  it('reaches the whole of a record of which an owner was erased before, but for what says so', async () => {
    const { store, ports, events } = await arrange();
    await erase(ports(), await findEvents(store, { kind: 'owner', user: 'bob' }), BY);
    const found = await findEvents(store, { kind: 'business', id: 'b1' });
    expect(found).to.deep.equal([{ stream: ACME, events: 'all' }]);
    const reached = [];
    for await (const batch of eventsToErase(store, { stream: ACME, events: 'all' })) reached.push(...batch);
    expect(reached.map(({ revision }) => revision)).to.deep.equal([0n, 1n, 2n]);
    expect(await erase(ports(), found, BY)).to.deep.equal([]);
    expect(shapeOf(await events(ACME))).to.deep.equal(['gone', 'gone', 'gone', 'BusinessErased', 'BusinessErased']);
    expect(await findEvents(store, { kind: 'business', id: 'b1' })).to.deep.equal([]);
  });

  it('makes no row anew before all that were written with the data are there, and goes on when they are', async () => {
    const { store, ports, events, toRows } = await arrange();
    const records = await findEvents(store, { kind: 'owner', user: 'bob' });
    const why = 'nobody writes them';
    expect(await erase(ports(Infinity, why), records, BY)).to.deep.equal([{ where: 'rows', what: OTHER, why }]);
    expect(toRows.splice(0)).to.deep.equal([`reach ${OTHER} 1`]);
    expect(shapeOf(await events(OTHER))).to.deep.equal(['BusinessCreated', 'gone', 'BusinessOwnerAdded']);
    expect((await finishErasures(ports())).left).to.deep.equal([]);
    expect(toRows).to.deep.equal([
      ...[`reach ${OTHER} 1`, `rewrite ${ACME} 1`, `rewrite ${OTHER} 1`],
      // that of the record itself is made by what says that it is erased
      ...[`reach ${ACME} 3`, `reach ${OTHER} 3`],
    ]);
    expect(shapeOf(await events(OTHER)).at(-1)).to.equal('BusinessErased');
  });

  it('destroys once more what can be read again, and leaves the log as it is', async () => {
    const { encryption, store, ports, events, toRows } = await arrange();
    const { tree } = encryption;
    await erase(ports(), await findEvents(store, { kind: 'document', id: 'd1' }), BY);
    const erased = await findErased(store, DEED);
    encryption.tree = tree;
    expect(shapeOf(await events(DEED))).to.deep.equal(['DocumentCreated', 'DocumentErased']);
    toRows.splice(0);
    expect(await endErasure(ports(), erased)).to.deep.equal([]);
    expect(shapeOf(await events(DEED))).to.deep.equal(['gone', 'DocumentErased']);
    expect(toRows).to.deep.equal([`reach ${DEED} 0`, `rewrite ${DEED} 0`, `reach ${DEED} 1`]);
  });

  it('refuses a record that is held, and changes nothing', async () => {
    const { store, ports, events } = await arrange();
    const event = { type: 'RecordHeld', data: { entityType: 'Business', entity: 'b1', reason: 'a claim' } } as const;
    await recordErasureDecision(systemRuntime, store, { event, actor: 'ann' }, () => false, []);
    const refused = await erase(ports(), [{ stream: ACME, events: 'all' }], BY).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(refused).to.be.instanceOf(RecordIsHeld);
    expect(String(refused)).to.match(/business\/b1 is held by ann since .*: a claim/);
    expect(shapeOf(await events(ACME))).to.deep.equal(['BusinessCreated', 'BusinessOwnerAdded', 'BusinessOwnerAdded']);
  });
});
