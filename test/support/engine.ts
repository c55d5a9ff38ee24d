import { either as E } from 'fp-ts';
import type { Pool } from 'pg';
import { businesses } from '../../projections/businesses.js';
import type { EngineEvent } from '../../projections/engine/engine-event.js';
import { operationsOn } from '../../projections/engine/operations.js';
import { makeProgress } from '../../projections/engine/run/progress.js';
import { startProjector } from '../../projections/engine/run/projector.js';
import { type Projections, startProjections } from '../../projections/engine/run/start-projections.js';
import type { Difference } from '../../projections/engine/rebuild/difference.js';
import { rebuild, type RebuildOptions } from '../../projections/engine/rebuild/rebuild.js';
import { rollBack } from '../../projections/engine/rebuild/rollback.js';
import type { ReadModelStorage } from '../../projections/engine/storage.js';
import { projectionsOf, registry } from '../../src/entities/registry.js';
import type { EventStore } from '../../src/event-sourcing/event-store.js';
import { makePool } from '../../src/postgres/pool.js';
import { makeInMemoryEventStore } from './in-memory-event-store.js';
import { makeLookout } from './lookout.js';
import { freshDatabase } from './postgres.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';
import { ownStorage, storageIn } from './read-model-storage.js';
import { untilBlocked } from './until-blocked.js';

/** The channel on which processes hear how far the live rows are. */
export const CHANNEL = 'projected';

/** The businesses of a program that renders them differently and has another key column. */
export const changed: typeof businesses = {
  ...businesses,
  revision: businesses.revision + 1,
  keys: [
    ...businesses.keys.slice(1),
    {
      name: 'city',
      type: 'text',
      filter: 'city',
      cellOf: (state) => (state._tag === 'Active' ? state.fields.city : null),
    },
  ],
};

type Role = 'live' | 'building' | 'previous';

type Rebuilding = Partial<Omit<RebuildOptions, 'projection'>> & {
  readonly projection?: typeof businesses;
};

/** A process that knows how far the live rows of the businesses are. */
type Shows = { readonly reached: () => bigint };

const silent = {
  onOpened: () => undefined,
  onChunksLoaded: () => undefined,
  onProgress: () => undefined,
  onBuilt: () => undefined,
};

/** What the rows of the businesses say of themselves. */
const lookAt = (database: Pool) => {
  const column = async (text: string, ...values: ReadonlyArray<unknown>): Promise<ReadonlyArray<string | null>> =>
    (
      await database.query<{ value: string | null }>(`select value::text from (${text}) as asked (value)`, [...values])
    ).rows.map(({ value }) => value);
  const tableOf = async (role: Role): Promise<string> => {
    const text = `select table_name from read_model.instance where projection = 'businesses' and role = $1`;
    const [table] = await column(text, role);
    if (table === null || table === undefined) throw new Error(`no rows are ${role}`);
    return table;
  };
  return {
    tableOf,
    /** In the order in which they were made. */
    roles: () => column(`select role from read_model.instance where projection = 'businesses' order by created_at`),
    versions: () =>
      column(`select version from read_model.instance where projection = 'businesses' order by created_at`),
    /** The names that lists show. */
    names: () => column(`select body::json->>'name' from read_model.businesses order by place`),
    /** Revisions of the rows that have this role, which need not be those that lists show. */
    revisions: async (role: Role) => column(`select revision from read_model.${await tableOf(role)} order by place`),
    /** How far they are in the log. */
    checkpoint: async (role: Role) =>
      (await column('select checkpoint_commit from read_model.instance where table_name = $1', await tableOf(role)))[0],
    /** Who may write them now. */
    holder: async (role: Role) => {
      const text = 'select holder from read_model.lease where name = $1 and expires_at > clock_timestamp()';
      return (await column(text, await tableOf(role)))[0];
    },
  };
};

/** What it came to, or the failure as it is. */
export const orThrow = <Failure, A>(outcome: E.Either<Failure, A>): A => {
  // eslint-disable-next-line @typescript-eslint/only-throw-error -- a test expects the failure itself
  if (E.isLeft(outcome)) throw outcome.left;
  return outcome.right;
};

