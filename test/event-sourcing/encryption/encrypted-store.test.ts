import { createDecipheriv } from 'node:crypto';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import fc from 'fast-check';
import { canonicalJson } from '../../../src/event-sourcing/canonical-json.js';
import { asErased } from '../../../src/event-sourcing/encryption/at-rest.js';
import { encryptedStore } from '../../../src/event-sourcing/encryption/encrypted-store.js';
import { keyPathOf } from '../../../src/event-sourcing/encryption/encryption.js';
import { recordPath } from '../../../src/event-sourcing/encryption/key-tree.js';
import { GENESIS_HASH, newSalt, seal } from '../../../src/event-sourcing/envelope.js';
import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import { chainStart, extendChain } from '../../../src/event-sourcing/hash-chain.js';
import type { NewEvent, StoredEvent, StreamName } from '../../../src/event-sourcing/recorded-event.js';
import { type StreamPage, storedEventOf } from '../../../src/event-sourcing/stream-page.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';
import { eventStoreContract } from '../../contract/event-store.contract.js';
import { aStream, collect, someEvents } from '../../contract/event-store/store-under-test.js';
import { makeEncryption } from '../../support/encrypted.js';
import { makeInMemoryEventStore } from '../../support/in-memory-event-store.js';

eventStoreContract('in memory, encrypted', () =>
  Promise.resolve({
    store: encryptedStore(makeInMemoryEventStore(), makeEncryption()),
    close: () => Promise.resolve(),
  }),
);

const { random } = systemRuntime;

/** The first events of a stream, as the service seals them. */
const sealedEvents = (
  stream: StreamName,
  facts: ReadonlyArray<Pick<NewEvent, 'type'> & { readonly data: object; readonly actor?: string }>,
): ReadonlyArray<NewEvent> => {
  let previousHash = GENESIS_HASH;
  return facts.map(({ type, data, actor = 'alice' }, at) => {
    const ids = { correlationId: 'c', causationId: 'c', request: 'r', at: '2026-11-28T00:00:00.000Z' };
    const fact = { id: random.uuid(), stream, revision: BigInt(at), schemaVersion: 1, previousHash };
    // reason: the arbitrary values below are JSON
    const { hash, ...event } = seal({ ...fact, ...ids, type, actor, data: data as never }, newSalt(random));
    previousHash = hash;
    return event;
  });
};

const everyWay = async (store: EventStore, stream: StreamName): Promise<ReadonlyArray<ReadonlyArray<StoredEvent>>> => {
  const all = async (batches: AsyncIterable<{ events: ReadonlyArray<StoredEvent> }>) => {
    const events: Array<StoredEvent> = [];
    for await (const batch of batches) events.push(...batch.events.filter((event) => event.stream === stream));
    return events;
  };
  return [
    await collect(store.readStream(stream, { direction: 'forwards' })),
    (await collect(store.readStream(stream, { direction: 'backwards' }))).reverse(),
    await all(store.readAll({ after: 'start' })),
  ];
};

const append = async (store: EventStore, stream: StreamName, events: ReadonlyArray<NewEvent>): Promise<void> => {
  const [first, ...others] = events;
  if (first === undefined) return;
  const appended = await store.append(stream, 'no-stream', [first, ...others]);
  if (E.isLeft(appended)) throw new Error(appended.left._tag);
};

const texts = (events: ReadonlyArray<NewEvent>) => events.map(({ data, metadata }) => ({ data, metadata }));

