import type { Position, Revision } from '../../../src/event-sourcing/recorded-event.js';
import type { Projection, RowContent } from '../../projection.js';
import type { StreamSummary } from '../../snapshot.js';
import { withLifecycle } from '../../../src/read/record-body.js';
import { wordsOf } from '../../../src/read/words.js';
import type { TextRow } from './differing-fields.js';
import { wordsLiteral } from './words-literal.js';

/** One entity, as its row holds it. */
export type Entity = {
  readonly id: string;
  /** Opaque to the engine; of the projection's type. */
  readonly state: unknown;
  /** Revision of the last folded event; -1 before the first. */
  readonly revision: Revision;
  /** Position of its first event. */
  readonly creationPosition: Position;
  /** Times of the first and of the last event that were folded; null before the first. */
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
  /** An event could not be projected; the row stays as it was before that event. */
  readonly isParked: boolean;
  /** Undefined when the state is not that of the whole stream (an event was skipped), or may not be. */
  readonly summary: StreamSummary | undefined;
};

/** What the log determines of a row beside id, place, revision and keys, in the text format of Postgres. */
type ShownContent = RowContent & {
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
  readonly words: string | null;
};

const shownContentOf = (
  { contentOf, textsOf }: Projection,
  { id, state, revision, createdAt, updatedAt }: Entity,
): ShownContent => {
  const { body: record, hidden } = contentOf(id, state);
  const body =
    record === null
      ? null
      : withLifecycle(record, { createdAt: createdAt ?? '', updatedAt: updatedAt ?? '', revision });
  return { body, hidden, createdAt, updatedAt, words: wordsLiteral(wordsOf(textsOf(state))) };
};

/** What a row holds of its entity. */
type WrittenContent = ShownContent & {
  /** The text that signs the row; null when it may not stand in for the fold of its stream. */
  readonly snapshot: string | null;
};

export const writtenContentOf = (projection: Projection, entity: Entity): WrittenContent => {
  const shown = shownContentOf(projection, entity);
  const { body, hidden } = shown;
  const { id, creationPosition, revision, summary } = entity;
  const snapshot = summary && projection.snapshots?.sign({ id, creationPosition, revision, body, hidden }, summary);
  return { ...shown, snapshot: snapshot ?? null };
};

/** The row that an entity makes, as text. */
export const rowOf = (projection: Projection, entity: Entity): TextRow => {
  const { id, creationPosition, revision, isParked, state } = entity;
  const { body, hidden, createdAt, updatedAt, words } = shownContentOf(projection, entity);
  return {
    id,
    place: creationPosition.toString(),
    revision: revision.toString(),
    parked: String(isParked),
    body,
    kept: hidden,
    created_at: createdAt,
    updated_at: updatedAt,
    words,
    ...Object.fromEntries(projection.keys.map(({ name, cellOf }) => [name, cellOf(state)])),
  };
};
