import { expect } from 'chai';
import fc from 'fast-check';
import { either as E } from 'fp-ts';
import jwt from 'jsonwebtoken';
import { registry } from '../../src/entities/registry.js';
import type { Caller } from '../../src/http/authentication/roles.js';
import { makeLinks } from '../../src/http/link/links.js';
import type { Read } from '../../src/read/access/access-record.js';
import { callerOf, idOf } from '../support/client.js';
import { follow } from '../support/event-stream.js';
import { auditRoutes } from '../../src/http/audit/routes.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';
import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import { inMemoryFeed, noChanges, queriesOver } from '../support/in-memory-ledger.js';
import { makeManualClock } from '../support/manual-clock.js';
import { type MemoryStack, type MemoryStackOptions, startMemoryStack } from '../support/memory-stack.js';
import { right } from '../support/sealed-tree.js';
import { SECRET } from '../support/tokens.js';

const KEY = 'a key of the tests for links, of 32 bytes and more';

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'.split('');

type Link = { readonly url: string; readonly expiresAt: string };

describe('links for a while', () => {
  const caller: Caller = { subject: 'ann', roles: ['viewer'], expiresAt: 4_000_000_000 };
  const granted = { record: '0198f0a0-0000-7000-8000-000000000001', query: { revision: '3' } };
  const ticketOf = ({ url }: Link): string => url.split('/').at(-1) ?? '';

  describe('as tickets', () => {
    const clock = makeManualClock(new Date('2026-01-01T00:00:00.000Z'));
    const links = makeLinks(clock, KEY);
    const ticket = ticketOf(right(links.make('document/file', caller, granted, 60)));

    it('say what they give, and who made them', () => {
      expect(links.open('document/file', ticket)).to.deep.equal(
        E.right({ caller: { subject: 'ann', roles: [], expiresAt: 1_767_225_660 }, granted }),
      );
    });

    it('are not accepted with any character altered, left out, or added', () => {
      const character = fc.string({ minLength: 1, maxLength: 1, unit: 'binary' });
      const base64 = fc.constantFrom(...BASE64URL, '.', '=');
      fc.assert(
        fc.property(fc.nat(ticket.length), fc.nat(1), fc.oneof(base64, character, fc.constant('')), (at, cut, put) => {
          const altered = ticket.slice(0, at) + put + ticket.slice(at + cut);
          fc.pre(altered !== ticket);
          expect(E.isLeft(links.open('document/file', altered))).to.equal(true);
        }),
        { numRuns: 2_000 },
      );
    });

    it('are not accepted with another last character that stands for the same bytes', () => {
      const bytes = Buffer.from(ticket.slice(-43), 'base64url');
      const same = BASE64URL.map((last) => ticket.slice(0, -1) + last).filter(
        (text) => text !== ticket && Buffer.from(text.slice(-43), 'base64url').equals(bytes),
      );
      expect(same).to.have.lengthOf(3);
      for (const text of same) expect(E.isLeft(links.open('document/file', text))).to.equal(true);
    });

    it('are not accepted for another purpose, under another key, or after their time, and all alike', () => {
      const others = [
        links.open('document/events', ticket),
        makeLinks(clock, `${KEY}!`).open('document/file', ticket),
        makeLinks({ date: () => new Date('2026-01-01T00:01:00.000Z') }, KEY).open('document/file', ticket),
      ];
      expect(others).to.deep.equal(others.map(() => E.left({ _tag: 'LinkNotValid' })));
      const before = makeLinks({ date: () => new Date('2026-01-01T00:00:59.999Z') }, KEY);
      expect(E.isRight(before.open('document/file', ticket))).to.equal(true);
    });

    it('expire with the token of who makes them at the latest', () => {
      const short = { ...caller, expiresAt: clock.date().getTime() / 1000 + 9.5 };
      expect(right(links.make('document/file', short, granted, 3_600)).expiresAt).to.equal('2026-01-01T00:00:09.500Z');
    });

    it('are not made with a token that is only accepted because clocks differ', () => {
      const made = (expiresAt: number) => links.make('document/file', { ...caller, expiresAt }, granted, 60);
      const now = clock.date().getTime() / 1000;
      const expired = E.left({ _tag: 'Unauthenticated', reason: 'The token has expired', isExpired: true });
      expect([made(now - 4), made(now)]).to.deep.equal([expired, expired]);
      expect(right(made(now + 0.001)).expiresAt).to.equal('2026-01-01T00:00:00.001Z');
    });

    it('are valid for all of the time that was asked for', () => {
      const within = makeManualClock(new Date('2026-01-01T00:00:00.900Z'));
      const { expiresAt, url } = right(makeLinks(within, KEY).make('a/b', caller, granted, 1));
      expect(expiresAt).to.equal('2026-01-01T00:00:01.900Z');
      const at = (date: string) =>
        makeLinks({ date: () => new Date(date) }, KEY).open('a/b', ticketOf({ url, expiresAt }));
      expect(E.isRight(at('2026-01-01T00:00:01.899Z'))).to.equal(true);
      expect(E.isRight(at('2026-01-01T00:00:01.900Z'))).to.equal(false);
    });

    it('are absolute where the address of the service is known', () => {
      const { url } = right(makeLinks(clock, KEY, 'https://example.com/records').make('a/b', caller, granted, 1));
      expect(url).to.match(/^https:\/\/example\.com\/records\/link\/a\/b\/[\w-]+\.[\w-]{43}$/);
    });
  });

  describe('over HTTP', () => {
    let stack: MemoryStack;
    let reads: Array<Read>;
    const call = callerOf(() => stack);

    const start = async (options: MemoryStackOptions = {}): Promise<string> => {
      reads = [];
      stack = await startMemoryStack({ recordRead: (read) => void reads.push(read), ...options });
      const as = stack.tokenFor('editor', 'ed');
      const id = idOf(await call('POST', '/document', { as, body: { name: 'Lease' } }));
      const headers = { 'content-type': 'text/plain' };
      await call('PUT', `/document/${id}/file?originalName=a.txt`, { as, body: '0123456789', headers });
      return id;
    };
    afterEach(async () => {
      stack.ports.feed.stop();
      await stack.stop();
    });

    const made = async (path: string, as = stack.tokenFor('auditor', 'ann')): Promise<Link> =>
      (await call('POST', path, { as })).json as Link;
    const open = async (url: string, headers: Readonly<Record<string, string>> = {}): Promise<number> => {
      const response = await fetch(stack.baseUrl + url, { headers });
      await response.arrayBuffer();
      return response.status;
    };

    it('is recorded, and logged, as a read of who made it, each time', async () => {
      const id = await start();
      const { url } = await made(`/document/${id}/link`);
      expect([await open(url, { 'x-request-id': 'one' }), await open(url, { range: 'bytes=0-1' })]).to.deep.equal([
        ...[200, 206],
      ]);
      const of = { record: { entityType: 'Document', entity: id }, what: 'revision=1' };
      expect(reads.map(({ at: _, requestId: __, ...read }) => read)).to.deep.equal([
        { user: 'ann', operation: 'getLinkedDocumentFile', ...of, form: 'file' },
        { user: 'ann', operation: 'getLinkedDocumentFile', ...of, form: 'range' },
      ]);
      const { fields } = await stack.logged((line) => JSON.stringify(line).includes('"one"'));
      expect(fields).to.deep.include({ actor: 'ann', record: id, route: '/link/document/file/:ticket' });
    });

    it('is in no line of the log, valid or not', async () => {
      const id = await start();
      const urls = [(await made(`/document/${id}/link`)).url, (await made(`/document/${id}/events/link`)).url];
      const altered = urls.map((url) => `${url}x`);
      for (const url of [urls[0]!, ...altered, `${altered[0]!}/x`, `${altered[0]!}?limit=1`]) await open(url);
      await stack.logged(({ fields }) => 'status' in fields && fields.status === 404);
      const text = JSON.stringify(stack.log);
      for (const url of urls)
        for (const part of ticketOf({ url, expiresAt: '' }).split('.')) expect(text).not.to.include(part);
    });

    it('is in no line about a file that cannot be read', async () => {
      const away = { _tag: 'FileUnavailable', cause: new Error('away') } as const;
      const fails = () => Promise.resolve(E.left(away));
      const id = await start({ ports: ({ storage }) => ({ storage: { ...storage, open: fails } }) });
      const { url } = await made(`/document/${id}/link`);
      expect(await open(url)).to.equal(503);
      const { level } = await stack.logged(({ fields }) => 'status' in fields && fields.status === 503);
      expect([level, JSON.stringify(stack.log).includes(ticketOf({ url, expiresAt: '' }))]).to.deep.equal([
        'error',
        false,
      ]);
    });

    it('is counted by the rate limit for who made it', async () => {
      const id = await start({ rateLimit: 2 });
      const { url } = await made(`/document/${id}/link`);
      expect([await open(url), await open(url)]).to.deep.equal([200, 429]);
    });

    it('needs no role any more, and looks at no token', async () => {
      const id = await start();
      const { url } = await made(`/document/${id}/link`);
      expect(await open(url, { authorization: 'Bearer nonsense' })).to.equal(200);
    });

    it('is made for a whole number of seconds, at most an hour; all faults are told at once', async () => {
      const id = await start();
      const as = stack.tokenFor('auditor');
      for (const seconds of ['0', '3601', '1.5', '', '-1', '1&seconds=2']) {
        const { status, json } = await call('POST', `/document/${id}/link?seconds=${seconds}&revision=x`, { as });
        expect([
          status,
          (json as { errors: ReadonlyArray<{ path: string }> }).errors.map(({ path }) => path),
        ]).to.deep.equal([400, ['seconds', 'revision']]);
      }
      const { expiresAt } = await made(`/document/${id}/link?seconds=60`);
      expect(Date.parse(expiresAt) - Date.now()).to.be.within(50_000, 60_000);
    });

    it('to a feed ends it when it expires, and opens none any more', async () => {
      const clock = makeManualClock(new Date());
      const id = await start({
        ports: ({ store }) => ({ feed: inMemoryFeed(clock, store, registry), links: makeLinks(clock, KEY) }),
      });
      const exp = clock.date().getTime() / 1000 + 3_600;
      const as = jwt.sign({ roles: ['auditor'], exp }, SECRET, { algorithm: 'HS256', subject: 'ann' });
      const { url } = await made(`/document/${id}/events/link?seconds=10&after=0`, as);
      const { until, ended } = await follow(stack.baseUrl + url, '');
      expect((await until(2)).map((event) => event.id)).to.deep.equal(['1', undefined]);
      expect(reads.at(-1)).to.deep.include({ user: 'ann', operation: 'followLinkedDocumentEvents', form: 'feed' });
      await clock.advance(10_001);
      expect(await ended).to.equal('ended');
      expect(await open(url)).to.equal(404);
    });

    it('to the feed of all records keeps its filters, and starts where it says', async () => {
      const store = makeInMemoryEventStore();
      const feed = inMemoryFeed(systemRuntime.clock, store, registry);
      const { page } = queriesOver(() => Promise.resolve([]));
      const links = makeLinks(systemRuntime.clock, KEY);
      const routes = auditRoutes({ page, nextPage: page }, feed, noChanges, undefined, links);
      await start({ routes, ports: () => ({ store, feed, links }) });
      const ask = async (query: string, role = 'auditor') => {
        const headers = { authorization: `Bearer ${stack.tokenFor(role, 'ann')}` };
        const response = await fetch(`${stack.baseUrl}/audit/v1/events/link${query}`, { method: 'POST', headers });
        return { status: response.status, ...((await response.json()) as Link) };
      };
      const { url } = await ask('?entityType=Document&name=DocumentUpdated&seconds=60');
      const { until, leave } = await follow(stack.baseUrl + url, '');
      const names = (await until(2)).map(({ data }) => (data as { readonly name?: string }).name);
      leave();
      expect(names).to.deep.equal(['DocumentUpdated', undefined]);
      const stray = await follow(`${stack.baseUrl}${url}?_=1`, '');
      await stray.until(1);
      stray.leave();
      expect(await open(`${url}?name=DocumentCreated`)).to.equal(400);
      const { what, operation } = reads.at(-1) ?? {};
      expect([operation, what]).to.deep.equal(['followLinkedEvents', 'entityType=Document&name=DocumentUpdated']);
      for (const query of ['?until=2026-01-01T00:00:00Z', '?limit=1', '?diff=true', '?value=x'])
        expect((await ask(query)).status, query).to.equal(400);
      expect((await ask('', 'viewer')).status).to.equal(401);
    });

    it('is not made where the service has no key for links', async () => {
      const id = await start({ ports: () => ({ links: undefined }) });
      const { status, json } = await call('POST', `/document/${id}/link`, { as: stack.tokenFor('viewer') });
      expect([status, (json as { code: string }).code]).to.deep.equal([404, 'no_such_route']);
    });
  });
});
