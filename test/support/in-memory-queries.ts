import { Readable } from 'node:stream';
import { either as E, option as O } from 'fp-ts';
import { shownContentOf } from '../../projections/engine/rows/rows.js';
import { foldEntity, newEntity } from '../../projections/engine/rows/fold-batch.js';
import type { Entity } from '../../projections/engine/rows/rows.js';
import type { Projection, RowContent } from '../../projections/projection.js';
import type { EventStore } from '../../src/event-sourcing/event-store.js';
import { entityIdOf, type From, type Revision, type StoredEvent } from '../../src/event-sourcing/recorded-event.js';
import type {
  Cursor,
  FilterValues,
  HiddenStates,
  ListRequest,
  Order,
  Queries,
  RecordFilter,
} from '../../src/read/queries.js';
import { wordsOf } from '../../src/read/words.js';

type Shown = Readonly<Record<string, unknown>>;

type Filter = FilterValues & RecordFilter;

const hasWords = ({ textsOf }: Projection, { state }: Entity, q: string): boolean => {
  const own = [...wordsOf(textsOf(state))];
  const wanted = [...wordsOf([q])];
  return wanted.length > 0 && wanted.every((beginning) => own.some((word) => word.startsWith(beginning)));
};

const hasValue = (shown: Shown, name: string, wanted: string): boolean => {
  if (wanted === '') return false;
  if (name === 'tag') return (shown['tags'] as ReadonlyArray<unknown>).includes(wanted);
  if (name === 'owner') return (shown['owners'] as ReadonlyArray<Shown>).some(({ user }) => user === wanted);
  return shown[name] === wanted;
};

const matches = (projection: Projection, entity: Entity, body: string, filter: Filter): boolean => {
  const { q, createdSince, updatedSince, ...values } = filter;
  const shown = JSON.parse(body) as Shown;
  return (
    Object.entries(values).every(([name, wanted]) => wanted === undefined || hasValue(shown, name, wanted)) &&
    (q === undefined || hasWords(projection, entity, q)) &&
    (createdSince === undefined || entity.createdAt! >= createdSince) &&
    (updatedSince === undefined || entity.updatedAt! >= updatedSince)
  );
};

type Listed = Cursor & { readonly place: bigint; readonly body: string | null };

const byText = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));

const compare = ({ isDescending }: Order, one: Listed, other: Listed): number => {
  const compared = byText(one.key ?? '', other.key ?? '');
  const inOrder = compared === 0 ? Number(one.place - other.place) : compared;
  return isDescending ? -inOrder : inOrder;
};

const unknownCursor = { _tag: 'UnknownCursor' } as const;

/** A read model that folds the log when it is asked: never behind, filtered and sorted by what it shows. */
export const inMemoryQueries = (store: EventStore, projection: Projection): Queries<FilterValues> & HiddenStates => {
  const { category, keys } = projection;
  const entities = new Map<string, Entity>();
  let seen: From = 'start';

  const fold = (stored: StoredEvent): void => {
    const id = entityIdOf(stored.stream);
    const { entity, parking } = foldEntity(projection, entities.get(id) ?? newEntity(projection, id, stored), [stored]);
    if (parking !== undefined) throw new Error(parking.reason);
    entities.set(id, entity);
  };

  const catchUp = async (): Promise<void> => {
    for await (const { events, checkpoint } of store.readAll({ after: seen, categories: [category] })) {
      events.forEach(fold);
      seen = checkpoint;
    }
  };

  const rowsAfter = async (
    filter: Filter,
    { order, after }: ListRequest,
  ): Promise<ReadonlyArray<Cursor & { readonly body: string }> | undefined> => {
    await catchUp();
    const begin = after && entities.get(after.id);
    if (after !== undefined && begin === undefined) return undefined;
    const text = keys.find(({ sort }) => sort === order.by);
    const from = after && { ...after, place: begin!.creationPosition, body: null };
    return [...entities.values()]
      .map((entity) => {
        const { body } = shownContentOf(projection, entity);
        const isListed = body !== null && matches(projection, entity, body, filter);
        const { id, creationPosition: place, state } = entity;
        return { id, key: text?.cellOf(state) ?? undefined, place, body: isListed ? body : null };
      })
      .filter((row) => from === undefined || compare(order, from, row) < 0)
      .sort((one, other) => compare(order, one, other))
      .flatMap(({ body, ...row }) => (body === null ? [] : [{ ...row, body }]));
  };

  const byId = async <A>(id: string, render: (content: RowContent, revision: Revision) => O.Option<A>) => {
    await catchUp();
    const entity = entities.get(id);
    return E.right(entity === undefined ? O.none : render(shownContentOf(projection, entity), entity.revision));
  };

  return {
    byId: (id) =>
      byId(id, ({ body }, revision) => (body === null ? O.none : O.some({ id, revision, body: Buffer.from(body) }))),
    hiddenState: (id) => byId(id, ({ hidden }, revision) => (hidden === null ? O.none : O.some({ hidden, revision }))),
    page: async (filter, { limit, ...list }) => {
      const rows = await rowsAfter(filter, list);
      if (rows === undefined) return E.left(unknownCursor);
      const page = rows.slice(0, limit);
      const last = page.at(-1);
      const next = rows.length > limit && last !== undefined ? { id: last.id, key: last.key } : undefined;
      return E.right({ records: Buffer.from(`[${page.map(({ body }) => body).join(',')}]`), next });
    },
    all: async (filter, list) => {
      const rows = await rowsAfter(filter, list);
      if (rows === undefined) return E.left(unknownCursor);
      const pieces = rows.map(({ body }, index) => `${index === 0 ? '' : ','}${body}`);
      return E.right(Readable.from(['[', ...pieces, ']'], { objectMode: false }));
    },
  };
};
