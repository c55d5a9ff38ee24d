import { expect } from 'chai';
import { businesses } from '../../projections/businesses.js';
import { entityHandedOver } from '../../projections/engine/rows/hand-over.js';
import type { Entity } from '../../projections/engine/rows/rows.js';
import { initialBusiness } from '../../src/domain/business/state.js';
import { makeDecisions } from '../../src/event-sourcing/decisions.js';
import type { StoredEvent } from '../../src/event-sourcing/recorded-event.js';
import { stored } from '../support/recorded.js';

const ID = '0198f000-0000-7000-8000-000000000001';
const STREAM = `business-${ID}` as const;

const at = (revision: bigint): StoredEvent => ({
  ...stored({ type: 'BusinessUpdated', data: { changes: { city: `of ${revision}` } } }, { stream: STREAM, revision }),
  position: 10n + revision,
});

const events = [at(3n), at(4n)];
const [first, last] = events as [StoredEvent, StoredEvent];

const arrange = () => {
  const decisions = makeDecisions();
  const state = { ...initialBusiness };
  const { metadata } = last;
  const decision = { metadata, state, lastHash: 'h', createdAt: 'c', lastAt: 'a', hasKeyedCommands: false };
  decisions.add(last, { ...decision, creationPosition: 7n });
  return { decisions, decision, parked: { mayHave: () => false, add: () => undefined } };
};

const known: Entity = {
  id: ID,
  state: initialBusiness,
  revision: 2n,
  creationPosition: 7n,
  createdAt: 'c',
  updatedAt: 'b',
  isParked: false,
  summary: undefined,
};

describe('an entity that a command hands over', () => {
  it('is what the command left, at the last of its events', () => {
    const { decision, ...handOver } = arrange();
    const { lastHash, lastAt, hasKeyedCommands, state } = decision;
    const summary = { lastHash, lastAt, hasKeyedCommands };
    for (const before of [undefined, known])
      expect(entityHandedOver(handOver, businesses, ID, before, events)).to.deep.equal({
        ...{ id: ID, state, revision: 4n, creationPosition: 7n, isParked: false, summary },
        ...{ createdAt: 'c', updatedAt: 'a' },
      });
  });

  it('is created at the position of its first event', () => {
    const { decisions, decision, parked } = arrange();
    const created = { ...at(0n), position: 99n };
    decisions.add(created, { ...decision, metadata: created.metadata, creationPosition: undefined });
    const entity = entityHandedOver({ decisions, parked }, businesses, ID, undefined, [created]);
    expect(entity).to.deep.include({ revision: 0n, creationPosition: 99n });
  });

  const cases: ReadonlyArray<readonly [string, (handOver: ReturnType<typeof arrange>) => Entity | undefined]> = [
    ['when another event came last', (given) => entityHandedOver(given, businesses, ID, known, [first])],
    [
      'when the log has something else under the same id',
      (given) => entityHandedOver(given, businesses, ID, known, [first, { ...last, metadata: `${last.metadata} ` }]),
    ],
    [
      'when an event of its stream is parked',
      (given) => {
        const parked = { ...given.parked, mayHave: (stream: string) => stream === STREAM };
        return entityHandedOver({ ...given, parked }, businesses, ID, undefined, events);
      },
    ],
    [
      'when its row is parked',
      (given) => entityHandedOver(given, businesses, ID, { ...known, isParked: true }, events),
    ],
    [
      'when its row is not what precedes the events',
      (given) => entityHandedOver(given, businesses, ID, { ...known, revision: 1n }, events),
    ],
    [
      'when an event of its stream is skipped',
      (given) => {
        const skipped = { ids: new Set<string>(), streams: new Set([STREAM]) };
        return entityHandedOver(given, { ...businesses, skipped }, ID, known, events);
      },
    ],
    [
      'when nobody knows where it was created',
      (given) => {
        given.decisions.add(last, { ...given.decision, creationPosition: undefined });
        return entityHandedOver(given, businesses, ID, undefined, events);
      },
    ],
  ];
  for (const [why, ask] of cases)
    it(`is not taken ${why}`, () => {
      expect(ask(arrange())).to.equal(undefined);
    });
});
