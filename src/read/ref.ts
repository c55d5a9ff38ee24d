import type { EntityKind } from '../domain/shared/entity-kind.js';

/** A related entity, as an event names it. */
export type Ref = { readonly entity: string; readonly entityType: EntityKind };

/** What became of a record, an event of which nothing is left, or a decision of operators; the exact event is its `name`. */
export type EventKind = 'created' | 'updated' | 'deleted' | 'erased' | 'decided';

/** What an auditor reads of an event beside its envelope: one sentence that names fields, never values. */
export type Description = {
  readonly type: EventKind;
  readonly message: string;
  readonly refs: ReadonlyArray<Ref>;
  /** What it gave a value or changed, by name: what one asks for who wants to know who changed it. */
  readonly fields: ReadonlyArray<string>;
};

/** `a`, `a and b`, `a, b and c`. */
export const enumerate = (names: ReadonlyArray<string>): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;