describe('an encrypted log', () => {
  it('gives every event back text for text, and keeps none of its data, its salt, or what its salt hides', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            type: fc.constantFrom('BusinessCreated', 'BusinessOwnerAdded', 'DocumentUpdated'),
            data: fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()),
            actor: fc.string({ unit: 'grapheme' }),
          }),
          { minLength: 1, maxLength: 12 },
        ),
        async (facts) => {
          const [stream, kept] = [aStream(), makeInMemoryEventStore()];
          const store = encryptedStore(kept, makeEncryption());
          const events = sealedEvents(stream, facts);
          await append(store, stream, events);
          for (const read of await everyWay(store, stream)) expect(texts(read)).to.deep.equal(texts(events));
          for (const { data, metadata } of await collect(kept.readStream(stream, { direction: 'forwards' }))) {
            expect(data).to.match(/^\{"\$encrypted":"[\w-]+"\}$/);
            expect(metadata).not.to.include('"salt"');
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  it('is AES-256-CTR over salt and data, as every library does it, from a block count of 0', async () => {
    const [stream, kept, encryption] = [aStream(), makeInMemoryEventStore(), makeEncryption()];
    // several pieces of memory, and some that none of them holds
    const facts = [0, 1, 40, 5_000, 5_000, 7_000, 20_000, 3].map((length) => ({
      type: 'BusinessUpdated',
      data: { name: 'Ä'.repeat(length) },
    }));
    const events = sealedEvents(stream, facts);
    const store = encryptedStore(kept, encryption);
    await append(store, stream, events);
    const stored = await collect(kept.readStream(stream, { direction: 'forwards' }));
    expect(
      stored.map((event) => {
        const bytes = Buffer.from(event.data.slice('{"$encrypted":"'.length, -2), 'base64url');
        const key = encryption.tree.keyAt(keyPathOf(encryption.rules, event))!;
        const decipher = createDecipheriv('aes-256-ctr', key, Buffer.concat([bytes.subarray(0, 12), Buffer.alloc(4)]));
        const secret = decipher.update(bytes.subarray(12));
        return [secret.toString('base64url', 0, 16), secret.toString('utf8', 16)];
      }),
    ).to.deep.equal(events.map(({ data, metadata }) => [/"salt":"([\w-]+)"/.exec(metadata)?.[1], data]));
    for (const read of await everyWay(store, stream)) expect(texts(read)).to.deep.equal(texts(events));
  });

  it('tells who follows it of what is appended, and nothing of what it said once its keys are destroyed', async () => {
    const [stream, kept, encryption] = [aStream(), makeInMemoryEventStore(), makeEncryption()];
    const store = encryptedStore(kept, encryption);
    const events = sealedEvents(stream, [{ type: 'BusinessCreated', data: { name: 'Acme' } }]);
    const followed = async (): Promise<ReturnType<typeof texts>> => {
      const over = new AbortController();
      for await (const batch of store.subscribe({ after: 'start' }, over.signal))
        if (batch.events.length > 0) return texts(batch.events);
      return [];
    };
    await append(store, stream, events);
    expect(await followed()).to.deep.equal(texts(events));
    const [stored] = await collect(kept.readStream(stream, { direction: 'forwards' }));
    encryption.tree = encryption.tree.without([recordPath(stream)]);
    expect(await followed()).to.deep.equal([{ data: '{}', metadata: stored?.metadata }]);
  });

  it('leaves a history of which every link holds and no data is left, once the keys of a record are destroyed', async () => {
    const [stream, other] = [aStream(), aStream()];
    const encryption = makeEncryption();
    const store = encryptedStore(makeInMemoryEventStore(), encryption);
    const facts = ['BusinessCreated', 'BusinessOwnerAdded', 'BusinessErased'].map((type) => ({
      type,
      data: { of: type },
    }));
    for (const each of [stream, other]) await append(store, each, sealedEvents(each, facts));
    const before = (await everyWay(store, stream))[0] ?? [];
    encryption.tree = encryption.tree.without([recordPath(stream)]);
    for (const read of await everyWay(store, stream)) {
      expect(read.slice(0, 2)).to.deep.equal(before.slice(0, 2).map(asErased));
      expect(read.map(({ data }) => data)).to.deep.equal(['{}', '{}', canonicalJson({ of: 'BusinessErased' })]);
      expect(read.map(({ metadata }) => metadata.includes('"salt"'))).to.deep.equal([false, false, true]);
      let end = chainStart;
      for (const event of read) {
        const next = extendChain(end, event);
        if (E.isLeft(next)) throw new Error(next.left.reason);
        end = next.right;
      }
    }
    const [forwards] = await everyWay(store, other);
    expect(forwards?.map(({ data }) => data)).to.deep.equal(facts.map(({ data }) => canonicalJson(data)));
  });

  it('loses one event about an owner alone, and keeps those of the record', async () => {
    const [stream, encryption] = [aStream(), makeEncryption()];
    const store = encryptedStore(makeInMemoryEventStore(), encryption);
    const facts = ['BusinessCreated', 'BusinessOwnerAdded', 'BusinessOwnerAdded', 'BusinessUpdated'].map((type) => ({
      type,
      data: {},
    }));
    const events = sealedEvents(stream, facts);
    await append(store, stream, events);
    const owner = { stream, revision: 1n, type: 'BusinessOwnerAdded' };
    encryption.tree = encryption.tree.without([keyPathOf(encryption.rules, owner)]);
    for (const read of await everyWay(store, stream))
      expect(read.map(({ metadata }, at) => metadata === events[at]?.metadata)).to.deep.equal([
        true,
        false,
        true,
        true,
      ]);
  });

  it('opens the events of a page in whatever order they are asked for, each as it was when the page was read', async () => {
    const [stream, encryption] = [aStream(), makeEncryption()];
    const store = encryptedStore(makeInMemoryEventStore(), encryption);
    const facts = Array.from({ length: 90 }, (_, at) => ({
      type: at % 7 === 3 ? 'BusinessOwnerAdded' : 'BusinessUpdated',
      data: { name: 'Ä'.repeat(at % 11), at },
    }));
    const events = sealedEvents(stream, facts);
    await append(store, stream, events);
    const owner = { stream, revision: 10n, type: 'BusinessOwnerAdded' };
    encryption.tree = encryption.tree.without([keyPathOf(encryption.rules, owner)]);
    const pages: Array<StreamPage> = [];
    for await (const page of store.readStream(stream, { direction: 'forwards' })) pages.push(page);
    encryption.tree = encryption.tree.without([recordPath(stream)]);
    const expected = events.map((event, at) => (at === 10 ? asErased(event) : event));
    const orders = [(at: number) => at, (at: number) => 89 - at, (at: number) => (at * 37) % 90];
    for (const order of orders) {
      const asked = expected.map((_, at) => order(at));
      const read = asked.map((at) => pages[0]?.bytes[at]);
      expect(read.map((bytes) => bytes && texts([storedEventOf(bytes)])[0])).to.deep.equal(
        asked.map((at) => texts(expected)[at]),
      );
      for (const bytes of read) {
        expect(bytes?.dataSize).to.be.at.least(bytes?.data.length ?? Infinity);
        expect(bytes?.metadataSize).to.be.at.least(bytes?.metadata.length ?? Infinity);
      }
    }
  });

  it('takes no event of a record whose keys are destroyed, but the one that says so', async () => {
    const [stream, encryption] = [aStream(), makeEncryption()];
    const store = encryptedStore(makeInMemoryEventStore(), encryption);
    encryption.tree = encryption.tree.without([recordPath(stream)]);
    const [updated, erased] = sealedEvents(stream, [
      { type: 'BusinessUpdated', data: {} },
      { type: 'BusinessErased', data: {} },
    ]);
    const rejected = await store.append(stream, 'no-stream', [updated!]);
    expect(E.isLeft(rejected) && rejected.left).to.include({
      _tag: 'StoreUnavailable',
      message: 'nothing is appended to a record that is being erased: its keys are destroyed',
    });
    expect(E.isRight(await store.append(stream, 'no-stream', [erased!]))).to.equal(true);
  });

  it('shows as it is what was appended before it was encrypted, and what was changed to what no key opens', async () => {
    const [stream, kept] = [aStream(), makeInMemoryEventStore()];
    const [plain] = someEvents(1);
    const changed = { ...plain, id: random.uuid(), data: '{"$encrypted":"AAAA"}', metadata: '{"actor":"alice"}' };
    await append(kept, stream, [plain, changed]);
    for (const read of await everyWay(encryptedStore(kept, makeEncryption()), stream))
      expect(texts(read)).to.deep.equal(texts([plain, changed]));
  });
});
