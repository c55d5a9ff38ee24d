import { either as E } from 'fp-ts';
import type { Config } from '../config.js';
import { keyList } from '../config/variables.js';
import { type EventKeys, makeEventKey } from '../event-sourcing/event-key.js';
import { embeddedEventKeys } from './disk/development-secret.js';
import type { Random } from '../event-sourcing/random.js';

const embedded = async (random: Random, dataDir: string): Promise<E.Either<Error, ReadonlyArray<string>>> => {
  const list = await embeddedEventKeys(random, dataDir);
  if (list === undefined) return E.right([]);
  return E.mapLeft((expected: string) => new Error(`${dataDir}/event-key: expected ${expected}`))(keyList(list));
};

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
  return E.map((secrets: ReadonlyArray<string>) => secrets.map(makeEventKey))(await embedded(random, dataDir));
};
