/** The ports that have a contract suite; the names begin those of the suites. */
export const SUITES = ['event store', 'object storage', 'checkpoint archive', 'queries'] as const;

export type Suite = (typeof SUITES)[number];

export type Environment = Readonly<Record<string, string | undefined>>;

/** An implementation, and the tests that run the suites on it. */
export type Adapter = {
  readonly name: string;
  readonly suites: ReadonlyArray<Suite>;
  readonly files: ReadonlyArray<string>;
  /** Variables that say where its server is; without them it is not reached. */
  readonly needs: ReadonlyArray<string>;
  /** Of the tests in `files` only those whose names match. */
  readonly grep?: string;
};

const POSTGRES = [
  'test/infrastructure/postgres/postgres-event-store.integration.test.ts',
  'test/infrastructure/postgres/queries.integration.test.ts',
];
const S3 = ['object-storage', 'checkpoint-archive'].map((name) => `test/infrastructure/s3/${name}.integration.test.ts`);
const STORAGE: ReadonlyArray<Suite> = ['object storage', 'checkpoint archive'];

/** Where real servers can be named. An adapter sees those it needs and no others. */
export const SERVERS = [
  'DATABASE_URL',
  'EVENTSTOREDB_URL',
  'S3_ENDPOINT',
  'S3_BUCKET',
  'S3_ACCESS_KEY',
  'S3_SECRET_KEY',
] as const;

export const ADAPTERS: ReadonlyArray<Adapter> = [
  {
    name: 'in memory',
    suites: ['event store', 'queries'],
    files: ['test/support/in-memory-event-store.test.ts', 'test/support/in-memory-queries.test.ts'],
    needs: [],
  },
  {
    name: 'rows in memory',
    suites: ['queries'],
    files: ['test/contract/run/queries.memory.test.ts'],
    needs: [],
  },
  { name: 'Postgres, embedded', suites: ['event store', 'queries'], files: POSTGRES, needs: [] },
  { name: 'Postgres at DATABASE_URL', suites: ['event store', 'queries'], files: POSTGRES, needs: ['DATABASE_URL'] },
  {
    name: 'EventStoreDB, double on the wire',
    suites: ['event store'],
    files: ['test/infrastructure/eventstoredb/event-store-db.integration.test.ts'],
    needs: [],
  },
  {
    name: 'EventStoreDB at EVENTSTOREDB_URL',
    suites: ['event store'],
    files: ['test/infrastructure/eventstoredb/real-event-store-db.integration.test.ts'],
    needs: ['EVENTSTOREDB_URL'],
  },
  {
    name: 'disk',
    suites: STORAGE,
    files: ['object-storage', 'checkpoint-archive'].map(
      (name) => `test/infrastructure/disk/${name}.integration.test.ts`,
    ),
    needs: [],
  },
  { name: 'S3, s3rver on the wire', suites: STORAGE, files: S3, needs: [] },
  {
    name: 'S3 at S3_ENDPOINT',
    suites: STORAGE,
    files: S3,
    needs: ['S3_ENDPOINT', 'S3_BUCKET', 'S3_ACCESS_KEY', 'S3_SECRET_KEY'],
    grep: 'S3 at',
  },
];