/** The engine on a database and a log of its own, by the entries that services and commands have. */
export const makeEngine = async () => {
  const connectionString = await freshDatabase();
  const store = makeInMemoryEventStore();
  const database = makePool({ connectionString, name: 'test', connections: 12, connectMs: 5_000 });
  const { on, onClock, note, until } = makeLookout();
  const runtime = { ...systemRuntime, clock: onClock(systemRuntime.clock) };
  const storage = on(storageIn(database));
  const look = lookAt(database);
  const events: Array<string> = [];
  const say = (event: string): void => {
    events.push(event);
    note();
  };
  const stops: Array<() => Promise<void>> = [];

  /** A service. */
  const serve = ({ store: own = store, ...over }: Partial<Parameters<typeof startProjections>[0]> = {}): Projections &
    Shows => {
    const projections = startProjections({
      runtime,
      store: on(own),
      projections: projectionsOf(registry),
      storage: on(ownStorage(connectionString)),
      projector: true,
      isSoleProcess: false,
      rollbackWindowMs: 60_000,
      onEvent: ({ projection, _tag }) => say(`${projection} ${_tag}`),
      ...over,
    });
    stops.push(projections.stop);
    return { ...projections, reached: () => projections.byName('businesses').status().reached };
  };

  /** What a service with this version of the businesses does for them. */
  const follow = (projection: typeof businesses, { store: own = store }: { readonly store?: EventStore } = {}) => {
    const stopping = new AbortController();
    const progress = makeProgress(runtime.clock);
    const version = projection === changed ? 'changed' : 'businesses';
    const onEvent = ({ _tag }: EngineEvent): void => say(`${version} ${_tag}`);
    const deps = {
      runtime,
      storage,
      store: on(own),
      projection,
      progress,
      decisions: undefined,
      wrongLogOf: () => undefined,
      notifies: true,
      isSoleProcess: false,
      onEvent,
    };
    const { stopped } = startProjector(deps, stopping.signal);
    const stop = async (): Promise<void> => {
      stopping.abort();
      await stopped;
    };
    stops.push(stop);
    return { reached: progress.reached, stop };
  };

  return {
    ...look,
    /** Looks whenever the log, the rows or the clock has answered or told something to one of these processes. */
    until,
    runtime,
    connectionString,
    store,
    database,
    storage,
    events,
    serve,
    follow,
    operations: async () => orThrow(await operationsOn(systemRuntime, store, storage, projectionsOf(registry))),
    /** Whether the rows show all up to `position`, now or soon. */
    shown: ({ reached }: Shows, position: bigint): Promise<boolean> => until(() => reached() >= position),
    /** Whether it was said, now or soon, so many times. */
    said: (event: string, times = 1): Promise<boolean> =>
      until(() => events.filter((said) => said === event).length >= times),
    /** Waits until a statement begun after `since` waits for somebody else's lock, and gives how many do. */
    blocked: (since: Date): Promise<number> => untilBlocked(database, { since }),
    /** Waits until a switch waits for whoever reads the live rows, and gives how many do. Who renews a lease may wait behind it. */
    blockedSwitches: (): Promise<number> => untilBlocked(database, { query: 'drop view %' }),
    /** Rebuilds the businesses, and switches unless asked otherwise. */
    rebuild: async ({ projection = businesses, ...over }: Rebuilding = {}) => {
      const differences: Array<Difference> = [];
      const rebuilt = orThrow(
        await rebuild({
          runtime,
          storage,
          store,
          projection,
          isFromScratch: false,
          differences: { keep: 3, onDifference: (difference) => Promise.resolve(void differences.push(difference)) },
          decide: () => Promise.resolve('switch'),
          observer: silent,
          signal: new AbortController().signal,
          ...over,
        }),
      );
      return { ...rebuilt, differences };
    },
    rollBack: async (over: { readonly store?: EventStore; readonly storage?: ReadModelStorage } = {}) =>
      orThrow(
        await rollBack({
          runtime,
          storage,
          store,
          projection: businesses,
          signal: new AbortController().signal,
          ...over,
        }),
      ),
    /** Another process takes the right to write these rows, and keeps it. */
    takeLease: async (role: Role): Promise<void> => {
      const text = `update read_model.lease
        set holder = 'another', fencing = fencing + 1, expires_at = 'infinity' where name = $1`;
      await database.query(text, [await look.tableOf(role)]);
    },
    /** Holds the live rows' place in the log, as a comparison does, for the time of `work`. */
    whileLiveIsLocked: async <A>(work: () => Promise<A>): Promise<A> => {
      const client = await database.connect();
      try {
        await client.query('begin');
        await client.query(`select from read_model.instance where role = 'live' for update`);
        return await work();
      } finally {
        await client.query('rollback');
        client.release();
      }
    },
    close: async (): Promise<void> => {
      await Promise.all(stops.map((stop) => stop()));
      await database.end();
    },
  };
};

export type Engine = Awaited<ReturnType<typeof makeEngine>>;

/** The log, whose followers see nothing of it before `open` is called. */
export const gated = (store: EventStore): { readonly store: EventStore; readonly open: () => void } => {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return {
    open: () => open(),
    store: {
      ...store,
      subscribe: async function* (range, signal) {
        await opened;
        yield* store.subscribe(range, signal);
      },
    },
  };
};

/** What a promise ends with, good or bad. */
export const outcomeOf = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);
