import { expect } from 'chai';
import { registry } from '../../src/entities/registry.js';
import { auditRoutes } from '../../src/http/audit/routes.js';
import { JSON_LIMIT } from '../../src/http/request/json-body.js';
import { idOf, call } from '../support/client.js';
import { inMemoryFeed, ledgerRow, noChanges, queriesOver } from '../support/in-memory-ledger.js';
import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import { type MemoryStack, startMemoryStack } from '../support/memory-stack.js';
import { FORM_TYPE, formOf } from '../support/multipart-form.js';
import { rawExchange } from '../support/raw-exchange.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

/** Bytes of a head that Node takes, less what every request has. */
const HEAD = 15_000;
const PARTS = 64;
const RUNS = 20;
const ROUNDS = 4;

/**
 * Four times the length may take at most so many times the processor time. Not twice: from 128 KiB on a buffer is mapped anew,
 * which costs more than its bytes.
 */
const MOST = 6;

type Request = {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
};

const filled = (length: number, part: (index: number) => string): string => {
  const parts: Array<string> = [];
  for (let taken = 0; taken < length; taken += parts.at(-1)?.length ?? 1) parts.push(part(parts.length));
  return parts.join('').slice(0, length);
};

const inQuery = (length: number, path: string, part: (index: number) => string): Request => ({
  path: `${path}?${filled(length, part)}`,
});

const inHeader = (name: string, begin: string, part: string, path = '/docs') => ({
  most: HEAD,
  request: (length: number): Request => ({ path, headers: { [name]: begin + filled(length, () => part) } }),
});

const json = (body: string): Request => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body,
});

const inJson = (begin: string, part: (index: number) => string, end: string) => ({
  most: JSON_LIMIT - 100,
  request: (length: number): Request => {
    const parts: Array<string> = [];
    for (let taken = 0; taken < length; taken += (parts.at(-1)?.length ?? 0) + 1) parts.push(part(parts.length));
    return json(begin + parts.slice(0, -1).join(',') + end);
  },
});

const nested = (opened: string, closed: string) => ({
  most: JSON_LIMIT - 100,
  request: (length: number): Request => {
    const depth = Math.floor(length / (opened.length + closed.length));
    return json(`{"name":${opened.repeat(depth)}1${closed.repeat(depth)}}`);
  },
});

const form = (part: (index: number) => { readonly name: string; readonly content: string }) => ({
  most: PARTS,
  request: (count: number): Request => ({
    method: 'POST',
    path: '/api/v1/document',
    headers: { 'Content-Type': FORM_TYPE },
    body: formOf(...Array.from({ length: count }, (_, index) => part(index))),
  }),
});

type Kind = { readonly most: number; readonly request: (size: number) => Request };

