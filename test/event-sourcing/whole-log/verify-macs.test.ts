import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { canonicalJson, type JsonObject } from '../../../src/event-sourcing/canonical-json.js';
import { eventHash, GENESIS_HASH, seal, newSalt } from '../../../src/event-sourcing/envelope.js';
import type { EventKey, EventKeys } from '../../../src/event-sourcing/event-key.js';
import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import type { StoredEvent, StreamName } from '../../../src/event-sourcing/recorded-event.js';
import { copyLog } from '../../../src/event-sourcing/whole-log/copy-log.js';
import { gatherAppends } from '../../../src/event-sourcing/whole-log/gather-appends.js';
import type { LogTarget } from '../../../src/event-sourcing/whole-log/log-target.js';
import { surveyMacs } from '../../../src/event-sourcing/operators/survey-macs.js';
import { findMacRequired, findMacRule, requireMac } from '../../../src/event-sourcing/operators/require-mac.js';
import { SEAL_STREAM } from '../../../src/event-sourcing/operators/decision-events.js';
import { isSealedDecision } from '../../../src/event-sourcing/operators/sealed-decision.js';
import type { LogFault } from '../../../src/event-sourcing/whole-log/log-fault.js';
import { keepChainEnds } from '../../../src/event-sourcing/whole-log/keep-chain-ends.js';
import { type Verified, verifyLog, verifyStream } from '../../../src/event-sourcing/whole-log/verify-log.js';
import { anEvent, appended } from '../../contract/event-store/store-under-test.js';
import { appendChained, businessStream, interleaved, makeChains, wholeLog } from '../../support/chained-events.js';
import { oneKey, otherKey } from '../../support/event-keys.js';
import { startDouble } from '../../support/eventstoredb-double/double.js';
import { openStore } from '../../support/eventstoredb-double/open-store.js';
import { makeInMemoryEventStore } from '../../support/in-memory-event-store.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';

type Found = { readonly chain: ReadonlyArray<string>; readonly macs: ReadonlyArray<string>; readonly counts: Verified };

/** Which events are in the tree. */
const isSealed = (event: StoredEvent): boolean => event.stream.startsWith('business-') || isSealedDecision(event);

const find = async (store: EventStore, keys: EventKeys, stream?: StreamName): Promise<Found> => {
  const [chain, macs]: [Array<string>, Array<string>] = [[], []];
  const verifying = {
    keys,
    chainEnds: keepChainEnds(systemRuntime.random),
    onFault: ({ kind, stream: of, revision, reason }: LogFault) =>
      (kind === 'chain-broken' ? chain : macs).push(`${of} ${revision} ${kind === 'chain-broken' ? reason : kind}`),
    isSealed,
    onPage: () => undefined,
    signal: new AbortController().signal,
  };
  const counts = await (stream === undefined ? verifyLog(store, verifying) : verifyStream(store, stream, verifying));
  return { chain, macs, counts };
};

const nothing = { chain: [], macs: [] };

/** A log with the same events, some of them changed, and others behind them. */
const changed = async (
  store: EventStore,
  change: (event: StoredEvent) => StoredEvent,
  ...more: ReadonlyArray<StoredEvent>
): Promise<LogTarget> => {
  const other = makeInMemoryEventStore();
  const events = [...(await wholeLog(store)).map(change), ...more];
  expect(E.isRight(await other.appendInOrder(gatherAppends(events)))).to.equal(true);
  return other;
};

const byOlga = { actor: 'olga', at: new Date('2026-05-06T07:08:09.000Z') };

const [A, B] = [businessStream(0), businessStream(1)] as const;

