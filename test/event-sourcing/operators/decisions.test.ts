import { expect } from 'chai';
import { either as E } from 'fp-ts';
import type { JsonObject } from '../../../src/event-sourcing/canonical-json.js';
import { GENESIS_HASH, newSalt, seal } from '../../../src/event-sourcing/envelope.js';
import type { EventKey, EventKeys } from '../../../src/event-sourcing/event-key.js';
import type { StoredEvent, StreamName } from '../../../src/event-sourcing/recorded-event.js';
import { decisionStream, ERASURE_STREAM, SEAL_STREAM } from '../../../src/event-sourcing/operators/decision-events.js';
import { isSealedDecision } from '../../../src/event-sourcing/operators/sealed-decision.js';
import { endOfDecisions } from '../../../src/event-sourcing/operators/read-decisions.js';
import {
  isUnreadable,
  readDecision,
  UnreadableDecision,
} from '../../../src/event-sourcing/operators/unreadable-decision.js';
import { sealDecisions } from '../../../src/event-sourcing/operators/seal-decisions.js';
import { surveyMacs } from '../../../src/event-sourcing/operators/survey-macs.js';
import { gatherAppends } from '../../../src/event-sourcing/whole-log/gather-appends.js';
import type { LogTarget } from '../../../src/event-sourcing/whole-log/log-target.js';
import { keepChainEnds } from '../../../src/event-sourcing/whole-log/keep-chain-ends.js';
import { verifyLog } from '../../../src/event-sourcing/whole-log/verify-log.js';
import { decisionKind } from '../../../src/entities/decision-kind.js';
import { anEvent, appended } from '../../contract/event-store/store-under-test.js';
import { appendChained, businessStream, makeChains, wholeLog } from '../../support/chained-events.js';
import { oneKey, otherKey } from '../../support/event-keys.js';
import { makeInMemoryEventStore } from '../../support/in-memory-event-store.js';
import { right } from '../../support/sealed-tree.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';

const SKIPS = decisionStream('businesses');
const SKIPPED = businessStream(0);

const skip = (eventId: string): JsonObject => ({
  ...{ projection: 'businesses', stream: SKIPPED, revision: 1, eventId, reason: 'made by a broken client' },
});

const by = { actor: 'olga', at: new Date('2026-05-06T07:08:09.000Z') };

type Fact = Pick<
  Parameters<typeof seal>[0],
  'id' | 'stream' | 'revision' | 'type' | 'data' | 'schemaVersion' | 'previousHash'
>;

const sealedByOtto = (fact: Fact, key?: EventKey) => {
  const command = { correlationId: fact.id, causationId: fact.id, request: '{}' };
  return seal(
    { ...fact, ...command, at: '2026-01-02T03:04:05.678Z', actor: 'otto' },
    newSalt(systemRuntime.random),
    key,
  );
};

