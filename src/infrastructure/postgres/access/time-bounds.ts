/**
 * `latest` of a row is the latest time of all rows up to it, so it grows with the id. A row is late where its own time lies
 * more than a minute behind that: it was held while the database was away, or comes from a clock that is behind. Few are.
 */
export const LATE = `latest - at > interval '1 minute'`;

/** The id at which the reads since a time begin; null where there are none. `bound`: the parameter that has the time. */
export const firstSince = (bound: string): string =>
  `(select id from access.read where latest >= ${bound}::timestamptz order by latest, id limit 1)`;

/** The id behind which all reads before a time are late; 0 where all are. */
export const lastBefore = (bound: string): string =>
  `coalesce((
     select id from access.read where latest < ${bound}::timestamptz + interval '1 minute'
     order by latest desc, id desc limit 1
   ), 0)`;
