import { FORM_TYPE, formOf } from '../../support/multipart-form.js';
import { API } from '../support/requests.js';
import type { Random } from './random.js';

export type SoakRequest = {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** Statuses that are right. */
  readonly expected: ReadonlyArray<number>;
  /** Takes the body of a 200. */
  readonly take?: (text: string) => void;
};

/** Ids of what there is, oldest first, as far as the clients have heard. */
export type World = { businesses: Array<string>; documents: Array<string>; created: number };

/** So many of each are there at a time: lists and caches are then as large at the end as soon after the beginning. */
const BUSINESSES = 1_000;
const DOCUMENTS = 500;

type Operation = (world: World, random: Random) => SoakRequest;
type Named = { readonly _id: string };

const JSON_TYPE = { 'Content-Type': 'application/json' };
const OK = [200];
/** Another client may have deleted it. */
const OK_OR_GONE = [200, 404];

const get = (path: string, expected = OK, headers: SoakRequest['headers'] = {}): SoakRequest => ({
  method: 'GET',
  path,
  headers,
  expected,
});

const send = (method: 'POST' | 'PUT', path: string, body: object, expected: ReadonlyArray<number>): SoakRequest => ({
  method,
  path,
  headers: JSON_TYPE,
  body: Buffer.from(JSON.stringify(body)),
  expected,
});

const idsIn = (text: string): Array<string> => (JSON.parse(text) as ReadonlyArray<Named>).map(({ _id }) => _id); // reason: a list of records
const idIn = (text: string): string => (JSON.parse(text) as Named)._id; // reason: a record

const business = ({ businesses }: World, random: Random): string => `${API}/business/${random.pick(businesses)}`;
const document = ({ documents }: World, random: Random): string => `${API}/document/${random.pick(documents)}`;

const fieldsOf = (count: number): object => ({
  name: `business ${count}`,
  displayName: `Business ${count} of Springfield`,
  businessType: `type ${count % 20}`,
  website: 'https://acme.example',
  city: 'Springfield',
  revenue: count,
});

/** Creates a business, or deletes the oldest one where there are enough. A quarter of the creations has a key. */
const createOrDelete: Operation = (world, random) => {
  world.created += 1;
  if (world.businesses.length >= BUSINESSES) {
    const path = `${API}/business/${world.businesses.shift()!}`;
    return { method: 'DELETE', path, headers: {}, expected: OK_OR_GONE };
  }
  const { headers, ...request } = send('POST', `${API}/business`, fieldsOf(world.created), OK);
  const key = random.isOneIn(4) ? { 'Idempotency-Key': `soak-${world.created}` } : {};
  return { ...request, headers: { ...headers, ...key }, take: (text) => world.businesses.push(idIn(text)) };
};

const updateBusiness: Operation = (world, random) => {
  const { headers, ...request } = send('PUT', business(world, random), fieldsOf(random.integer(100_000)), OK_OR_GONE);
  if (!random.isOneIn(3)) return { ...request, headers };
  return { ...request, headers: { ...headers, 'If-Match': `"${random.integer(3)}"` }, expected: [200, 404, 412] };
};

/** Of ten users, so that a business has at most ten owners. */
const changeOwner: Operation = (world, random) => {
  const owner = `${business(world, random)}/owner`;
  const user = `user-${random.integer(10)}`;
  const path = `${owner}?ownerId=${user}`;
  if (random.isOneIn(3)) return { method: 'DELETE', path, headers: {}, expected: OK_OR_GONE };
  if (random.isOneIn(3)) return send('PUT', path, { equity: random.integer(100) }, OK_OR_GONE);
  return send('POST', owner, { user, title: 'partner', equity: 1 }, [200, 404, 409]);
};

const getBusiness: Operation = (world, random) => {
  const path = business(world, random);
  return random.isOneIn(3) ? get(path, [200, 304, 404], { 'If-None-Match': '"1"' }) : get(path, OK_OR_GONE);
};

const asOf: Operation = (world, random) => get(`${business(world, random)}?revision=${random.integer(3)}`, OK_OR_GONE);

/** What the clients have not heard of comes to be known by this: an aborted request may have created something. */
const listBusinesses: Operation = (world) => ({
  ...get(`${API}/business`),
  take: (text) => (world.businesses = idsIn(text)),
});

const listDocuments: Operation = (world) => ({
  ...get(`${API}/document`),
  take: (text) => (world.documents = idsIn(text)),
});

const formRequest = (method: 'POST' | 'PUT', path: string, size: number): SoakRequest => ({
  method,
  path,
  headers: { 'Content-Type': FORM_TYPE },
  body: formOf(
    { name: 'name', content: `with a file of ${size}` },
    { name: 'file', content: Buffer.alloc(size, `content ${size} `), filename: 'file.txt' },
  ),
  expected: OK,
});

/** Mostly of up to 64 KiB, one in twenty of 1 MiB. */
const upload: Operation = (world, random) => {
  const size = random.isOneIn(20) ? 1024 * 1024 : 1 + random.integer(64 * 1024);
  if (world.documents.length >= DOCUMENTS) return formRequest('PUT', document(world, random), size);
  return { ...formRequest('POST', `${API}/document`, size), take: (text) => world.documents.push(idIn(text)) };
};

const download: Operation = (world, random) => {
  const headers = random.isOneIn(3) ? { Range: 'bytes=0-1023' } : undefined;
  return get(`${document(world, random)}/file`, [200, 206, 404, 416], headers);
};

const updateDocument: Operation = (world, random) =>
  send('PUT', document(world, random), { description: `described ${random.integer(100_000)}` }, OK);

/** What clients do, and how often of a hundred times. */
const operations: ReadonlyArray<readonly [number, string, Operation]> = [
  [16, 'create or delete', createOrDelete],
  [12, 'update', updateBusiness],
  [8, 'owner', changeOwner],
  [22, 'get', getBusiness],
  [8, 'page', (_, random) => get(`${API}/business?limit=${1 + random.integer(100)}`)],
  [4, 'filtered list', (_, random) => get(`${API}/business?businessType=type%20${random.integer(20)}`)],
  [1, 'list', listBusinesses],
  [1, 'list of documents', listDocuments],
  [6, 'events', (world, random) => get(`${business(world, random)}/events`)],
  [2, 'page of events', (world, random) => get(`${document(world, random)}/events?limit=10&order=desc`)],
  [3, 'as of', asOf],
  [4, 'get document', (world, random) => get(document(world, random))],
  [3, 'upload', upload],
  [5, 'download', download],
  [3, 'update document', updateDocument],
  [
    2,
    'docs',
    (_, random) => get(random.pick(['/docs', '/openapi.json', '/openapi.yaml', '/docs/swagger-ui.css', '/readyz'])),
  ],
];

const total = operations.reduce((sum, [weight]) => sum + weight, 0);

/** One request of the mixture, and its kind. */
export const drawRequest = (world: World, random: Random): { readonly kind: string; readonly request: SoakRequest } => {
  let left = random.integer(total);
  const [, kind, operation] = operations.find(([weight]) => (left -= weight) < 0)!;
  return { kind, request: operation(world, random) };
};

export const isFull = ({ businesses, documents }: World): boolean =>
  businesses.length >= BUSINESSES && documents.length >= DOCUMENTS;

/** A request that adds to what there is, until there is enough of it. */
export const drawCreation = (world: World, random: Random): SoakRequest =>
  world.documents.length < DOCUMENTS ? upload(world, random) : createOrDelete(world, random);
