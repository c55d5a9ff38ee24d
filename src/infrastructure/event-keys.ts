import { either as E } from 'fp-ts';
import type { Config } from '../config.js';
import { keyList } from '../config/variables.js';
import { type EventKeys, makeEventKey } from '../event-sourcing/event-key.js';
import { embeddedErasureKeys, embeddedEventKeys } from './disk/development-secret.js';
import type { Random } from '../event-sourcing/random.js';

const listIn = (file: string, list: string | undefined): E.Either<Error, ReadonlyArray<string>> =>
  list === undefined
    ? E.right([])
    : E.mapLeft((expected: string) => new Error(`${file}: expected ${expected}`))(keyList(list));

/**
 * The keys that all processes of this service make and check the `mac` of events with: the configured ones, else those of
 * the data directory of an embedded Postgres. None with a `DATABASE_URL` alone: a key that only one process knows would
 * make the events of all others look forged. None without a data directory, either. Rejects with errors of the file system.
 */
export const sharedEventKeys = async (
  random: Random,
  { eventKeys, databaseUrl, dataDir }: Pick<Config, 'eventKeys' | 'databaseUrl' | 'dataDir'>,
): Promise<E.Either<Error, EventKeys>> => {
  if (eventKeys !== undefined) return E.right(eventKeys.map(makeEventKey));
  if (databaseUrl !== undefined) return E.right([]);
  const list = listIn(`${dataDir}/event-key`, await embeddedEventKeys(random, dataDir));
  return E.map((secrets: ReadonlyArray<string>) => secrets.map(makeEventKey))(list);
};

/**
 * What the keys of the data at rest are kept under, the newest first: as configured, else that of the data directory of an
 * embedded Postgres. None without either. Rejects with errors of the file system.
 */
export const sharedErasureKeys = async (
  random: Random,
  { erasureKeys, databaseUrl, dataDir }: Pick<Config, 'erasureKeys' | 'databaseUrl' | 'dataDir'>,
): Promise<E.Either<Error, ReadonlyArray<string>>> => {
  if (erasureKeys !== undefined) return E.right(erasureKeys);
  return databaseUrl === undefined
    ? listIn(`${dataDir}/erasure-key`, await embeddedErasureKeys(random, dataDir))
    : E.right([]);
};