describe("the operators' decisions", () => {
  let store: LogTarget;
  let ends: Map<StreamName, { readonly revision: bigint; readonly hash: string }>;

  beforeEach(() => {
    store = makeInMemoryEventStore();
    ends = new Map();
  });

  /** As an earlier program recorded it. */
  const recordBefore = async (stream: StreamName, type: string, data: JsonObject, key?: EventKey): Promise<string> => {
    const { revision, hash: previousHash } = ends.get(stream) ?? { revision: 0n, hash: GENESIS_HASH };
    const id = `01890000-0000-7000-8000-0000000000${stream.length + Number(revision)}`;
    const fact = { id, stream, revision, type, data, schemaVersion: 1, previousHash };
    const { hash, ...event } = sealedByOtto(fact, key);
    right(await store.append(stream, revision === 0n ? 'no-stream' : revision - 1n, [event]));
    ends.set(stream, { revision: revision + 1n, hash });
    return id;
  };

  const sealAll = async (keys: EventKeys, withoutMac = false) => {
    const { recorded, left } = right(await sealDecisions(systemRuntime, store, { ...by, keys, withoutMac }));
    return { recorded, left: left.map(({ event, reason }) => `${event.stream} ${event.revision}: ${reason}`) };
  };

  const verify = async (keys: EventKeys) => {
    const faults: Array<string> = [];
    const verified = await verifyLog(store, {
      keys,
      chainEnds: keepChainEnds(systemRuntime.random),
      onFault: ({ kind, stream, revision }) => faults.push(`${stream} ${revision} ${kind}`),
      isSealed: isSealedDecision,
      onPage: () => undefined,
      signal: new AbortController().signal,
    });
    return { faults, unsealed: verified.unsealedDecisions };
  };

  const shown = (event: StoredEvent): JsonObject => JSON.parse(decisionKind.recordOf(event).body) as JsonObject; // reason: a body is an object

  it('of before are recorded again in the tree, once, with who decided and when', async () => {
    const id = await recordBefore(SKIPS, 'ProjectionEventSkipped', skip('e1'), oneKey);
    expect(await verify([oneKey])).to.deep.equal({ faults: [], unsealed: 1 });
    expect(await sealAll([oneKey])).to.deep.equal({ recorded: 1, left: [] });
    expect(await sealAll([oneKey])).to.deep.equal({ recorded: 0, left: [] });
    expect(await verify([oneKey])).to.deep.equal({ faults: [], unsealed: 0 });

    const [before, again] = (await wholeLog(store)) as [StoredEvent, StoredEvent]; // reason: there are two
    expect([before, again].map(isSealedDecision)).to.deep.equal([false, true]);
    expect([before, again].map(decisionKind.hasRow)).to.deep.equal([false, true]);
    const { hash } = JSON.parse(before.metadata) as { readonly hash: string }; // reason: written by seal
    const original = { id, actor: 'otto', at: '2026-01-02T03:04:05.678Z', hash };
    expect(JSON.parse(again.data)).to.deep.equal({ ...skip('e1'), original });
    expect(JSON.parse(again.metadata)).to.include({ actor: 'olga', at: '2026-05-06T07:08:09.000Z' });
    expect(shown(again)).to.deep.include({
      type: 'decided',
      name: 'ProjectionEventSkipped',
      entityType: 'Decision',
      entity: 'businesses',
      user: 'olga',
      refs: [{ entity: SKIPPED.slice('business-'.length), entityType: 'Business' }],
      message:
        'recorded again, in the tree: an event of a record is skipped: its rows are computed as if it changed nothing',
    });
  });

  it('are left where nobody who had the key has recorded them, unless whoever asks says that they are right', async () => {
    await recordBefore(SKIPS, 'ProjectionEventSkipped', skip('e1'));
    await recordBefore(SKIPS, 'ProjectionEventSkipped', skip('e2'), otherKey);
    await recordBefore(SKIPS, 'ProjectionEventSkipped', { projection: 1 }, oneKey);
    const none = `${SKIPS} 0: it has no mac`;
    const others = [`${SKIPS} 1: its mac is of an unknown key`];
    const unreadable = `${SKIPS} 2: it cannot be read as a decision of operators`;
    const { recorded, left } = await sealAll([oneKey]);
    expect([recorded, left.slice(0, 2)]).to.deep.equal([0, [none, ...others]]);
    expect(left[2]).to.equal(unreadable);
    const named = [`${SKIPS} 1 mac-unknown-key`, `${SKIPS} 2 decision-unreadable`];
    expect((await verify([oneKey])).faults).to.deep.equal([...named, `${SKIPS} 0 mac-missing`]);
    expect((await sealAll([oneKey], true)).recorded).to.equal(1);
    expect((await verify([oneKey])).faults).to.deep.equal(named);
  });

  it('without a key are recorded again, whatever their mac', async () => {
    await recordBefore(SKIPS, 'ProjectionEventSkipped', skip('e1'));
    await recordBefore(SKIPS, 'ProjectionEventSkipped', skip('e2'), oneKey);
    expect(await sealAll([])).to.deep.equal({ recorded: 2, left: [] });
    expect(await verify([])).to.deep.equal({ faults: [], unsealed: 0 });
  });

  it('do not hide a forged one that has the id of one that was recorded again', async () => {
    const id = await recordBefore(SKIPS, 'ProjectionEventSkipped', skip('e1'), oneKey);
    expect((await sealAll([oneKey])).recorded).to.equal(1);
    const other = decisionStream('documents');
    const fact = { id, stream: other, revision: 0n, type: 'ProjectionEventSkipped', data: skip('e9') };
    const { hash: _hash, ...forged } = sealedByOtto({ ...fact, schemaVersion: 1, previousHash: GENESIS_HASH });
    const forging = makeInMemoryEventStore();
    const events = [{ ...forged, stream: other, revision: 0n, position: 0n }, ...(await wholeLog(store))];
    right(await forging.appendInOrder(gatherAppends(events)));
    store = forging;
    expect(await verify([oneKey])).to.deep.equal({ faults: [`${other} 0 mac-missing`], unsealed: 1 });
  });

  it('of a mac that was required by position count no more, and nobody is asked to record them again', async () => {
    await recordBefore(SEAL_STREAM, 'EventMacRequired', { keyId: oneKey.id }, oneKey);
    expect(await verify([oneKey])).to.deep.equal({ faults: [], unsealed: 0 });
    expect(await sealAll([oneKey])).to.deep.equal({ recorded: 0, left: [] });
  });

  it('do not stand for another one: that which says that it records an event again must have its hash', async () => {
    const id = await recordBefore(SKIPS, 'ProjectionEventSkipped', skip('e1'));
    const { revision, hash: previousHash } = ends.get(SKIPS)!;
    const original = { id, actor: 'otto', at: '2026-01-02T03:04:05.678Z', hash: '0'.repeat(64) };
    const fact = {
      id: '01890000-0000-7000-8000-0000000000ff',
      stream: SKIPS,
      revision,
      schemaVersion: 2,
      previousHash,
    };
    const said = { type: 'ProjectionEventSkipped', data: { ...skip('e1'), original } };
    const { hash: _hash, ...event } = sealedByOtto({ ...fact, ...said }, oneKey);
    right(await store.append(SKIPS, revision - 1n, [event]));
    expect(await verify([oneKey])).to.deep.equal({ faults: [`${SKIPS} 0 mac-missing`], unsealed: 1 });
  });
});

