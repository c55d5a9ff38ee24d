import { Readable } from 'node:stream';
import { either as E, option as O } from 'fp-ts';
import type { Projection, RowContent } from '../../projections/projection.js';
import type { EventStore } from '../../src/event-sourcing/event-store.js';
import { entityIdOf, type From, type Revision, type StoredEvent } from '../../src/event-sourcing/recorded-event.js';
import type { FilterValues, HiddenStates, Queries } from '../../src/read/queries.js';

type Row = { readonly state: unknown; readonly revision: Revision };

type Shown = Readonly<Record<string, unknown>>;

const matches = (body: string, filter: FilterValues): boolean => {
  const shown = JSON.parse(body) as Shown;
  return Object.entries(filter).every(([name, wanted]) =>
    wanted === ''
      ? false
      : name === 'tag'
        ? (shown['tags'] as ReadonlyArray<unknown>).includes(wanted)
        : shown[name] === wanted,
  );
};

const unknownCursor = { _tag: 'UnknownCursor' } as const;

/** A read model that folds the log when it is asked: never behind, in creation order, filtered by what it shows. */
export const inMemoryQueries = (
  store: EventStore,
  { category, serde, initialState, evolve, contentOf }: Projection,
): Queries<FilterValues> & HiddenStates => {
  const rows = new Map<string, Row>();
  let seen: From = 'start';

  const fold = (stored: StoredEvent): void => {
    const decoded = serde.decode(stored);
    if (decoded._tag === 'Left') throw new Error(decoded.left.reason);
    const { event, metadata, revision } = decoded.right;
    const id = entityIdOf(stored.stream);
    const row = rows.get(id);
    rows.set(id, { state: evolve(row === undefined ? initialState : row.state, event, metadata), revision });
  };

  const catchUp = async (): Promise<void> => {
    for await (const { events, checkpoint } of store.readAll({ after: seen, categories: [category] })) {
      events.forEach(fold);
      seen = checkpoint;
    }
  };

  const contentAt = (id: string): RowContent => contentOf(id, rows.get(id)!.state);

  const bodiesAfter = async (
    filter: FilterValues,
    after: string | undefined,
  ): Promise<ReadonlyArray<string> | undefined> => {
    await catchUp();
    if (after !== undefined && !rows.has(after)) return undefined;
    const ids = [...rows.keys()];
    return ids.slice(after === undefined ? 0 : ids.indexOf(after) + 1).flatMap((id) => {
      const { body } = contentAt(id);
      return body !== null && matches(body, filter) ? [body] : [];
    });
  };

  const byId = async <A>(id: string, render: (content: RowContent, revision: Revision) => O.Option<A>) => {
    await catchUp();
    const row = rows.get(id);
    return E.right(row === undefined ? O.none : render(contentAt(id), row.revision));
  };

  return {
    byId: (id) =>
      byId(id, ({ body }, revision) => (body === null ? O.none : O.some({ id, revision, body: Buffer.from(body) }))),
    hiddenState: (id) => byId(id, ({ hidden }, revision) => (hidden === null ? O.none : O.some({ hidden, revision }))),
    page: async (filter, { after, limit }) => {
      const bodies = await bodiesAfter(filter, after);
      if (bodies === undefined) return { _tag: 'Left', left: unknownCursor };
      const page = bodies.slice(0, limit);
      const last = page.at(-1);
      const next = bodies.length > limit && last !== undefined ? (JSON.parse(last) as { _id: string })._id : undefined;
      return { _tag: 'Right', right: { records: Buffer.from(`[${page.join(',')}]`), next } };
    },
    all: async (filter, after) => {
      const bodies = await bodiesAfter(filter, after);
      if (bodies === undefined) return { _tag: 'Left', left: unknownCursor };
      const pieces = bodies.map((body, index) => `${index === 0 ? '' : ','}${body}`);
      return { _tag: 'Right', right: Readable.from(['[', ...pieces, ']'], { objectMode: false }) };
    },
  };
};
