import { connect } from 'node:net';
import { either as E } from 'fp-ts';
import { expect } from 'chai';
import { registry } from '../../src/entities/registry.js';
import { auditRoutes } from '../../src/http/audit/routes.js';
import { CSV_HEADER } from '../../src/read/ledger-csv.js';
import type { Ledger, LedgerPageRequest } from '../../src/read/ledger.js';
import { makeNews } from '../support/news.js';
import { inMemoryFeed, ledgerRow, noChanges, queriesOver } from '../support/in-memory-ledger.js';
import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import { type MemoryStack, startMemoryStack } from '../support/memory-stack.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

/** More than two pages of 500. */
const EVENTS = 1_200;

const FORMS = ['application/json', 'application/x-ndjson', 'text/csv'];

const shown = Array.from({ length: EVENTS }, (_, n) => ({
  _id: `id-${n}`,
  user: n % 3 === 0 ? 'ann' : 'bob',
  message: 'with a ",", "[" and "]"',
  refs: [],
}));

const all = shown.map((event, index) => ({ index, ...event }));

const rows = queriesOver(() => Promise.resolve(shown.map((event, index) => ledgerRow(index, event))));

/** The path of the listing, and what it lists. */
const listings = [
  { query: '', events: all },
  { query: '?order=desc', events: all.toReversed() },
  { query: '?user=bob', events: all.filter(({ user }) => user === 'bob') },
  { query: '?order=desc&after=1000', events: all.slice(0, 1_000).toReversed() },
];

describe('the events of all records, when they are more than a page', () => {
  let stack: MemoryStack;
  let asked: Array<LedgerPageRequest>;
  let nextPage: Ledger['nextPage'];

  before(async () => {
    const ledger: Ledger = {
      page: (request) => {
        asked.push(request);
        return rows.page(request);
      },
      nextPage: (request) => {
        asked.push(request);
        return nextPage(request);
      },
    };
    const feed = inMemoryFeed(systemRuntime.clock, makeInMemoryEventStore(), registry);
    stack = await startMemoryStack({ routes: auditRoutes(ledger, feed, noChanges) });
  });
  after(() => stack.stop());
  beforeEach(() => {
    asked = [];
    nextPage = rows.page;
  });

  const get = async (query: string, Accept: string): Promise<string> => {
    const headers = { Authorization: `Bearer ${stack.tokenFor('auditor')}`, Accept };
    const response = await fetch(`${stack.baseUrl}/audit/v1/events${query}`, { headers });
    expect(response.status).to.equal(200);
    expect(response.headers.get('content-type')).to.match(new RegExp(`^${Accept}`));
    expect([response.headers.get('content-length'), response.headers.get('link')]).to.deep.equal([null, null]);
    return response.text();
  };

  it('begin with a byte order mark where a table is asked for with one, and are 400 in any other form with it', async () => {
    const headers = { Authorization: `Bearer ${stack.tokenFor('auditor')}` };
    const ask = (query: string, Accept: string) =>
      fetch(`${stack.baseUrl}/audit/v1/events${query}`, { headers: { ...headers, Accept } });
    const bytes = async (query: string) => Buffer.from(await (await ask(query, 'text/csv')).arrayBuffer());
    for (const page of ['', '&limit=1']) {
      const plain = await bytes(`?bom=false${page}`);
      expect(await bytes(`?bom=true${page}`)).to.deep.equal(Buffer.concat([Buffer.from('efbbbf', 'hex'), plain]));
    }
    for (const Accept of [...FORMS.filter((form) => form !== 'text/csv'), 'text/event-stream'])
      expect((await ask('?bom=true', Accept)).status, Accept).to.equal(400);
  });

  for (const { query, events } of listings) {
    const name = query === '' ? 'without parameters' : query;

    it(`come all, each once and in their order: as one list of JSON (${name})`, async () => {
      expect(JSON.parse(await get(query, 'application/json'))).to.deep.equal(events);
      expect(asked.map(({ limit }) => limit)).to.deep.equal(
        Array.from({ length: Math.ceil(events.length / 500) }, () => 500),
      );
    });

    it(`… as lines of JSON (${name})`, async () => {
      const lines = (await get(query, 'application/x-ndjson')).split('\n');
      expect(lines.pop()).to.equal('');
      expect(lines.map((line) => JSON.parse(line) as object)).to.deep.equal(events);
    });

    it(`… as CSV with one header (${name})`, async () => {
      const text = await get(query, 'text/csv');
      expect(text.startsWith(CSV_HEADER)).to.equal(true);
      const lines = text.slice(CSV_HEADER.length).split('\r\n');
      expect(lines.pop()).to.equal('');
      expect(lines).to.deep.equal(
        events.map(({ index, _id, user }) => `${index},,${user},,"with a "","", ""["" and ""]""",,,,,,,,,${_id}`),
      );
    });
  }

  /** What a client gets on a socket of its own, and how that ends: by an error, or as if that were all. */
  const received = (version: string, Accept: string, onText: (text: string) => void): Promise<string> =>
    new Promise((resolve) => {
      const { port } = new URL(stack.baseUrl);
      let text = '';
      const head = [`GET /audit/v1/events HTTP/${version}`, 'Host: x', `Accept: ${Accept}`, 'Connection: close'];
      connect(Number(port), '127.0.0.1')
        .setEncoding('utf8')
        .on('data', (part: string) => {
          text += part;
          onText(text);
        })
        .on('end', () => resolve(`ended: ${text.slice(-20)}`))
        .on('error', ({ code = '' }: NodeJS.ErrnoException) => resolve(code))
        .write(`${[...head, `Authorization: Bearer ${stack.tokenFor('auditor')}`].join('\r\n')}\r\n\r\n`);
    });

  // without chunks, as in HTTP/1.0, a regular end of the connection is that of the answer
  for (const version of ['1.1', '1.0'])
    for (const form of FORMS)
      it(`are cut off when the ledger fails midway, so that nobody takes a part for the whole: ${form}, HTTP/${version}`, async () => {
        let text = '';
        const news = makeNews();
        nextPage = async (request) => {
          if (request.after === 499n) return rows.page(request);
          // the client has two whole pages: what it has could be all
          await news.until(() => text.includes('id-999'));
          return E.left({ _tag: 'ReadModelUnavailable', cause: new Error('the database went away') });
        };
        const lines = stack.log.length;
        const onText = (part: string): void => {
          text = part;
          news.tell();
        };
        expect(await received(version, form, onText)).to.equal('ECONNRESET');
        expect([text.startsWith('HTTP/1.1 200'), text.includes('id-999'), text.includes('id-1000')]).to.deep.equal([
          true,
          true,
          false,
        ]);
        await stack.logged((line) => stack.log.indexOf(line) >= lines);
        const [line, ...others] = stack.log.slice(lines);
        expect(others).to.deep.equal([]);
        expect(line).to.include({ level: 'error', message: 'request failed' });
        expect(line?.fields).to.include({ operation: 'listAllEvents', status: 500, actor: 'alice' });
        const { cut } = line?.fields as { readonly cut: object };
        expect(cut).to.deep.include({ message: 'the ledger cannot be read on' });
        expect(cut).to.have.nested.property('cause.message', 'the database went away');
      });
});
