import type { either as E } from 'fp-ts';
import { unavailable } from '../../../src/infrastructure/postgres/read-models/read-model.js';
import type { ReadModelUnavailable } from '../../../src/read/queries.js';
import { ofPostgres } from './failures.js';
import type { Failure, Way } from '../way.js';

/** A call of Postgres that has failed. */
export const failed = (failure: Failure): Promise<never> => Promise.reject(ofPostgres(failure));

/** The same, as a value. */
export const unreached = (failure: Failure): Promise<E.Left<ReadModelUnavailable>> =>
  Promise.resolve({ _tag: 'Left', left: unavailable(ofPostgres(failure)) });

/** The members of a port that give promises, each as a call that rejects as the driver of Postgres does. */
export const called = <Port extends object, Name extends keyof Port & string>(
  way: Way,
  port: Port,
  names: ReadonlyArray<Name>,
): Pick<Port, Name> =>
  // reason: each is a function that gives a promise
  Object.fromEntries(
    names.map((name) => {
      const member = port[name] as (...args: ReadonlyArray<unknown>) => Promise<unknown>;
      return [name, (...args: ReadonlyArray<unknown>) => way.call(name, () => member(...args), failed)];
    }),
  ) as Pick<Port, Name>;
