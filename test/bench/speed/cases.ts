import { eventsTag } from '../../../src/http/record/events-tag.js';
import type { Load } from '../measure/load.js';

/** Ids of one side's businesses. */
export type Seeded = {
  /** All that were only created. */
  readonly plain: ReadonlyArray<string>;
  /** Those with 10 events, with 100, and with 1,000. */
  readonly ten: ReadonlyArray<string>;
  readonly hundred: ReadonlyArray<string>;
  readonly thousand: ReadonlyArray<string>;
};

/** One side's request of a case. */
export type Request = Pick<Load, 'method' | 'paths' | 'status'> & {
  readonly headers?: Load['headers'];
  readonly sendsBusiness?: boolean;
};

export type Case = {
  readonly name: string;
  readonly connections: number;
  /** What the limit is, in a word. */
  readonly limitIs: string;
  /** Ratio to the limit that the design asks for. */
  readonly wanted?: number;
  readonly service: (seeded: Seeded) => Request;
  readonly limits: (seeded: Seeded) => Request;
};

export const API = '/api/v1/business';

const get = (paths: ReadonlyArray<string>): Request => ({ method: 'GET', paths, status: 200 });
const each = (ids: ReadonlyArray<string>, before: string, after = ''): ReadonlyArray<string> =>
  ids.map((id) => `${before}/${id}${after}`);

const sending = (method: 'POST' | 'PUT', paths: ReadonlyArray<string>): Request => ({
  method,
  paths,
  status: 200,
  sendsBusiness: true,
});

const byId = { limitIs: 'Koa, one SELECT', limits: ({ plain }: Seeded) => get(each(plain, '/bare')), connections: 64 };
const events = (which: 'ten' | 'hundred' | 'thousand') => ({
  limitIs: 'CRUD with audit',
  wanted: 2.5,
  connections: 16,
  service: (seeded: Seeded) => get(each(seeded[which], API, '/events')),
  limits: (seeded: Seeded) => get(each(seeded[which], '/crud', '/events')),
});
/** The request of the rows named `create`. */
export const createRequest = sending('POST', [API]);

const create = {
  limitIs: 'Koa, one INSERT',
  service: () => createRequest,
  limits: () => sending('POST', ['/bare/']),
};

/**
 * With so many businesses. In the order in which they run: what reads comes first, so that it reads the same in every
 * run.
 */
export const cases = (businesses: number): ReadonlyArray<Case> => [
  { name: 'GET by id', wanted: 1.8, service: ({ plain }) => get(each(plain, API)), ...byId },
  {
    name: 'GET by id, not changed',
    service: ({ plain }) => ({ ...get(each(plain, API)), headers: { 'If-None-Match': '"0"' }, status: 304 }),
    ...byId,
  },
  { name: 'HEAD by id', service: ({ plain }) => ({ ...get(each(plain, API)), method: 'HEAD' }), ...byId },
  {
    name: `list of ${businesses.toLocaleString('en')}`,
    limitIs: 'COPY TO STDOUT',
    wanted: 0.83,
    connections: 1,
    service: () => get([API]),
    limits: () => get(['/bare/copy']),
  },
  {
    name: 'page of 100',
    limitIs: 'CRUD with audit',
    wanted: 6,
    connections: 16,
    service: () => get([`${API}?limit=100`]),
    limits: () => get(['/crud?limit=100']),
  },
  {
    // those who ask for the same page at the same time share one read, so here each asks for another
    name: 'page of 100, anywhere',
    limitIs: 'CRUD with audit',
    wanted: 4,
    connections: 16,
    service: ({ plain }) => get(each(plain, `${API}?limit=100&after=`).map((path) => path.replace('=/', '='))),
    limits: ({ plain }) => get(each(plain, '/crud?limit=100&after=').map((path) => path.replace('=/', '='))),
  },
  { name: 'events, 10', ...events('ten') },
  {
    name: 'events, 10, not changed',
    ...events('ten'),
    service: ({ ten }) => ({
      ...get(each(ten, API, '/events')),
      headers: { 'If-None-Match': eventsTag({ direction: 'forwards', proof: false }, 9n) },
      status: 304,
    }),
  },
  { name: 'events, 100', ...events('hundred') },
  { name: 'events, 1,000', ...events('thousand') },
  {
    name: 'update',
    limitIs: 'CRUD with audit',
    wanted: 2.5,
    connections: 64,
    service: ({ plain }) => sending('PUT', each(plain, API)),
    limits: ({ plain }) => sending('PUT', each(plain, '/crud')),
  },
  { name: 'create', wanted: 0.9, connections: 64, ...create },
  { name: 'create', wanted: 0.45, connections: 1, ...create },
];
