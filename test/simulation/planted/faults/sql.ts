import type { PlantedFault } from '../planted-fault.js';

const BATCH = 'projections/engine/postgres/rows/write-batch.ts';
const LEASES = 'projections/engine/postgres/leases.ts';

/** Of the statements by which rows are kept in Postgres. */
export const faultsOfSql: ReadonlyArray<PlantedFault> = [
  {
    name: 'fencing-number-not-compared-by-a-batch',
    harm: 'a holder that has regained its lease writes what it had read before',
    store: 'postgres',
    edits: [{ file: BATCH, is: 'holder = $8 and fencing = $9::bigint)', becomes: 'holder = $8 and $9::bigint > 0)' }],
  },
  {
    name: 'lease-not-checked-by-a-batch',
    harm: 'a process that has lost the rows to another one writes them',
    store: 'postgres',
    edits: [
      {
        file: BATCH,
        is: 'where name = $6 and holder = $8 and fencing = $9::bigint)',
        becomes: 'where name = $6 and $8::text is not null and $9::bigint > 0)',
      },
    ],
  },
  {
    name: 'checkpoint-not-compared-by-a-batch',
    harm: 'a batch is written over rows that are elsewhere',
    store: 'postgres',
    edits: [
      {
        file: BATCH,
        is: 'checkpoint_commit is not distinct from $7::bigint',
        becomes: '($7::bigint is null or $7::bigint is not null)',
      },
    ],
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
      {
        file: BATCH,
        is: 'checkpoint_commit is not distinct from $7::bigint',
        becomes: '($7::bigint is null or $7::bigint is not null)',
      },
    ],
  },
  {
    name: 'rows-that-are-built-notified',
    harm: 'the rows that are live are said to be as far as those that are made beside them',
    store: 'postgres',
    edits: [{ file: BATCH, is: "case when $10::boolean and role = 'live'", becomes: 'case when $10::boolean' }],
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
    ],
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
    name: 'lease-not-asked-for-by-a-change',
    harm: 'rows become live whose writer is another process by then',
    store: 'postgres',
    edits: [
      {
        file: LEASES,
        is: 'where name = $1 and holder = $2 and fencing = $3::bigint for share',
        becomes: 'where name = $1 and $2::text is not null and $3::bigint > 0 for share',
      },
    ],
  },
  {
    name: 'note-of-an-acknowledged-change-goes-back',
    harm: 'the note of a change is replaced by that of an earlier one, and a row that lacks the change is shown',
    store: 'postgres',
    edits: [
      {
        file: 'projections/engine/postgres/acknowledged.ts',
        is: '\nwhere noted.position < excluded.position',
        becomes: '',
      },
    ],
  },
  {
    name: 'repaired-row-not-fenced',
    harm: 'a repair writes a row as it was before events that the rows show by then',
    store: 'postgres',
    edits: [
      {
        file: 'projections/engine/postgres/rows/rewrite.ts',
        is: 'i.checkpoint_commit is not distinct from $2::bigint',
        becomes: '($2::bigint is null or $2::bigint is not null)',
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
