import type { Revision } from '../event-sourcing/recorded-event.js';

/** What every record shows of its history, whatever its kind. */
export type Lifecycle = {
  /** Time of its first event, ISO 8601 UTC. */
  readonly createdAt: string;
  /** Time of the event that it is the state after. */
  readonly updatedAt: string;
  /** Of that event: what its `ETag` names. */
  readonly revision: Revision;
};

const CREATED_AT = ',"createdAt":';

/** The JSON text that answers show of a record: the object of its own members, and its lifecycle at the end. */
export const withLifecycle = (record: string, { createdAt, updatedAt, revision }: Lifecycle): string =>
  `${record.slice(0, -1)}${CREATED_AT}${JSON.stringify(createdAt)},"updatedAt":${JSON.stringify(updatedAt)},"revision":${revision}}`;

/** The parts of a text that `withLifecycle` made: the object of the record's own members, and the time of its creation. */
export const partLifecycle = (body: string): { readonly record: string; readonly createdAt: string } => {
  // the last: a value that reads like it has its quotes escaped
  const end = body.lastIndexOf(CREATED_AT);
  // reason: `withLifecycle` wrote this object
  const { createdAt } = JSON.parse(`{${body.slice(end + 1)}`) as Pick<Lifecycle, 'createdAt'>;
  return { record: `${body.slice(0, end)}}`, createdAt };
};
