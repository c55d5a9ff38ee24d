import { either as E } from 'fp-ts';
import type { EntityRows, LedgerRows, ReadModelStorage, RowStorage } from '../../projections/engine/storage.js';
import { type EventStore, StoreUnavailable } from '../../src/event-sourcing/event-store.js';
import type { Way } from './way.js';

const away = (cause: Error): StoreUnavailable => new StoreUnavailable(cause.message, { cause });

const throwing = (cause: Error): Promise<never> => Promise.reject(away(cause));

/** The log, as a process reaches it. */
export const logBy = (way: Way, store: EventStore): EventStore => ({
  append: (...args) =>
    way.call(
      'append',
      () => store.append(...args),
      (cause) => Promise.resolve(E.left(away(cause))),
    ),
  newestRevision: (stream) =>
    way.call(
      'newest revision',
      () => store.newestRevision(stream),
      (cause) => Promise.resolve(E.left(away(cause))),
    ),
  head: (categories) =>
    way.call(
      'head',
      () => store.head(categories),
      (cause) => Promise.resolve(E.left(away(cause))),
    ),
  reaches: (checkpoint) =>
    way.call(
      'reaches',
      () => store.reaches(checkpoint),
      (cause) => Promise.resolve(E.left(away(cause))),
    ),
  identity: () => way.call('identity', store.identity, (cause) => Promise.resolve(E.left(away(cause)))),
  readStream: (stream, range) => way.pull('read stream', store.readStream(stream, range), throwing),
  readAll: (range) => way.pull('read log', store.readAll(range), throwing),
  subscribe: (range, signal) => way.pull('subscribe', store.subscribe(range, signal), throwing),
});

/** As the driver of Postgres says it. */
const lost = (cause: Error): Promise<never> => Promise.reject(new Error(`Connection terminated: ${cause.message}`));

/** The members of a port that give promises, each as a call. */
const called = <Port extends object, Name extends keyof Port & string>(
  way: Way,
  port: Port,
  names: ReadonlyArray<Name>,
): Pick<Port, Name> =>
  // reason: each is a function that gives a promise
  Object.fromEntries(
    names.map((name) => {
      const member = port[name] as (...args: ReadonlyArray<unknown>) => Promise<unknown>;
      return [name, (...args: ReadonlyArray<unknown>) => way.call(name, () => member(...args), lost)];
    }),
  ) as Pick<Port, Name>;

const rowsBy = (way: Way, storage: RowStorage): RowStorage => ({
  entityRows: (writer): EntityRows => {
    const rows = storage.entityRows(writer);
    return {
      ...called(way, rows, ['step', 'writeWithParking', 'read', 'parkedStreams']),
      prepare: (entities) => {
        const write = rows.prepare(entities);
        return (step) => way.call('write rows', () => write(step), lost);
      },
    };
  },
  ledgerRows: (writer): LedgerRows => {
    const rows = storage.ledgerRows(writer);
    return {
      ...called(way, rows, ['step', 'end', 'leaves', 'readTiles', 'writeTiles']),
      prepare: (batch) => {
        const write = rows.prepare(batch);
        return (step) => way.call('write ledger', () => write(step), lost);
      },
    };
  },
});

const WHOLE = [
  'migrate',
  'isMigrated',
  'generations',
  'statuses',
  'liveCheckpoints',
  'noteAcknowledged',
  'acquire',
  'release',
  'change',
  'holdsMore',
  'complete',
  'compare',
  'rewrite',
  'whyRejected',
  'countParked',
  'listParked',
  'findParked',
] as const satisfies ReadonlyArray<keyof ReadModelStorage>;

/** The read models, as a process reaches them. */
export const storageBy = (way: Way, storage: ReadModelStorage): ReadModelStorage => ({
  ...rowsBy(way, storage),
  ...called(way, storage, WHOLE),
  // when the storage is away, the lease expires instead
  release: (lease) =>
    way.call(
      'release',
      () => storage.release(lease),
      () => Promise.resolve(),
    ),
  whileWriting: (work) => storage.whileWriting((rows) => work(rowsBy(way, rows))),
  listen: (onCheckpoint, onLost, signal) =>
    storage.listen((readModel, commit) => way.hear(() => onCheckpoint(readModel, commit)), onLost, signal),
  storedRows: (projection, generation) =>
    called(way, storage.storedRows(projection, generation), [
      'snapshots',
      'texts',
      'idsAfter',
      'sample',
      'idBehind',
      'missing',
    ]),
  storedLedger: (ledger) => called(way, storage.storedLedger(ledger), ['size', 'rows', 'placesOf', 'readTiles']),
});

type Member = (...given: ReadonlyArray<unknown>) => unknown;

/** What a call of a port gives, on its way: a promise, batches, or what is called in turn. */
const onItsWay = (way: Way, name: string, given: unknown): unknown => {
  if (given instanceof Promise)
    return way.call(
      name,
      () => given,
      (cause) => Promise.reject(cause),
    );
  if (typeof given === 'function')
    return (...args: ReadonlyArray<unknown>): unknown => onItsWay(way, name, (given as Member)(...args)); // reason: it is one
  if (typeof given !== 'object' || given === null) return given;
  if (Symbol.asyncIterator in given)
    return way.pull(name, given as AsyncIterable<unknown>, (cause) => Promise.reject(cause)); // reason: it is one
  return Object.values(given).some((member) => typeof member === 'function') ? answeredLater(way, given) : given;
};

/** A port whose calls take effect at once and are answered a while later. */
export const answeredLater = <Port extends object>(way: Way, port: Port): Port =>
  new Proxy(port, {
    get: (target, key) => {
      const member: unknown = Reflect.get(target, key);
      return typeof member === 'function' ? onItsWay(way, String(key), member.bind(target)) : member;
    },
  });
