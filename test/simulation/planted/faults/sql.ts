import type { PlantedFault } from '../planted-fault.js';

const BATCH = 'projections/engine/postgres/rows/write-batch.ts';
const LEASES = 'projections/engine/postgres/leases.ts';
const REWRITE = 'projections/engine/postgres/rows/rewrite.ts';

const CHECKPOINT_NOT_COMPARED = {
  file: BATCH,
  is: 'checkpoint_commit is not distinct from $7::bigint',
  becomes: '($7::bigint is null or $7::bigint is not null)',
};

/** Of the statements by which rows are kept in Postgres. */
export const faultsOfSql: ReadonlyArray<PlantedFault> = [
  {
    name: 'checkpoint-not-compared-by-a-batch',
    harm: 'a batch that was given up, and takes effect later, sets the rows back',
    store: 'postgres',
    edits: [CHECKPOINT_NOT_COMPARED],
  },
  {
    name: 'lease-and-checkpoint-not-compared-by-a-batch',
    harm: 'two processes write the same rows',
    store: 'postgres',
    edits: [
      {
        file: BATCH,
        is: 'where name = $6 and holder = $8 and fencing = $9::bigint)',
        becomes: 'where name = $6 and $8::text is not null and $9::bigint > 0)',
      },
      CHECKPOINT_NOT_COMPARED,
    ],
  },
  {
    name: 'fencing-number-and-checkpoint-not-compared-by-a-batch',
    harm: 'a holder that has regained its lease writes what it had read before',
    store: 'postgres',
    edits: [
      { file: BATCH, is: 'holder = $8 and fencing = $9::bigint)', becomes: 'holder = $8 and $9::bigint > 0)' },
      CHECKPOINT_NOT_COMPARED,
    ],
  },
  {
    name: 'fencing-number-does-not-grow',
    harm: 'a holder that has regained its lease writes what it had read before',
    store: 'postgres',
    edits: [
      {
        file: LEASES,
        is: 'fencing = l.fencing + (l.holder <> excluded.holder)::int,',
        becomes: 'fencing = l.fencing,',
      },
      CHECKPOINT_NOT_COMPARED,
    ],
  },
  {
    name: 'rows-that-are-built-notified',
    harm: 'the rows that are live are said to be as far as those that are made beside them',
    store: 'postgres',
    edits: [{ file: BATCH, is: "case when $10::boolean and role = 'live'", becomes: 'case when $10::boolean' }],
  },
  {
    name: 'lease-taken-from-its-holder',
    harm: 'the rows change hands all the time',
    store: 'postgres',
    edits: [
      {
        file: LEASES,
        is: 'or l.expires_at < clock_timestamp() or $4',
        becomes: 'or l.expires_at < clock_timestamp() or $4 or true',
      },
    ],
  },
  {
    name: 'note-of-an-acknowledged-change-kept-for-ever',
    harm: 'the note of a change is not replaced by that of a later one, and a row that lacks the later one is shown',
    store: 'postgres',
    edits: [
      {
        file: 'projections/engine/postgres/acknowledged.ts',
        is: '\nwhere noted.position < excluded.position',
        becomes: '\nwhere noted.position > excluded.position',
      },
    ],
  },
  {
    name: 'noted-change-not-looked-for',
    harm: 'a row is shown although it was noted that it lacks an acknowledged change',
    store: 'postgres',
    edits: [
      {
        file: 'src/infrastructure/postgres/read-models/row-by-id.ts',
        is: 'coalesce(checkpoint_commit < noted.position, checkpoint_commit is null)',
        becomes: '(checkpoint_commit is null)',
      },
    ],
  },
  {
    name: 'repaired-row-not-fenced',
    harm: 'a repair that stood still writes a row as it was before events that the rows show by then',
    store: 'postgres',
    edits: [
      {
        file: REWRITE,
        is: 'i.checkpoint_commit is not distinct from $2::bigint',
        becomes: '($2::bigint is null or $2::bigint is not null)',
      },
      {
        file: REWRITE,
        is: 'and l.holder = $4 and l.fencing = $5::bigint for update',
        becomes: 'and $4::text is not null and $5::bigint > 0 for update',
      },
    ],
  },
  {
    name: 'view-not-pointed-at-the-new-rows',
    harm: 'lists show the rows that were replaced, which nobody writes any more',
    store: 'postgres',
    edits: [
      {
        file: 'projections/engine/postgres/generations.ts',
        is: 'await client.query(pointView(`read_model.${name}`, tableOf(generation)));',
        becomes: '',
      },
    ],
  },
  {
    name: 'page-begins-with-the-last-record-of-the-one-before',
    harm: 'a record is on two pages of a list',
    store: 'postgres',
    edits: [
      {
        file: 'src/infrastructure/postgres/read-models/list-order.ts',
        is: '`place ${later} ${cursor.place}`',
        becomes: '`place ${later}= ${cursor.place}`',
      },
    ],
  },
  {
    name: 'end-of-a-ledger-not-its-last-row',
    harm: 'a process that begins to write the ledger numbers its rows as others are numbered',
    store: 'postgres',
    edits: [
      {
        file: 'projections/engine/postgres/rows/ledger-rows.ts',
        is: 'from ${table} order by idx desc limit 1`',
        becomes: 'from ${table} order by idx limit 1`',
      },
    ],
  },
  {
    name: 'smallest-checkpoint-taken-for-the-largest',
    harm: 'a tree is compared with the first checkpoint alone, and signed again and again',
    store: 'postgres',
    edits: [
      {
        file: 'src/infrastructure/postgres/seal/checkpoints.ts',
        is: 'where origin = $1 order by size desc, number limit 1`;\n  const [row] = await run({ name: `largest',
        becomes: 'where origin = $1 order by size, number limit 1`;\n  const [row] = await run({ name: `largest',
      },
    ],
  },
  {
    name: 'row-not-replaced-by-a-newer-one',
    harm: 'a row stays as it was',
    store: 'postgres',
    edits: [
      {
        file: 'projections/engine/postgres/rows/entity-arrays.ts',
        is: 'where t.revision <= excluded.revision',
        becomes: 'where t.revision <= excluded.revision and t.revision < 3',
      },
    ],
  },
];
