import type { EventStoreDbDouble } from '../../support/eventstoredb-double/double.js';
import type { S3Server } from '../../support/s3-server.js';
import type { ServiceProcess } from '../../support/service-process.js';
import type { SeverableProxy } from '../../support/severable-proxy.js';

export type Service = { readonly process: ServiceProcess; readonly business: string; readonly document: string };
export type Dependencies = {
  readonly log: EventStoreDbDouble;
  readonly wayToLog: SeverableProxy;
  readonly database: SeverableProxy;
  readonly files: S3Server;
};

export const REQUESTS = {
  'GET by id': ['GET', ({ business }: Service) => `/api/v1/business/${business}`],
  list: ['GET', () => '/api/v1/business/?limit=2'],
  'whole list': ['GET', () => '/api/v1/document/'],
  events: ['GET', ({ business }: Service) => `/api/v1/business/${business}/events`],
  'as of': ['GET', ({ business }: Service) => `/api/v1/business/${business}?revision=0`],
  create: ['POST', () => '/api/v1/business/'],
  update: ['PUT', ({ business }: Service) => `/api/v1/business/${business}`],
  download: ['GET', ({ document }: Service) => `/api/v1/document/${document}/file`],
  upload: ['POST', () => '/api/v1/document/'],
  '/readyz': ['GET', () => '/readyz'],
} as const;

export type Request = keyof typeof REQUESTS;
/** Status; `unprojected` is 200 with `X-Projected: false`. */
export type Answer = 200 | 503 | 'unprojected';

export const ALL_WELL: Readonly<Record<Request, Answer>> = {
  'GET by id': 200,
  list: 200,
  'whole list': 200,
  events: 200,
  'as of': 200,
  create: 200,
  update: 200,
  download: 200,
  upload: 200,
  '/readyz': 200,
};

// the table of docs/outages.md, which test/docs/outages.test.ts compares with these
const WITHOUT_DATABASE: Readonly<Record<Request, Answer>> = {
  ...ALL_WELL,
  list: 503,
  'whole list': 503,
  create: 'unprojected',
  update: 'unprojected',
  upload: 'unprojected',
  '/readyz': 503,
};
const WITHOUT_LOG: Readonly<Record<Request, Answer>> = {
  ...ALL_WELL,
  events: 503,
  'as of': 503,
  create: 503,
  update: 503,
  upload: 503,
  '/readyz': 503,
};
const WITHOUT_DATABASE_AND_LOG: Readonly<Record<Request, Answer>> = {
  'GET by id': 503,
  list: 503,
  'whole list': 503,
  events: 503,
  'as of': 503,
  create: 503,
  update: 503,
  download: 503,
  upload: 503,
  '/readyz': 503,
};
const WITHOUT_FILES: Readonly<Record<Request, Answer>> = { ...ALL_WELL, download: 503, upload: 503, '/readyz': 503 };

export type Outage = {
  readonly what: string;
  readonly missing: ReadonlyArray<string>;
  readonly answers: Readonly<Record<Request, Answer>>;
  readonly begin: (dependencies: Dependencies) => unknown;
  readonly end: (dependencies: Dependencies) => unknown;
};

const outagesOfPostgres = ({ missing, answers }: Pick<Outage, 'missing' | 'answers'>): ReadonlyArray<Outage> => [
  {
    what: 'Postgres is gone',
    missing,
    answers,
    begin: ({ database }) => database.sever(),
    end: ({ database }) => database.mend(),
  },
  {
    what: 'Postgres takes connections and says nothing',
    missing,
    answers,
    begin: ({ database }) => database.mute(),
    end: ({ database }) => database.mend(),
  },
];

export const OUTAGES_OF_READ_MODELS = outagesOfPostgres({ missing: ['read models'], answers: WITHOUT_DATABASE });

export const OUTAGES_OF_READ_MODELS_AND_LOG = outagesOfPostgres({
  missing: ['event log', 'read models'],
  answers: WITHOUT_DATABASE_AND_LOG,
});

export const OUTAGES_OF_EVENTSTOREDB: ReadonlyArray<Outage> = [
  {
    what: 'EventStoreDB is gone',
    missing: ['event log'],
    answers: WITHOUT_LOG,
    begin: ({ log }) => log.node.kill(),
    end: ({ log }) => log.node.restart(),
  },
  {
    what: 'EventStoreDB takes calls and answers none',
    missing: ['event log'],
    answers: WITHOUT_LOG,
    begin: ({ log }) => (log.node.faults.isSilent = true),
    end: ({ log }) => (log.node.faults.isSilent = false),
  },
];

export const OUTAGES_OF_OBJECT_STORE: ReadonlyArray<Outage> = [
  {
    what: 'the object store is gone',
    missing: ['file storage'],
    answers: WITHOUT_FILES,
    begin: ({ files }) => files.stop(),
    end: ({ files }) => files.listen(),
  },
];

/** A part that says nothing for a while, and then answers what it was asked. */
export type Pause = { readonly what: string; readonly way: (dependencies: Dependencies) => SeverableProxy };

export const PAUSE_OF_EVENTSTOREDB: Pause = { what: 'EventStoreDB', way: ({ wayToLog }) => wayToLog };
export const PAUSE_OF_POSTGRES: Pause = { what: 'Postgres', way: ({ database }) => database };

export type Deployment = {
  readonly name: string;
  readonly settings: (dependencies: Dependencies) => Readonly<Record<string, string>>;
};

export const EVENTSTOREDB_POSTGRES_AND_S3: Deployment = {
  name: 'EventStoreDB, Postgres and S3',
  settings: ({ wayToLog, database, files: { settings } }) => ({
    DATABASE_URL: database.url,
    EVENTSTOREDB_URL: wayToLog.url,
    S3_ENDPOINT: settings.endpoint,
    S3_BUCKET: settings.bucket,
    S3_ACCESS_KEY: settings.accessKey,
    S3_SECRET_KEY: settings.secretKey,
  }),
};

export const POSTGRES_AND_DISK: Deployment = {
  name: 'Postgres and disk',
  settings: ({ database }) => ({ DATABASE_URL: database.url }),
};
