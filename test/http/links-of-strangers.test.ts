import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { makeLinks } from '../../src/http/link/links.js';
import type { Read } from '../../src/read/access/access-record.js';
import { callerOf, idOf } from '../support/client.js';
import { makeManualClock } from '../support/manual-clock.js';
import { type MemoryStack, startMemoryStack } from '../support/memory-stack.js';
import { right } from '../support/sealed-tree.js';

const ORIGIN = 'https://front.example';

type Link = { readonly url: string; readonly expiresAt: string };

describe('links for a while, to a stranger', () => {
  let stack: MemoryStack;
  let reads: Array<Read>;
  let document: string;
  let file: string;
  let feed: string;
  const call = callerOf(() => stack);

  beforeEach(async () => {
    reads = [];
    stack = await startMemoryStack({ corsOrigins: [ORIGIN], recordRead: (read) => void reads.push(read) });
    const as = stack.tokenFor('editor', 'ed');
    document = idOf(await call('POST', '/document', { as, body: { name: 'Lease' } }));
    await putFile('0123456789');
    file = await made(`/document/${document}/link`);
    feed = await made(`/document/${document}/events/link`);
  });
  afterEach(async () => {
    stack.ports.feed.stop();
    await stack.stop();
  });

  const putFile = async (body: string): Promise<void> => {
    const given = { as: stack.tokenFor('editor', 'ed'), body, headers: { 'content-type': 'text/plain' } };
    expect((await call('PUT', `/document/${document}/file?originalName=a.txt`, given)).status).to.equal(200);
  };
  const made = async (path: string, subject = 'ann'): Promise<string> =>
    ((await call('POST', path, { as: stack.tokenFor('auditor', subject) })).json as Link).url;
  const ticketOf = (url: string): string => url.split('/').at(-1) ?? '';
  const ask = async (url: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') => {
    const response = await fetch(stack.baseUrl + url, { headers, method });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text };
  };
  const codeOf = ({ text }: { readonly text: string }): string => (JSON.parse(text) as { readonly code: string }).code;

  it('open nothing else: no ticket is a token, a record, or a part of an interface', async () => {
    const ticket = ticketOf(file);
    expect((await ask(`/api/v1/document/${document}`, { authorization: `Bearer ${ticket}` })).status).to.equal(401);
    for (const path of [
      `/api/v1/document/${ticket}`,
      `/api/v1${file}`,
      `/audit/v1/events/${ticket}`,
      `/audit/v1${feed}`,
    ])
      expect([401, 404], path).to.include((await ask(path)).status);
    for (const path of [`/link/business/events/${ticketOf(feed)}`, `/link/document/file/${ticketOf(feed)}`])
      expect(codeOf(await ask(path))).to.equal('link_not_valid');
    expect(codeOf(await ask(`/link/audit/events/${ticketOf(feed)}`))).to.equal('no_such_route');
  });

  it('are read, and nothing else', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH'])
      expect((await ask(file, {}, method)).status, method).to.equal(405);
  });

  it('are not widened by what is added to their address', async () => {
    await putFile('another');
    expect((await ask(`${file}?id=x&ticket=x&utm=1`)).text).to.equal('0123456789');
    for (const query of ['revision=2', 'at=2026-01-01T00:00:00Z', 'seconds=1'])
      expect((await ask(`${file}?${query}`)).status, query).to.equal(400);
    expect((await ask(`${feed}?after=0`)).status).to.equal(400);
  });

  it('are not valid in parts, joined, padded, in another case, or of another maker or time', async () => {
    const [payload = '', signature = ''] = ticketOf(file).split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { readonly exp: number };
    const other = ticketOf(await made(`/document/${document}/link`, 'bob'));
    const forged = [{ sub: 'bob' }, { exp: claims.exp + 1 }, { record: 'x' }, { query: {} }].map((changed) =>
      Buffer.from(JSON.stringify({ ...claims, ...changed })).toString('base64url'),
    );
    for (const ticket of [
      ...[payload, `${payload}.`, `.${signature}`, `${payload}.${payload}`, `${payload}.${signature}.${signature}`],
      ...[
        `${payload}=.${signature}`,
        `${payload}.${signature}=`,
        `${payload}.${signature}%0A`,
        ` ${payload}.${signature}`,
      ],
      ...[
        `${payload}.${signature.toUpperCase()}`,
        `${payload.toLowerCase()}.${signature}`,
        `${payload}.${'A'.repeat(43)}`,
      ],
      ...[...forged, other.split('.')[0] ?? ''].map((each) => `${each}.${signature}`),
      ...['__proto__', '%00', '%ff', '..%2f', 'A'.repeat(10_000), `${'A'.repeat(10_000)}.${signature}`],
    ]) {
      const refused = await ask(`/link/document/file/${ticket}`);
      expect([refused.status, refused.headers.get('referrer-policy')], ticket).to.deep.equal([404, 'no-referrer']);
    }
    expect((await ask(`/link/document/file/${'A'.repeat(20_000)}`)).status).to.equal(431);
    expect((await ask(file)).status).to.equal(200);
    expect(reads).to.have.lengthOf(1);
  });

  it('are open for pages of the origins that may read the service, and for no others', async () => {
    for (const url of [file, feed]) {
      const preflight = { origin: ORIGIN, 'access-control-request-method': 'GET' };
      expect((await ask(url, preflight, 'OPTIONS')).headers.get('access-control-allow-origin')).to.equal(ORIGIN);
      const others = await ask(url, { origin: 'https://evil.example' }, 'HEAD');
      expect([others.status, others.headers.get('access-control-allow-origin')]).to.deep.equal([200, null]);
      expect((await ask(url, { origin: ORIGIN }, 'HEAD')).headers.get('access-control-allow-origin')).to.equal(ORIGIN);
    }
  });

  it('answer HEAD and conditions as the file does, and begin no feed by HEAD', async () => {
    const head = await ask(feed, {}, 'HEAD');
    expect([head.status, head.headers.get('content-type'), head.text]).to.deep.equal([
      ...[200, 'text/event-stream; charset=utf-8', ''],
    ]);
    const tag = (await ask(file)).headers.get('etag') ?? '';
    const range = { range: 'bytes=2-3' };
    const byTag = await ask(file, { ...range, 'if-range': tag });
    const byOther = await ask(file, { ...range, 'if-range': '"other"' });
    expect([byTag.status, byTag.text, byOther.status, byOther.text]).to.deep.equal([206, '23', 200, '0123456789']);
    expect((await ask(file, { 'if-none-match': '*' })).status).to.equal(304);
    expect((await ask(file, { 'if-match': '"other"' })).status).to.equal(412);
    for (const { headers } of [byTag, byOther, await ask(file, { 'if-none-match': tag })])
      expect([headers.get('cache-control'), headers.get('cross-origin-resource-policy')]).to.deep.equal([
        ...['no-store', 'cross-origin'],
      ]);
  });

  it('lead to the file again when the document is restored', async () => {
    const place = `/document/${document}`;
    await call('DELETE', place, { as: stack.tokenFor('admin') });
    expect(codeOf(await ask(file))).to.equal('document_not_found');
    expect((await call('POST', `${place}/restore`, { as: stack.tokenFor('admin') })).status).to.equal(200);
    expect((await ask(file)).text).to.equal('0123456789');
  });

  it('are valid by the clock of the process that is asked', () => {
    const key = 'a key that all processes share for links';
    const caller = { subject: 'ann', roles: [], expiresAt: 4_000_000_000 };
    const at = (time: string) => makeLinks(makeManualClock(new Date(time)), key);
    const { url } = right(at('2026-01-01T00:00:00Z').make('a/b', caller, { query: {} }, 60));
    const isOpen = (time: string): boolean => E.isRight(at(time).open('a/b', ticketOf(url)));
    expect(['2025-12-31T23:00:00Z', '2026-01-01T00:00:59.999Z', '2026-01-01T00:01:00Z'].map(isOpen)).to.deep.equal([
      ...[true, true, false],
    ]);
  });
});
