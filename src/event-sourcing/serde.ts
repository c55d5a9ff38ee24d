import { either as E } from 'fp-ts';
import type * as t from 'io-ts';
import { formatValidationErrors } from './validation-errors.js';
import type { Json, JsonObject } from './canonical-json.js';
import type { Occurrence } from './decider.js';
import { Metadata } from './envelope.js';
import { type FindOutline, makeFindOutline } from './outline.js';
import { partReason } from './reason.js';
import type { StoredEvent } from './recorded-event.js';

/** Lifts stored JSON by exactly one schema version. */
export type Upcaster = (data: Json) => Json;

/** Per event type, index 0 lifts version 1 to 2. The current version is the number of upcasters + 1. */
export type Upcasters = Readonly<Record<string, ReadonlyArray<Upcaster>>>;

/** A domain event: the fact and its name, nothing of the envelope. */
export type DomainEvent = { readonly type: string; readonly data: JsonObject };

/** An event with its envelope, decoded into today's shape. */
export type Recorded<Event> = Pick<StoredEvent, 'id' | 'stream' | 'revision' | 'position'> & {
  readonly event: Event;
  /** Why its command was given, where that was said. */
  readonly reason: string | undefined;
  readonly metadata: Metadata;
};

/** What a fold is told of an event beside itself. */
export const occurrenceOf = ({ metadata: { actor, at }, revision }: Recorded<unknown>): Occurrence => ({
  actor,
  at,
  revision: Number(revision),
});

export type UndecodableEvent = {
  readonly _tag: 'UndecodableEvent';
  readonly stored: StoredEvent;
  readonly reason: string;
};

export type Serde<Event extends DomainEvent> = {
  // a method, whose parameter TypeScript checks loosely: a Serde<BusinessEvent> must fit where any serde is asked for
  schemaVersionOf(this: void, type: Event['type']): number;
  readonly decode: (stored: StoredEvent) => E.Either<UndecodableEvent, Recorded<Event>>;
  /** What finds the outlines of events in today's shape; `shown` as in `makeFindOutline`. */
  readonly outlines: (shown: ReadonlyArray<string>) => FindOutline<Event>;
};

/**
 * Encodes and decodes the events of one entity. `codec` must not transform (its `is` is the hot path; `decode` only
 * names faults).
 */
export const makeSerde = <Event extends DomainEvent>(codec: t.Type<Event>, upcasters: Upcasters): Serde<Event> => {
  const stepsOf = (type: string): ReadonlyArray<Upcaster> => upcasters[type] ?? [];

  const schemaVersionOf = (type: string): number => stepsOf(type).length + 1;

  const fail = (stored: StoredEvent, reason: string): E.Either<UndecodableEvent, never> =>
    E.left({ _tag: 'UndecodableEvent', stored, reason });

  const decode = (stored: StoredEvent): E.Either<UndecodableEvent, Recorded<Event>> => {
    try {
      const metadata: unknown = JSON.parse(stored.metadata);
      if (!Metadata.is(metadata)) return fail(stored, 'metadata is not an envelope');
      const { schemaVersion } = metadata;
      if (!Number.isInteger(schemaVersion) || schemaVersion < 1) return fail(stored, 'no such schema version');
      const steps = stepsOf(stored.type);
      if (schemaVersion > steps.length + 1)
        return fail(stored, `schema version ${schemaVersion} is newer than this program`);
      // reason: JSON.parse gives nothing but Json
      const { reason, data: asStored } = partReason(JSON.parse(stored.data) as Json);
      if (reason !== undefined && typeof reason !== 'string') return fail(stored, 'its reason is no text');
      let data = asStored;
      for (const upcast of steps.slice(schemaVersion - 1)) data = upcast(data);
      const event: unknown = { type: stored.type, data };
      if (!codec.is(event)) return fail(stored, formatValidationErrors(codec.decode(event)));
      const { id, stream, revision, position } = stored;
      return E.right({ id, stream, revision, position, event, reason, metadata });
    } catch (error) {
      // The parser's own message would quote the data.
      return fail(stored, error instanceof SyntaxError ? 'not JSON' : 'the upcasters of this program do not fit it');
    }
  };

  return { schemaVersionOf, decode, outlines: (shown) => makeFindOutline(codec, shown) };
};
