import * as t from 'io-ts';
import { EntityKind } from '../../domain/shared/entity-kind.js';
import { explain, named, nameOf, unionOf } from '../fields/json-schema.js';
import { decisions } from './described-decisions.js';
import type { EntityEvents, EventCodec } from './entity-events.js';
import { count, instant } from './response-schemas.js';

const EventRefResponse = named(
  'EventRef',
  explain(
    { '': 'A record or user that an event refers to.', entity: 'Its id.', entityType: 'Its kind.' },
    t.type({ entity: t.string, entityType: EntityKind }),
  ),
);

export const EventChangeResponse = named(
  'EventChange',
  explain(
    {
      '': 'A value of a record that an event changed.',
      path: 'Where it is in the record: a JSON Pointer (RFC 6901).',
      before: 'The value before; null stands for none.',
      after: 'The value after; null stands for none.',
    },
    t.type({ path: t.string, before: t.unknown, after: t.unknown }),
  ),
);

const eventMeanings = {
  _id: 'Identifies the event.',
  type: 'What became of the record.',
  message: 'What happened, in words for people; programs read `name` and `data`.',
  user: 'Who made it happen: the subject of the token.',
  entity: 'The _id of the record.',
  entityType: 'The kind of the record.',
  refs: 'The other records and users that it refers to.',
  name: 'The kind of event: it tells what `data` has.',
  at: 'When it happened, UTC.',
  revision: 'Its place in the history of the record, from 0.',
  hash: 'SHA-256 over the event and the hash of the one before it, in hex.',
  data: 'What it changed.',
  reason: 'Why the change was made, where `Change-Reason` said it.',
  diff: 'With `diff=true`: the values that it changed.',
  stream: 'With `proof=true`: the stream of the log that it is in.',
  metadata: 'With `proof=true`: its envelope as it is stored.',
  index: 'Among the events of all records: its place there, from 0, which is `after` of a page and of a feed.',
};

const common = {
  _id: t.string,
  message: t.string,
  entity: t.string,
  refs: t.array(EventRefResponse),
  revision: count,
};

const recordEvent = t.keyof({ created: null, updated: null, deleted: null });

const eventResponse = (
  { entityType, meanings }: Omit<EntityEvents, 'codec'>,
  { props: { type, data } }: EventCodec,
  kind: t.Mixed = recordEvent,
): t.Mixed =>
  named(
    type.value,
    explain(
      { ...eventMeanings, '': `An event of the kind ${type.value}.` },
      t.intersection([
        t.type({
          ...common,
          type: kind,
          user: t.string,
          entityType: t.literal(entityType),
          name: t.literal(type.value),
          at: instant,
          hash: t.string,
          // what is named describes itself, wherever it is referred to
          data: nameOf(data) === undefined ? explain(meanings, data) : data,
        }),
        t.partial({
          reason: t.string,
          diff: t.array(EventChangeResponse),
          stream: t.string,
          metadata: t.UnknownRecord,
          index: count,
        }),
      ]),
    ),
  );

/** Whatever kind of event it was: its envelope is all that is left of it. */
const erasedResponse = (entityType: string): t.Mixed =>
  named(
    `Erased${entityType}Event`,
    explain(
      {
        ...eventMeanings,
        '': `An event of a record of the kind ${entityType} whose data was erased for ever.`,
        type: 'No other event has this type.',
        data: 'Nothing is left of it.',
      },
      t.intersection([
        t.type({
          ...common,
          type: t.literal('erased'),
          user: t.string,
          entityType: t.literal(entityType),
          name: t.string,
          at: instant,
          hash: t.string,
          data: t.type({}),
        }),
        t.partial({ diff: t.array(EventChangeResponse), stream: t.string, metadata: t.UnknownRecord, index: count }),
      ]),
    ),
  );

const unreadable = named(
  'UnreadableEvent',
  explain(
    {
      ...eventMeanings,
      '': 'An event that this program cannot read, as far as it can be told.',
      type: 'Nothing else has this type.',
      user: `${eventMeanings.user} Null where the envelope does not tell.`,
      at: `${eventMeanings.at} Null where the envelope does not tell.`,
      hash: `${eventMeanings.hash} Null where the envelope does not tell.`,
      data: 'As it is stored; null where it is no JSON object.',
      index: 'Its place among the events of all records, from 0.',
    },
    t.intersection([
      t.type({
        ...common,
        index: count,
        type: t.literal('unknown'),
        user: t.union([t.string, t.null]),
        entityType: t.string,
        name: t.string,
        at: t.union([instant, t.null]),
        hash: t.union([t.string, t.null]),
        data: t.union([t.UnknownRecord, t.null]),
      }),
      t.partial({ reason: t.unknown }),
    ]),
  ),
);

/**
 * The codecs of answers with events, each described once: `name` tells which of them an event is. Unions are plain, without a
 * discriminator: docs/api.md says what generators of clients make of either.
 */
export type EventResponses = {
  readonly of: (events: EntityEvents) => t.Mixed;
  /** Of the events of all records, some of which this program may not be able to read. */
  readonly ofLedger: t.Mixed;
};

export const eventResponses = (entities: ReadonlyArray<EntityEvents>): EventResponses => {
  const byEntity = entities.map((events) => {
    const members = [
      ...events.codec.types.map((member) => eventResponse(events, member)),
      erasedResponse(events.entityType),
    ];
    const union = explain({ '': `What happened to a record of the kind ${events.entityType}.` }, unionOf(members));
    return { events, members, union: named(`${events.entityType}Event`, union) };
  });
  const decided = decisions.codec.types.map((member) => eventResponse(decisions, member, t.literal('decided')));
  return {
    of: (events) => {
      const found = byEntity.find(({ events: known }) => known === events);
      if (found === undefined) throw new Error(`the events of ${events.entityType} are not among those described`);
      return found.union;
    },
    ofLedger: named(
      'LedgerEvent',
      explain(
        {
          '':
            'What happened to a record of any kind, or what operators of the service decided, each with its `index`. `type` ' +
            'tells whether it could be read, and then `name` what it is.',
        },
        unionOf([...byEntity.flatMap(({ members }) => members), ...decided, unreadable]),
      ),
    ),
  };
};