describe('processor time of a request', () => {
  let stack: MemoryStack;
  let token: string;
  let record: string;

  before(async () => {
    const { page } = queriesOver(() => Promise.resolve([ledgerRow(0, { user: 'ann', refs: [] })]));
    const feed = inMemoryFeed(systemRuntime.clock, makeInMemoryEventStore(), registry);
    stack = await startMemoryStack({ routes: auditRoutes({ page, nextPage: page }, feed, noChanges) });
    token = stack.tokenFor('admin');
    const document = formOf(
      { name: 'name', content: 'd' },
      { name: 'file', filename: 'a.txt', content: 'x'.repeat(1_000) },
    );
    const created = { as: token, headers: { 'content-type': FORM_TYPE }, body: document };
    record = `/api/v1/document/${idOf(await call(stack, 'POST', '/document', created))}`;
  });
  after(() => stack.stop());

  const bytesOf = ({ method = 'GET', path = '/api/v1/document', headers = {}, body = '' }: Request): Buffer => {
    const all = {
      ...{ Host: 'x', Connection: 'close', Authorization: `Bearer ${token}` },
      ...{ 'Content-Length': String(Buffer.byteLength(body)), ...headers },
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    return Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`), Buffer.from(body)]);
  };

  const timeOf = async (bytes: Buffer): Promise<number> => {
    const before = process.cpuUsage();
    const answer = await rawExchange(stack.baseUrl, bytes);
    const { user, system } = process.cpuUsage(before);
    expect(answer).to.match(/^HTTP\/1\.1 (?:200|304|4(?!08|31)\d\d) /);
    return user + system;
  };

  /** The least of several runs, of each size by turns: what a machine does beside them then meets both. */
  const leastOf = async ({ most, request }: Kind): Promise<readonly [number, number]> => {
    const [whole, quarter] = [bytesOf(request(most)), bytesOf(request(most / 4))];
    let [ofWhole, ofQuarter] = [Infinity, Infinity];
    for (let run = 0; run < RUNS; run += 1) {
      ofQuarter = Math.min(ofQuarter, await timeOf(quarter));
      ofWhole = Math.min(ofWhole, await timeOf(whole));
    }
    return [ofWhole, ofQuarter];
  };

  const disposition = (parameters: (length: number) => string): Kind => ({
    most: HEAD,
    request: (length) => ({
      method: 'PUT',
      path: `${record}/file?originalName=a`,
      headers: { 'Content-Disposition': `attachment${parameters(length)}` },
    }),
  });

  const kinds: Readonly<Record<string, Kind>> = {
    'names of parameters': {
      most: HEAD,
      request: (length) => inQuery(length, '/api/v1/document', (index) => `&${index.toString(36)}`),
    },
    'values of one parameter': {
      most: HEAD,
      request: (length) => inQuery(length, '/api/v1/document', () => '&name=a'),
    },
    'escapes of a parameter': {
      most: HEAD,
      request: (length) => inQuery(length, '/api/v1/document', (index) => (index === 0 ? 'q=' : '%C3%A9')),
    },
    'bytes that are no UTF-8': {
      most: HEAD,
      request: (length) => inQuery(length, '/api/v1/document', () => '&%FF=%FF'),
    },
    'filters and unknown names of the ledger': {
      most: HEAD,
      request: (length) => inQuery(length, '/audit/v1/events', (index) => `&user=a&x${index}=`),
    },
    'parameters of a history': {
      most: HEAD,
      request: (length) => inQuery(length, `${record}/events`, () => '&limit=1&after=1'),
    },
    'segments of a path': { most: HEAD, request: (length) => ({ path: filled(length, () => '/a') }) },
    'slashes of a path': { most: HEAD, request: (length) => ({ path: `/api/v1/business${'/'.repeat(length)}` }) },
    'escapes of a path': {
      most: HEAD,
      request: (length) => ({ path: `/api/v1/business/${'%41'.repeat(length / 3)}` }),
    },
    'an absolute address': { most: HEAD, request: (length) => ({ path: `http://${'@'.repeat(length)}/docs` }) },
    headers: {
      most: HEAD,
      request: (length) => ({
        path: '/docs',
        // Node 26 takes no more than a thousand
        headers: Object.fromEntries(Array.from({ length: length / 24 }, (_, index) => [`X-${index}`, 'a'.repeat(13)])),
      }),
    },
    'tags of If-None-Match': inHeader('If-None-Match', '"a"', ',"a"'),
    'weak tags of If-Match': inHeader('If-Match', '"a"', ', W/"a"'),
    'commas of If-Match': inHeader('If-Match', '"a"', ' ,'),
    'media types of Accept': inHeader('Accept', 'application/problem+json', ',a/b;q=0.1', '/api/v1/nothing'),
    'quoted commas of Accept': {
      most: HEAD,
      request: (length) => ({
        path: `${record}/events`,
        headers: { Accept: `a/b,${'"'.padEnd(length, ',')},text/event-stream` },
      }),
    },
    'quoted commas of Accept, for the ledger': inHeader('Accept', 'text/csv;a="', ',', '/audit/v1/events'),
    'codings of Accept-Encoding': inHeader('Accept-Encoding', 'gzip', ',a;q=0.1'),
    preferences: inHeader('Prefer', 'a', ',a="b,c"', '/api/v1/document'),
    'blanks of Prefer': inHeader('Prefer', 'handling', ' ', '/api/v1/document'),
    'an open quote of Prefer': inHeader('Prefer', 'a="', '\\', '/api/v1/document'),
    'parameters of Content-Type': {
      most: HEAD,
      request: (length) => ({
        ...json('{}'),
        headers: { 'Content-Type': `application/json${'; '.repeat(length / 2)}` },
      }),
    },
    'parameters of Content-Disposition': disposition((length) => filled(length, (index) => `; x${index}=a`)),
    'an open quotation of Content-Disposition': disposition((length) => `; filename="${'\\'.repeat(length)}`),
    'an escaped file name': disposition((length) => `; filename*=UTF-8''${'%41'.repeat(length / 3)}`),
    'an escaped Change-Reason': {
      most: HEAD,
      request: (length) => ({ ...json('{}'), headers: { 'Change-Reason': `UTF-8''${'%41'.repeat(length / 3)}` } }),
    },
    'digests of a body': {
      most: HEAD,
      request: (length) => ({ ...json('{}'), headers: { 'Content-Digest': filled(length, () => 'md5=:AA==:,') } }),
    },
    'characters of a token': {
      most: HEAD,
      request: (length) => ({ headers: { Authorization: `Bearer ${'='.repeat(length)}` } }),
    },
    ranges: {
      most: HEAD,
      request: (length) => ({ path: `${record}/file`, headers: { Range: `bytes=${filled(length, () => '0-1,')}` } }),
    },
    'blanks of Range': {
      most: HEAD,
      request: (length) => ({ path: `${record}/file`, headers: { Range: `bytes=${filled(length, () => ' ,')}x` } }),
    },
    'wrong tags': inJson('{"name":"a","tags":[', () => '1', ']}'),
    'right tags': inJson('{"name":"a","tags":[', (index) => `"${index}"`, ']}'),
    'empty tags': inJson('{"tags":[', () => '""', ']}'),
    'members of an object': inJson('{', (index) => `"k${index}":1`, '}'),
    'members that are numbers': inJson('{', (index) => `"${index * 7_919}":1`, '}'),
    'one member again': inJson('{', () => '"name":"a"', '}'),
    'depth of arrays': nested('[', ']'),
    'depth of objects': nested('{"a":', '}'),
    'a text without an end': {
      most: JSON_LIMIT - 100,
      request: (length) => json(`{"description":"${' '.repeat(length)}`),
    },
    'a blank text': { most: JSON_LIMIT - 100, request: (length) => json(`{"name":"${' '.repeat(length)}x"}`) },
    'tags of a form': form((index) => ({ name: 'tags', content: `t${index}` })),
    'fields of a form': form((index) => ({ name: `f${index}`, content: 'a' })),
    'indexed tags of a form': form((index) => ({ name: `tags[${index}]`, content: 'a' })),
  };

  for (const [name, kind] of Object.entries(kinds))
    it(`grows with ${name} and no faster`, async () => {
      let [whole, quarter] = await leastOf(kind);
      // what else the machine does only adds time: of what is linear, the least of more runs shows it
      for (let round = 1; round < ROUNDS && whole / quarter > MOST; round += 1) [whole, quarter] = await leastOf(kind);
      expect(whole / quarter, `${whole} µs, and ${quarter} µs for a quarter of it`).to.be.at.most(MOST);
    });
});