describe('the survey of the events without a mac', () => {
  const isSealed = ({ stream }: StoredEvent): boolean => stream.startsWith('business-');

  const surveyed = async (...macs: ReadonlyArray<EventKey | undefined>) => {
    const store = makeInMemoryEventStore();
    for (const [number, key] of macs.entries()) await appendChained(store, makeChains(key), businessStream(number));
    // one that is in no tree
    await appendChained(store, makeChains(), 'operations-other');
    return surveyMacs(store, { isSealed });
  };

  it('says how many there are, and the index behind the last of them', async () => {
    expect(await surveyed()).to.include({ sealed: 0, withoutMac: 0, decisionsWithoutMac: 1, from: 0, behind: 0 });
    // the decision is behind them
    expect(await surveyed(oneKey, oneKey)).to.include({ sealed: 2, withoutMac: 0, from: 0, behind: 1 });
    expect(await surveyed(undefined, undefined)).to.include({ withoutMac: 2, from: 2, behind: 0 });
  });

  it('names the first one that stands behind an event with one', async () => {
    const found = await surveyed(undefined, oneKey, undefined, oneKey, undefined);
    expect(found).to.include({ sealed: 5, withoutMac: 3, from: 5, behind: 3 });
    expect(found?.firstBehind?.stream).to.equal(businessStream(2));
  });
});

