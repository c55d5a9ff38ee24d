import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { contentOf } from '../support/bodies.js';
import { callerOf, idOf, type Reply } from '../support/client.js';
import { errorIn } from '../support/error-in.js';
import { FakeObjectStorage } from '../support/fake-object-storage.js';
import { type MemoryStack, startMemoryStack } from '../support/memory-stack.js';
import { FORM_TYPE, formOf, type Part } from '../support/multipart-form.js';

const MAX = 100_000;
const NOBODY = '00000000-0000-7000-8000-000000000000';

const field = (name: string, content: string): Part => ({ name, content });
const file = (content: string | Buffer = 'content', filename = 'a.txt', type = 'text/plain'): Part => ({
  name: 'file',
  filename,
  type,
  content,
});

describe('documents with files', () => {
  let stack: MemoryStack;
  let storage: FakeObjectStorage;
  let editor: string;

  beforeEach(async () => {
    storage = new FakeObjectStorage();
    stack = await startMemoryStack({ maxUploadBytes: MAX, ports: () => ({ storage }) });
    editor = stack.tokenFor('editor', 'ed');
  });

  afterEach(() => stack.stop());

  const call = callerOf(() => stack);

  const sendForm = (method: 'POST' | 'PUT', path: string, parts: ReadonlyArray<Part>, headers = {}): Promise<Reply> =>
    call(method, path, { as: editor, body: formOf(...parts), headers: { 'content-type': FORM_TYPE, ...headers } });

  const create = (...parts: ReadonlyArray<Part>): Promise<Reply> => sendForm('POST', '/document/', parts);

  const made = async (...parts: ReadonlyArray<Part>): Promise<string> =>
    idOf(await create(field('name', 'Lease'), ...parts));

  it('are not created by a form without file and name, both of which are named', async () => {
    const reply = await create(field('type', 'Nothing'));
    expect([
      reply.status,
      (reply.json as { errors: ReadonlyArray<{ path: string }> }).errors.map(({ path }) => path),
    ]).to.deep.equal([400, ['type', 'name', 'file']]);
  });

  it('leave nothing in storage when their fields are wrong', async () => {
    const reply = await create(file(), field('name', ' '));
    expect(reply.status).to.equal(400);
    expect(storage.received).to.equal(7);
    expect(storage.objects.size).to.equal(0);
  });

  it('are not changed by the same file again, whose bytes are not kept twice', async () => {
    const id = await made(file('same'));
    const [kept] = storage.objects.keys();
    const reply = await sendForm('PUT', `/document/${id}`, [file('same')]);
    expect([reply.status, reply.headers.get('etag')]).to.deep.equal([200, '"0"']);
    expect([...storage.objects.keys()]).to.deep.equal([kept]);
  });

  it('are created once under one key, however often the request is repeated', async () => {
    const parts = [field('name', 'Lease'), file('once')];
    const headers = { 'idempotency-key': 'key-1' };
    const replies = await Promise.all([1, 2, 3].map(() => sendForm('POST', '/document/', parts, headers)));
    const again = await sendForm('POST', '/document/', parts, headers);
    expect(new Set([...replies, again].map(({ status, text }) => `${status} ${text}`)).size).to.equal(1);
    expect(storage.objects.size).to.equal(1);
    const other = await sendForm('POST', '/document/', [field('name', 'Lease'), file('other')], headers);
    expect([other.status, storage.objects.size]).to.deep.equal([422, 1]);
  });

  it('take no byte for a document that is not there, or is not at the revision asked for', async () => {
    const id = await made(file('one'));
    const received = storage.received;
    const missing = await sendForm('PUT', `/document/${NOBODY}`, [file('two')]);
    const unknown = await sendForm('PUT', '/document/none', [file('two')]);
    const stale = await sendForm('PUT', `/document/${id}`, [file('two')], { 'if-match': '"7"' });
    expect([missing.status, unknown.status, stale.status]).to.deep.equal([404, 404, 412]);
    expect(storage.received).to.equal(received);
  });

  it('take no file beyond the limit', async () => {
    const reply = await create(field('name', 'n'), file(contentOf(MAX + 1)));
    expect(errorIn(reply.json)).to.deep.equal({
      ...{ name: 'Payload Too Large', message: `The limit is ${MAX} bytes`, status: 413 },
      code: 'payload_too_large',
    });
    expect(storage.objects.size).to.equal(0);
  });

  it('refuse a body that is far too long at once, and close the connection', async () => {
    const reply = await create(field('name', 'n'), file(contentOf(MAX * 20)));
    expect([reply.status, reply.headers.get('connection')]).to.deep.equal([413, 'close']);
    expect(storage.received).to.equal(0);
  });

  it('answer 503 when the storage takes no file, and record nothing', async () => {
    storage.behaviour = { failAfter: 10 };
    const reply = await create(field('name', 'n'), file(contentOf(1000)));
    expect([reply.status, reply.headers.get('retry-after')]).to.deep.equal([503, '1']);
    const list = await call('GET', '/document/', { as: editor });
    expect(list.json).to.deep.equal([]);
  });

  it('refuse other encodings', async () => {
    const reply = await call('POST', '/document/', {
      as: editor,
      body: 'name=n',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect([reply.status, reply.headers.get('accept')]).to.deep.equal([415, 'multipart/form-data, application/json']);
    const form = [field('name', 'n'), file()];
    expect((await sendForm('POST', '/document/', form, { 'content-encoding': 'gzip' })).status).to.equal(415);
  });

  it('log a client that goes away as no failure of ours', async () => {
    const gone = new AbortController();
    const body = new ReadableStream({
      start: (controller) => {
        controller.enqueue(formOf(file(contentOf(5000))).subarray(0, 3000));
        void storage.news.until(() => storage.writing > 0).then(() => gone.abort());
      },
    });
    const request = { method: 'POST', headers: { authorization: `Bearer ${editor}`, 'content-type': FORM_TYPE } };
    const sent = fetch(`${stack.baseUrl}/api/v1/document/`, {
      ...request,
      body,
      duplex: 'half',
      signal: gone.signal,
    });
    await sent.catch(() => undefined);
    const line = await stack.logged(() => true);
    expect([line.level, (line.fields as { failure?: unknown }).failure]).to.deep.equal(['info', { tag: 'ClientGone' }]);
    expect(storage.objects.size).to.equal(0);
  });

  describe('give their file', () => {
    const content = contentOf(10_000);
    const digest = `"${createHash('sha256').update(content).digest('hex')}"`;
    const reprDigest = `sha-256=:${createHash('sha256').update(content).digest('base64')}:`;
    let path: string;

    beforeEach(async () => {
      path = `/document/${await made(file(content, '€ %22x%22.pdf', 'application/x-thing'))}/file`;
    });

    const download = (headers: Record<string, string> = {}, method = 'GET', of = path): Promise<Reply> =>
      call(method, of, { as: editor, headers });

    it('whole, to be saved and never shown', async () => {
      const { status, headers, bytes } = await download();
      expect(status).to.equal(200);
      expect(bytes.equals(content)).to.equal(true);
      const shown = ['content-type', 'content-length', 'etag', 'accept-ranges', 'x-content-type-options'];
      expect([...shown, 'content-security-policy', 'cache-control'].map((name) => headers.get(name))).to.deep.equal([
        'application/x-thing',
        '10000',
        digest,
        'bytes',
        'nosniff',
        'sandbox',
        'private, no-cache',
      ]);
      expect(headers.get('content-disposition')).to.equal(
        `attachment; filename="_ _x_.pdf"; filename*=UTF-8''%E2%82%AC%20%22x%22.pdf`,
      );
    });

    it('with the digest of all of it, however much of it is answered', async () => {
      for (const [status, headers, method] of [
        [200, {}, 'GET'],
        [200, {}, 'HEAD'],
        [206, { range: 'bytes=0-499' }, 'GET'],
        [304, { 'if-none-match': digest }, 'GET'],
      ] as const) {
        const reply = await download(headers, method);
        expect([reply.status, reply.headers.get('repr-digest')]).to.deep.equal([status, reprDigest]);
      }
      for (const [status, headers] of [
        [412, { 'if-match': '"other"' }],
        [416, { range: 'bytes=10000-' }],
      ] as const) {
        // what these answers hold is an error, and not the file
        const reply = await download(headers);
        expect([reply.status, reply.headers.get('repr-digest')]).to.deep.equal([status, null]);
      }
    });

    it('under the policy that a cache has it under, where it has it already', async () => {
      const headersOf = async (headers: Record<string, string> = {}): Promise<ReadonlyArray<unknown>> => {
        const reply = await download(headers);
        return ['content-security-policy', 'cache-control', 'etag', 'vary'].map((name) => reply.headers.get(name));
      };
      expect(await headersOf({ 'if-none-match': digest })).to.deep.equal(await headersOf());
    });

    it('not at all to HEAD, but for its headers', async () => {
      const given = storage.given;
      const { status, headers, bytes } = await download({ range: 'bytes=0-1' }, 'HEAD');
      expect([status, headers.get('content-length'), headers.get('etag'), bytes.length]).to.deep.equal([
        200,
        '10000',
        digest,
        0,
      ]);
      expect(storage.given).to.equal(given);
    });

    for (const [range, first, last] of [
      ['bytes=0-499', 0, 499],
      ['bytes=500-999', 500, 999],
      ['bytes=-500', 9500, 9999],
      ['bytes=9500-', 9500, 9999],
    ] as const)
      it(`in part, for ${range}`, async () => {
        const { status, headers, bytes } = await download({ range });
        expect([status, headers.get('content-range'), headers.get('content-length')]).to.deep.equal([
          206,
          `bytes ${first}-${last}/10000`,
          String(last - first + 1),
        ]);
        expect(bytes.equals(content.subarray(first, last + 1))).to.equal(true);
      });

    it('not, for a range beyond its end', async () => {
      const { status, headers, bytes } = await download({ range: 'bytes=10000-' });
      expect([status, headers.get('content-range'), errorIn(JSON.parse(bytes.toString()))]).to.deep.equal([
        416,
        'bytes */10000',
        {
          name: 'Range Not Satisfiable',
          message: 'The file has 10000 bytes',
          status: 416,
          code: 'range_not_satisfiable',
        },
      ]);
    });

    it('whole, for several ranges, or a malformed one', async () => {
      for (const range of ['bytes=0-1,3-4', 'bytes=4-2', 'lines=1-2'])
        expect((await download({ range })).status).to.equal(200);
    });

    it('in part only while it is the file of If-Range', async () => {
      const range = 'bytes=0-9';
      for (const [ifRange, status] of [
        [digest, 206],
        [`W/${digest}`, 200],
        ['"other"', 200],
        ['Sat, 29 Oct 1994 19:43:31 GMT', 200],
      ] as const)
        expect([ifRange, (await download({ range, 'if-range': ifRange })).status]).to.deep.equal([ifRange, status]);
    });

    it('not again to who has it', async () => {
      for (const tag of [digest, `"other", ${digest}`, '*']) {
        const { status, headers, bytes } = await download({ 'if-none-match': tag });
        expect([status, headers.get('etag'), bytes.length]).to.deep.equal([304, digest, 0]);
      }
      expect((await download({ 'if-none-match': '"other"' })).status).to.equal(200);
      expect((await download({ 'if-match': '"other"' })).status).to.equal(412);
      expect((await download({ 'if-none-match': 'other' })).status).to.equal(400);
    });

    it('as it was at an earlier revision, to who may see the past', async () => {
      await sendForm('PUT', path.replace('/file', ''), [file('new')]);
      expect((await download()).bytes.toString()).to.equal('new');
      expect((await download({}, 'GET', `${path}?revision=0`)).bytes.equals(content)).to.equal(true);
      expect((await download({}, 'GET', `${path}?revision=2`)).status).to.equal(404);
      const past = await call('GET', `${path}?revision=0`, { as: stack.tokenFor('viewer') });
      expect([past.status, (past.json as { name: string }).name]).to.deep.equal([401, 'Invalid Role']);
    });

    it('not, when there is none', async () => {
      const without = idOf(await call('POST', '/document/', { as: editor, body: { name: 'n' } }));
      for (const id of [without, NOBODY, 'none'])
        expect((await download({}, 'GET', `/document/${id}/file`)).status).to.equal(404);
    });

    it('when it is empty', async () => {
      const empty = `/document/${await made(file(''))}/file`;
      const { status, headers, bytes } = await download({}, 'GET', empty);
      expect([status, headers.get('content-length'), bytes.length]).to.deep.equal([200, '0', 0]);
      expect((await download({ range: 'bytes=0-' }, 'GET', empty)).status).to.equal(416);
    });

    it('as 500 when the storage lacks it', async () => {
      storage.objects.clear();
      expect((await download()).status).to.equal(500);
    });
  });
});
