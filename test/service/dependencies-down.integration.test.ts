import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { startDouble, type EventStoreDbDouble } from '../support/eventstoredb-double/double.js';
import { eventually } from '../support/eventually.js';
import { freshDatabase, startingPostgres } from '../support/postgres.js';
import { type S3Server, startS3Server } from '../support/s3-server.js';
import { type ServiceProcess, startService, tokenFor } from '../support/service-process.js';
import { type SeverableProxy, startSeverableProxy } from '../support/severable-proxy.js';

/** Longest time, ms, that any answer may take, whatever is down. */
const BOUND = 3_000;
/** Longest time, ms, until everything works again. */
const HEALED = 15_000;

type Service = { readonly process: ServiceProcess; readonly business: string; readonly document: string };
type Dependencies = { readonly log: EventStoreDbDouble; readonly database: SeverableProxy; readonly files: S3Server };

const REQUESTS = {
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

type Request = keyof typeof REQUESTS;
/** Status; `unprojected` is 200 with `X-Projected: false`. */
type Answer = 200 | 503 | 'unprojected';

const ALL_WELL: Readonly<Record<Request, Answer>> = {
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

// the table of README.md, "When something is away"
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
const WITHOUT_FILES: Readonly<Record<Request, Answer>> = { ...ALL_WELL, download: 503, upload: 503, '/readyz': 503 };

type Outage = {
  readonly what: string;
  readonly missing: string;
  readonly answers: Readonly<Record<Request, Answer>>;
  readonly begin: (dependencies: Dependencies) => unknown;
  readonly end: (dependencies: Dependencies) => unknown;
};

const OUTAGES: ReadonlyArray<Outage> = [
  {
    what: 'Postgres is gone',
    missing: 'read models',
    answers: WITHOUT_DATABASE,
    begin: ({ database }) => database.sever(),
    end: ({ database }) => database.mend(),
  },
  {
    what: 'Postgres takes connections and says nothing',
    missing: 'read models',
    answers: WITHOUT_DATABASE,
    begin: ({ database }) => database.mute(),
    end: ({ database }) => database.mend(),
  },
  {
    what: 'EventStoreDB is gone',
    missing: 'event log',
    answers: WITHOUT_LOG,
    begin: ({ log }) => log.node.kill(),
    end: ({ log }) => log.node.restart(),
  },
  {
    what: 'EventStoreDB takes calls and answers none',
    missing: 'event log',
    answers: WITHOUT_LOG,
    begin: ({ log }) => (log.node.faults.isSilent = true),
    end: ({ log }) => (log.node.faults.isSilent = false),
  },
  {
    what: 'the object store is gone',
    missing: 'file storage',
    answers: WITHOUT_FILES,
    begin: ({ files }) => files.stop(),
    end: ({ files }) => files.listen(),
  },
];

const formWithFile = (): FormData => {
  const form = new FormData();
  form.set('name', 'a file');
  form.set('file', new Blob(['content']), 'file.txt');
  return form;
};

const bodyOf = (request: Request): { readonly body?: string | FormData; readonly type?: string } => {
  if (request === 'upload') return { body: formWithFile() };
  if (request !== 'create' && request !== 'update') return {};
  return { body: JSON.stringify({ name: `written at ${Date.now()}` }), type: 'application/json' };
};

describe('a service whose dependencies go down', function () {
  this.timeout(120_000);
  let dataDir: string;
  let token: string;
  let dependencies: Dependencies;
  let service: Service;

  const send = (address: string, request: Request, place: string): Promise<Response> => {
    const { body, type } = bodyOf(request);
    const headers = { authorization: `Bearer ${token}`, ...(type === undefined ? {} : { 'content-type': type }) };
    return fetch(`${address}${place}`, {
      method: REQUESTS[request][0],
      headers,
      ...(body === undefined ? {} : { body }),
    });
  };

  const ask = async (
    request: Request,
  ): Promise<{ readonly answer: Answer; readonly text: string; readonly ms: number }> => {
    const start = performance.now();
    const response = await send(service.process.address, request, REQUESTS[request][1](service));
    const text = await response.text();
    const isProjected = response.headers.get('x-projected') !== 'false';
    // reason: any other status fails the comparison with the table
    return { answer: isProjected ? (response.status as Answer) : 'unprojected', text, ms: performance.now() - start };
  };

  const askAll = async (): Promise<{ readonly answers: object; readonly slow: ReadonlyArray<string> }> => {
    const answers: Partial<Record<Request, Answer>> = {};
    const slow: Array<string> = [];
    // reason: the keys of a literal
    for (const request of Object.keys(REQUESTS) as ReadonlyArray<Request>) {
      const { answer, ms } = await ask(request);
      answers[request] = answer;
      if (ms > BOUND) slow.push(`${request}: ${Math.round(ms)} ms`);
    }
    return { answers, slow };
  };

  const isWell = async (): Promise<boolean> => {
    const { answers } = await askAll();
    return JSON.stringify(answers) === JSON.stringify(ALL_WELL);
  };

  const idOf = async (response: Response): Promise<string> => ((await response.json()) as { _id: string })._id;

  before(async function () {
    this.timeout(startingPostgres + 60_000);
    token = await tokenFor('admin', 'alice');
    dataDir = await mkdtemp(path.join(tmpdir(), 'dependencies-'));
    dependencies = {
      log: await startDouble(),
      database: await startSeverableProxy(await freshDatabase()),
      files: await startS3Server(),
    };
    const { endpoint, bucket, accessKey, secretKey } = dependencies.files.settings;
    const process = await startService({
      dataDir,
      env: {
        DATABASE_URL: dependencies.database.url,
        EVENTSTOREDB_URL: dependencies.log.connectionString,
        S3_ENDPOINT: endpoint,
        S3_BUCKET: bucket,
        S3_ACCESS_KEY: accessKey,
        S3_SECRET_KEY: secretKey,
      },
    });
    const business = await idOf(await send(process.address, 'create', '/api/v1/business/'));
    const document = await idOf(await send(process.address, 'upload', '/api/v1/document/'));
    service = { process, business, document };
  });

  after(async () => {
    service.process.kill('SIGTERM');
    expect(await service.process.exited).to.equal(0);
    dependencies.log.close();
    await dependencies.database.close();
    await dependencies.files.close();
    await rm(dataDir, { recursive: true });
  });

  it('answers everything while all of them are there', async () => {
    expect((await askAll()).answers).to.deep.equal(ALL_WELL);
  });

  for (const { what, missing, answers, begin, end } of OUTAGES)
    it(`does what it can while ${what}, says what is missing, and heals without a restart`, async () => {
      const before = service.process.output().length;
      await begin(dependencies);
      try {
        // the first round meets the outage unprepared, the second one knows it
        for (let round = 0; round < 2; round += 1) expect(await askAll()).to.deep.equal({ answers, slow: [] });
        expect(JSON.parse((await ask('/readyz')).text)).to.deep.equal({
          name: 'Service Unavailable',
          message: `Not ready: ${missing}`,
          status: 503,
        });
        expect(service.process.output().slice(before)).to.include(`"missing":["${missing}"],"msg":"not ready"`);
      } finally {
        await end(dependencies);
      }
      expect(await eventually(isWell, (well) => well, HEALED)).to.equal(true);
    });
});