describe('verifying who sealed the events of a log', () => {
  /** Of a log that had a key from its first event on: two streams, three events each. */
  let store: LogTarget;

  beforeEach(async () => {
    store = makeInMemoryEventStore();
    await appendChained(store, makeChains(oneKey), ...interleaved(2, 3));
  });

  /** As somebody does it who can write to the database: all that follows in the stream is chained anew. */
  const forge = async (
    stream: StreamName,
    from: bigint,
    edit: (metadata: JsonObject) => JsonObject,
  ): Promise<LogTarget> => {
    let previousHash: string | undefined;
    return changed(store, (event) => {
      if (event.stream !== stream || event.revision < from) return event;
      const before = JSON.parse(event.metadata) as JsonObject; // reason: written by seal
      const edited = edit({ ...before, ...(previousHash === undefined ? {} : { previousHash }) });
      const hash = eventHash(event, edited);
      previousHash = hash;
      return { ...event, metadata: canonicalJson({ ...edited, hash }) };
    });
  };

  const forgedAppend = async (key?: EventKey): Promise<StoredEvent> => {
    const last = (await wholeLog(store)).findLast(({ stream }) => stream === A)!;
    const { hash } = JSON.parse(last.metadata) as { readonly hash: string }; // reason: written by seal
    const fact = {
      id: '01890000-0000-7000-8000-0000000000ee',
      stream: A,
      revision: last.revision + 1n,
      type: 'BusinessUpdated',
      data: { changes: { phone: '+1 555 6666' } },
      schemaVersion: 1,
      at: '2026-01-02T03:04:05.678Z',
      actor: 'alice',
      correlationId: 'request-2',
      causationId: '01890000-0000-7000-8000-0000000000ff',
      request: 'null',
      previousHash: hash,
    };
    return { ...seal(fact, newSalt(systemRuntime.random), key), stream: A, revision: fact.revision, position: 1_000n };
  };

  it('finds nothing in a log whose events all have one, whole or stream by stream', async () => {
    const { counts, ...found } = await find(store, [otherKey, oneKey]);
    expect(found).to.deep.equal(nothing);
    expect(counts).to.deep.equal({
      ...{ events: 6, streams: 2, broken: 0, withMac: 6, macFaults: 0, withoutData: 0, unsealedDecisions: 0 },
      ...{ erased: 0, erasures: 0 },
      isComplete: true,
    });
    expect((await find(store, [oneKey], B)).counts).to.include({ events: 3, withMac: 3, macFaults: 0 });
  });

  it('names an event that was appended in the name of another, chain and all', async () => {
    const without = await changed(store, (event) => event, await forgedAppend());
    expect(await find(without, [oneKey])).to.deep.include({ chain: [], macs: [`${A} 3 mac-missing`] });
    expect((await find(without, [oneKey], A)).macs).to.deep.equal([`${A} 3 mac-missing`]);
    const foreign = await changed(store, (event) => event, await forgedAppend(otherKey));
    expect(await find(foreign, [oneKey])).to.deep.include({ chain: [], macs: [`${A} 3 mac-unknown-key`] });
  });

  it('names every event of a history that was written anew with other actors and true hashes', async () => {
    const forged = await forge(A, 1n, (metadata) => ({ ...metadata, actor: 'mallory' }));
    const { chain, macs, counts } = await find(forged, [oneKey]);
    expect({ chain, macs }).to.deep.equal({ chain: [], macs: [`${A} 1 mac-mismatch`, `${A} 2 mac-mismatch`] });
    expect(counts).to.include({ broken: 0, withMac: 6, macFaults: 2 });
  });

  it('names those whose mac was cut out, and those with the mac of another event', async () => {
    const cut = await forge(A, 2n, ({ mac: _mac, ...metadata }) => metadata);
    expect(await find(cut, [oneKey])).to.deep.include({ chain: [], macs: [`${A} 2 mac-missing`] });
    const { mac } = JSON.parse((await wholeLog(store))[0]!.metadata) as JsonObject; // reason: written by seal
    const swapped = await forge(A, 2n, (metadata) => ({ ...metadata, mac }));
    expect(await find(swapped, [oneKey])).to.deep.include({ chain: [], macs: [`${A} 2 mac-mismatch`] });
  });

  it('goes on behind a broken link', async () => {
    const broken = await changed(store, (event) =>
      event.stream === A && event.revision >= 1n
        ? { ...event, metadata: event.metadata.replace('"alice"', '"mallory"') }
        : event,
    );
    const { chain, macs } = await find(broken, [oneKey]);
    expect(chain).to.deep.equal([`${A} 1 hash does not match the event`]);
    expect(macs).to.deep.equal([`${A} 1 mac-mismatch`, `${A} 2 mac-mismatch`]);
  });

  it('without a key, counts those that have one, and checks none', async () => {
    const forged = await changed(store, (event) => event, await forgedAppend());
    const { macs, counts } = await find(forged, []);
    expect(macs).to.deep.equal([]);
    expect(counts).to.include({ events: 7, withMac: 6 });
    const rewritten = await forge(A, 1n, (metadata) => ({ ...metadata, actor: 'mallory' }));
    expect((await find(rewritten, [])).macs).to.deep.equal([]);
  });

  it('names one without a mac wherever it stands, also before all others', async () => {
    const first = { ...(await forgedAppend()), revision: 0n, stream: businessStream(7) };
    const other = makeInMemoryEventStore();
    expect(E.isRight(await other.appendInOrder(gatherAppends([first, ...(await wholeLog(store))])))).to.equal(true);
    expect((await find(other, [oneKey])).macs).to.deep.equal([`${businessStream(7)} 0 mac-missing`]);
  });

  describe('in a log that is older than its key', () => {
    let chains: ReturnType<typeof makeChains>;

    beforeEach(async () => {
      store = makeInMemoryEventStore();
      chains = makeChains();
      await appendChained(store, chains, A, B);
    });

    const required = (keys: EventKeys = [oneKey]) => findMacRequired(store, keys);

    it('names all that have none until an operator says so, and then each behind that index', async () => {
      expect((await find(store, [oneKey])).macs).to.deep.equal([`${A} 0 mac-missing`, `${B} 0 mac-missing`]);
      expect(await requireMac(systemRuntime, store, { ...byOlga, from: 2 }, oneKey)).to.deep.equal(E.right(true));
      expect(await find(store, [oneKey])).to.deep.include({ ...nothing });
      await appendChained(store, chains, B);
      const { macs, counts } = await find(store, [oneKey]);
      expect(macs).to.deep.equal([`${B} 1 mac-missing`]);
      expect(counts).to.include({ events: 4, broken: 0, withMac: 1, macFaults: 1 });
      // of one stream the indexes are not known
      expect((await find(store, [oneKey], A)).macs).to.deep.equal([]);
    });

    it('records the decision once, under the key, with who and when', async () => {
      expect(await requireMac(systemRuntime, store, { ...byOlga, from: 2 }, oneKey)).to.deep.equal(E.right(true));
      const again = { ...byOlga, actor: 'otto', from: 2 };
      expect(await requireMac(systemRuntime, store, again, otherKey, [otherKey, oneKey])).to.deep.equal(E.right(false));
      const { type, revision, data, metadata } = (await required())!.event;
      expect({ type, revision }).to.deep.equal({ type: 'EventMacRequired', revision: 0n });
      expect(JSON.parse(data)).to.deep.equal({ keyId: oneKey.id, from: 2 });
      expect(JSON.parse(metadata)).to.include({ actor: 'olga', at: '2026-05-06T07:08:09.000Z', schemaVersion: 2 });
      expect((await find(store, [oneKey], SEAL_STREAM)).counts).to.include({ events: 1, broken: 0, withMac: 1 });
    });

    it('takes no decision that somebody without the key has made, and none of another version', async () => {
      const data = { keyId: oneKey.id, from: 100 };
      const fact = {
        ...{ id: '01890000-0000-7000-8000-0000000000aa', stream: SEAL_STREAM, revision: 0n, type: 'EventMacRequired' },
        ...{ data, at: '2026-01-02T03:04:05.678Z', actor: 'olga', previousHash: GENESIS_HASH },
        ...{ correlationId: 'one', causationId: 'one', request: 'null' },
      };
      for (const [schemaVersion, key, isTaken] of [
        [2, oneKey, true],
        [2, undefined, false],
        [2, otherKey, false],
        [1, oneKey, false],
      ] as const) {
        const log = makeInMemoryEventStore();
        const { hash: _hash, ...sealed } = seal({ ...fact, schemaVersion }, newSalt(systemRuntime.random), key);
        expect(E.isRight(await log.append(SEAL_STREAM, 'no-stream', [sealed]))).to.equal(true);
        const found = await findMacRequired(log, [oneKey]);
        expect(found?.from, `${schemaVersion} ${key?.id ?? 'none'}`).to.equal(isTaken ? 100 : undefined);
      }
    });

    it('takes what a decision says of the events before it, and names one that speaks of those behind it', async () => {
      // as somebody does it who has the key, so that events of later need none
      expect(await requireMac(systemRuntime, store, { ...byOlga, from: 100 }, oneKey)).to.deep.equal(E.right(true));
      const [ahead, behind] = [`${SEAL_STREAM} 0 decision-ahead`, `${B} 1 mac-missing`];
      expect((await find(store, [oneKey])).macs).to.deep.equal([ahead]);
      await appendChained(store, chains, B);
      expect((await find(store, [oneKey])).macs).to.deep.equal([ahead, behind]);
      expect((await find(store, [])).macs).to.deep.equal([ahead, behind]);
      const isRequired = await findMacRule(store, [oneKey], ({ revision }) => (revision === 0n ? 2 : undefined));
      expect([0, 1, 2, 3].map(isRequired)).to.deep.equal([false, false, true, true]);

      // the one that an operator records then is not taken for recorded before
      const { from, indexOf } = (await surveyMacs(store, { isSealed }))!;
      expect(from).to.equal(4);
      expect(await requireMac(systemRuntime, store, { ...byOlga, from, indexOf }, oneKey)).to.deep.equal(E.right(true));
      expect((await find(store, [oneKey])).macs).to.deep.equal([ahead]);
      await appendChained(store, chains, A);
      expect((await find(store, [oneKey])).macs).to.deep.equal([ahead, `${A} 1 mac-missing`]);
    });

    it('takes none whose data was changed behind its mac', async () => {
      expect(await requireMac(systemRuntime, store, { ...byOlga, from: 2 }, oneKey)).to.deep.equal(E.right(true));
      store = await changed(store, (event) =>
        event.stream === SEAL_STREAM ? { ...event, data: event.data.replace('"from":2', '"from":99') } : event,
      );
      expect(await required()).to.equal(undefined);
      const { chain, macs } = await find(store, [oneKey]);
      expect(chain).to.deep.equal([`${SEAL_STREAM} 0 dataHash does not match data`]);
      expect(macs).to.deep.equal([`${A} 0 mac-missing`, `${B} 0 mac-missing`]);
    });

    it('continues the chain of the decisions that are there, whatever they are', async () => {
      await appendChained(store, chains, SEAL_STREAM, SEAL_STREAM);
      expect(await requireMac(systemRuntime, store, { ...byOlga, from: 2 }, oneKey)).to.deep.equal(E.right(true));
      expect((await required())?.event.revision).to.equal(2n);
      expect((await find(store, [oneKey])).chain).to.deep.equal([]);
    });

    it('holds in a copy, where positions are others', async () => {
      await requireMac(systemRuntime, store, { ...byOlga, from: 2 }, oneKey);
      await appendChained(store, chains, A);
      const double = await startDouble();
      const { store: copy } = openStore(double.connectionString);
      try {
        const quiet = {
          runtime: systemRuntime,
          onPair: () => undefined,
          onProgress: () => undefined,
          signal: new AbortController().signal,
        };
        expect(E.isRight(await copyLog(store, copy, { follow: false, ...quiet }))).to.equal(true);
        expect((await findMacRequired(copy, [oneKey]))!.event.position).not.to.equal(
          (await required())!.event.position,
        );
        expect((await find(copy, [oneKey])).macs).to.deep.equal([`${A} 1 mac-missing`]);
      } finally {
        await copy.close();
        double.close();
      }
    });
  });

  it('asks for none in a log without events, and for that of one that cannot be read', async () => {
    const empty = makeInMemoryEventStore();
    expect((await find(empty, [oneKey])).counts).to.include({ events: 0, withMac: 0, macFaults: 0 });
    await appended(empty, 'business-b1', 'no-stream', anEvent({ metadata: '{' }));
    expect((await find(empty, [oneKey])).macs).to.deep.equal(['business-b1 0 mac-missing']);
  });
});
