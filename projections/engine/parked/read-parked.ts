import type { Position, Revision, StreamName } from '../../../src/event-sourcing/recorded-event.js';
import type { Database } from '../../../src/postgres/pool.js';

/** A parked entity of the live rows: one of its events cannot be projected. */
export type Parked = {
  readonly projection: string;
  readonly stream: StreamName;
  /** Revision of that event. */
  readonly revision: Revision;
  readonly position: Position;
  readonly eventId: string;
  readonly error: string;
  /** Version of the projection that could not project it. */
  readonly codeVersion: string;
  /** Events of the stream that are not projected, that one included. */
  readonly waiting: number;
  readonly since: Date;
};

type Row = {
  readonly projection: string;
  readonly stream: StreamName;
  readonly revision: string;
  readonly position: string;
  readonly event_id: string;
  readonly error: string;
  readonly code_version: string;
  readonly waiting: string;
  readonly since: Date;
};

const PARKED = `
select i.projection, p.stream, p.revision, p.position, p.event_id, p.error, p.code_version, p.waiting, p.since
from read_model.parked p join read_model.instance i using (table_name)
where i.role = 'live'`;

const toParked = ({ revision, position, event_id: eventId, code_version: codeVersion, ...row }: Row): Parked => ({
  projection: row.projection,
  stream: row.stream,
  revision: BigInt(revision),
  position: BigInt(position),
  eventId,
  error: row.error,
  codeVersion,
  waiting: Number(row.waiting),
  since: row.since,
});

/** At most `limit` parked entities, the longest parked first. */
export const listParked = async (database: Database, limit: number): Promise<ReadonlyArray<Parked>> => {
  const { rows } = await database.query<Row>(`${PARKED} order by p.since, p.position limit $1`, [limit]);
  return rows.map(toParked);
};

export const findParked = async (database: Database, stream: StreamName): Promise<Parked | undefined> => {
  const { rows } = await database.query<Row>(`${PARKED} and p.stream = $1`, [stream]);
  return rows[0] && toParked(rows[0]);
};