describe('reading decisions', () => {
  it('finds those that are none, or that stand in a stream of others', () => {
    const decision = (stream: StreamName, type: string, data: JsonObject, schemaVersion = 2): StoredEvent => ({
      ...sealedByOtto({
        ...{ id: '01890000-0000-7000-8000-0000000000aa', stream, revision: 3n, type, data, schemaVersion },
        previousHash: GENESIS_HASH,
      }),
      ...{ stream, revision: 3n, position: 0n },
    });
    const switched = { isOn: false };
    expect(isUnreadable(decision(SKIPS, 'ProjectionEventSkipped', skip('e1')))).to.equal(false);
    expect(isUnreadable(decision(SEAL_STREAM, 'SealingSwitched', switched))).to.equal(false);
    expect(isUnreadable(decision(businessStream(0), 'BusinessCreated', {}))).to.equal(false);
    // what it said counts no more
    expect(isUnreadable(decision(SEAL_STREAM, 'EventMacRequired', {}, 1))).to.equal(false);
    expect(isUnreadable(decision(SEAL_STREAM, 'EventMacRequired', {}))).to.equal(true);
    expect(isUnreadable(decision(SKIPS, 'SealingSwitched', switched))).to.equal(true);
    expect(isUnreadable(decision(SEAL_STREAM, 'ProjectionEventSkipped', skip('e1')))).to.equal(true);
    const held = { entityType: 'Business', entity: 'a1', reason: 'a claim' };
    const begun = {
      records: [
        { stream: SKIPPED, events: [[1, 1]] },
        { stream: 'document-1', events: 'all' },
      ],
      basis: 'Art. 17',
    };
    expect(isUnreadable(decision(ERASURE_STREAM, 'RecordHeld', held))).to.equal(false);
    expect(isUnreadable(decision(ERASURE_STREAM, 'RecordReleased', held))).to.equal(false);
    expect(isUnreadable(decision(ERASURE_STREAM, 'ErasureBegun', begun))).to.equal(false);
    expect(
      isUnreadable(decision(ERASURE_STREAM, 'ErasureBegun', { ...begun, records: [{ stream: 'a-1', events: [[1]] }] })),
    ).to.equal(true);
    expect(isUnreadable(decision(SEAL_STREAM, 'RecordHeld', held))).to.equal(true);
    expect(isUnreadable(decision(ERASURE_STREAM, 'SealingSwitched', switched))).to.equal(true);
    expect(isUnreadable(decision(ERASURE_STREAM, 'ProjectionEventSkipped', skip('e1')))).to.equal(true);
    expect(isUnreadable({ ...decision(SKIPS, 'ProjectionEventSkipped', skip('e1')), metadata: '{' })).to.equal(true);
    const said = [decision(SKIPS, 'ProjectionEventSkipped', {}), decision(SKIPS, 'Other', {}, 3)].map((event) =>
      E.match(
        ({ message }: Error) => message,
        () => '',
      )(readDecision(event)),
    );
    const place = `${SKIPS}, revision 3 (event 01890000-0000-7000-8000-0000000000aa), cannot be read as a decision of operators by this program`;
    expect(said).to.deep.equal([
      `${place}: no version of it records such a one. See ops log verify`,
      `${place}: a newer version of it has recorded it, or nobody. See ops log verify`,
    ]);
  });

  it('says which one has no envelope, where the next one is to follow it', async () => {
    const store = makeInMemoryEventStore();
    await appended(store, SEAL_STREAM, 'no-stream', anEvent({ metadata: '{' }));
    const failed = await endOfDecisions(store, SEAL_STREAM).catch((error: unknown) => error);
    expect(failed).to.be.instanceOf(UnreadableDecision);
    expect(String(failed)).to.include(`${SEAL_STREAM}, revision 0 (event `);
  });

  it('does not depend on the spelling of an envelope that is none', () => {
    for (const metadata of ['', '{', 'null', '[]', '{"schemaVersion":"2"}', '{"schemaVersion":1.5}', '{}'])
      expect(
        E.isRight(
          E.tryCatch(
            () => isSealedDecision({ metadata }),
            () => undefined,
          ),
        ),
        metadata,
      ).to.equal(true);
    expect(isSealedDecision({ metadata: '{"schemaVersion":2}' })).to.equal(true);
    expect(isSealedDecision({ metadata: '{"schemaVersion":1e999}' })).to.equal(false);
  });
});
