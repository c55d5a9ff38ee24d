import { Readable } from 'node:stream';
import { either as E, option as O } from 'fp-ts';
import type { Decider } from '../../src/event-sourcing/decider.js';
import type { EventStore } from '../../src/event-sourcing/event-store.js';
import { entityIdOf, type From, type Revision, type StoredEvent } from '../../src/event-sourcing/recorded-event.js';
import type { DomainEvent, Serde } from '../../src/event-sourcing/serde.js';
import type { Queries } from '../../src/read/queries.js';

type Source<State, Event extends DomainEvent> = {
  readonly store: EventStore;
  readonly category: string;
  readonly serde: Serde<Event>;
  readonly fold: Pick<Decider<State, never, Event, never>, 'initialState' | 'evolve'>;
  readonly render: (id: string, state: State) => string | undefined;
};

type Row<State> = { readonly state: State; readonly revision: Revision };

type Shown = Readonly<Record<string, unknown>>;

const matches = (body: string, filter: object): boolean => {
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
export const inMemoryQueries = <State, Event extends DomainEvent, Filter extends object>(
  source: Source<State, Event>,
): Queries<Filter> & { readonly stateOf: (id: string) => Promise<Row<State> | undefined> } => {
  const rows = new Map<string, Row<State>>();
  let seen: From = 'start';

  const fold = (stored: StoredEvent): void => {
    const decoded = source.serde.decode(stored);
    if (decoded._tag === 'Left') throw new Error(decoded.left.reason);
    const { event, metadata, revision } = decoded.right;
    const id = entityIdOf(stored.stream);
    const state = source.fold.evolve(rows.get(id)?.state ?? source.fold.initialState, event, metadata);
    rows.set(id, { state, revision });
  };

  const catchUp = async (): Promise<void> => {
    for await (const { events, checkpoint } of source.store.readAll({ after: seen, categories: [source.category] })) {
      events.forEach(fold);
      seen = checkpoint;
    }
  };

  const bodiesAfter = async (filter: Filter, after: string | undefined): Promise<ReadonlyArray<string> | undefined> => {
    await catchUp();
    if (after !== undefined && !rows.has(after)) return undefined;
    const ids = [...rows.keys()];
    return ids.slice(after === undefined ? 0 : ids.indexOf(after) + 1).flatMap((id) => {
      const body = source.render(id, rows.get(id)!.state);
      return body !== undefined && matches(body, filter) ? [body] : [];
    });
  };

  const stateOf = async (id: string): Promise<Row<State> | undefined> => {
    await catchUp();
    return rows.get(id);
  };

  return {
    stateOf,
    byId: async (id) => {
      const row = await stateOf(id);
      const body = row === undefined ? undefined : source.render(id, row.state);
      return E.right(row === undefined || body === undefined ? O.none : O.some({ id, revision: row.revision, body }));
    },
    page: async (filter, { after, limit }) => {
      const bodies = await bodiesAfter(filter, after);
      if (bodies === undefined) return { _tag: 'Left', left: unknownCursor };
      const page = bodies.slice(0, limit);
      const last = page.at(-1);
      const next = bodies.length > limit && last !== undefined ? (JSON.parse(last) as { _id: string })._id : undefined;
      return { _tag: 'Right', right: { records: page, next } };
    },
    all: async (filter, after) => {
      const bodies = await bodiesAfter(filter, after);
      if (bodies === undefined) return { _tag: 'Left', left: unknownCursor };
      const pieces = bodies.map((body, index) => `${index === 0 ? '' : ','}${body}`);
      return { _tag: 'Right', right: Readable.from(['[', ...pieces, ']'], { objectMode: false }) };
    },
  };
};
