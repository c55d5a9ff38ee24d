import type { StreamName } from '../../../src/event-sourcing/recorded-event.js';
import type { Database } from '../../../src/postgres/pool.js';
import type { Parked } from '../parked/parked.js';

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

const COUNT = `
select i.projection, count(*)::int as entities
from read_model.parked p join read_model.instance i using (table_name)
where i.role = 'live' group by i.projection`;

/** Entities parked in the live rows, by projection. */
export const countParked = async (database: Database): Promise<Readonly<Record<string, number>>> => {
  const { rows } = await database.query<{ readonly projection: string; readonly entities: number }>(COUNT);
  return Object.fromEntries(rows.map(({ projection, entities }) => [projection, entities]));
};
