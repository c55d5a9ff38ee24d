import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { expect } from 'chai';
import { bytesOf, contentOf } from '../support/bodies.js';
import { callerOf, idOf, type Reply } from '../support/client.js';
import { errorIn } from '../support/error-in.js';
import { FakeObjectStorage } from '../support/fake-object-storage.js';
import { type MemoryStack, startMemoryStack } from '../support/memory-stack.js';

const MAX = 100_000;
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex');

describe('a file that is the body of its request', () => {
  let stack: MemoryStack;
  let storage: FakeObjectStorage;
  let as: string;
  let one: string;
  const call = callerOf(() => stack);

  beforeEach(async () => {
    storage = new FakeObjectStorage();
    stack = await startMemoryStack({ maxUploadBytes: MAX, ports: () => ({ storage }) });
    as = stack.tokenFor('editor', 'ed');
    one = `/document/${idOf(await call('POST', '/document', { as, body: { name: 'Lease' } }))}`;
  });

  afterEach(() => stack.stop());

  const put = (
    content: string | Buffer,
    headers: Readonly<Record<string, string>> = {},
    query = '?originalName=a.txt',
  ): Promise<Reply> =>
    call('PUT', `${one}/file${query}`, { as, body: content, headers: { 'content-type': 'text/plain', ...headers } });

  const shownOf = ({ status, json }: Reply): ReadonlyArray<unknown> => {
    const { originalName, mimeType, size } = json as Readonly<Record<string, unknown>>;
    return [status, originalName, mimeType, size];
  };

  const faultsOf = (reply: Reply): ReadonlyArray<string> => {
    expect(reply.status).to.equal(400);
    return (reply.json as { readonly errors: ReadonlyArray<{ readonly path: string }> }).errors.map(({ path }) => path);
  };

  const leavesNothing = async (): Promise<void> => {
    await storage.news.until(() => storage.writing === 0);
    expect([...storage.objects.keys()]).to.deep.equal([]);
    expect((await call('GET', one, { as })).headers.get('etag')).to.equal('"0"');
  };

  /** A request of which a test sends as much as it likes, when it likes. */
  const open = (headers: Readonly<Record<string, string>>): ClientRequest => {
    const url = `${stack.baseUrl}/api/v1${one}/file?originalName=a`;
    const outgoing = request(url, { method: 'PUT', headers: { authorization: `Bearer ${as}`, ...headers } });
    outgoing.on('error', () => undefined);
    return outgoing;
  };

  const answerTo = async (outgoing: ClientRequest): Promise<readonly [number | undefined, unknown]> => {
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    const { name } = JSON.parse((await bytesOf(answer)).toString()) as { readonly name: string };
    return [answer.statusCode, name];
  };

  describe('is called', () => {
    for (const [disposition, name] of [
      ['attachment; filename="plan.pdf"', 'plan.pdf'],
      ['attachment; filename=plan.pdf', 'plan.pdf'],
      ['Attachment ;FileName = "my \\"plan\\".pdf";', 'my "plan".pdf'],
      ["attachment; filename*=UTF-8''gr%C3%B6%C3%9Fe%20%E6%96%87.pdf", 'größe 文.pdf'],
      ['attachment; filename="plan.pdf"; filename*=utf-8\'en\'pl%C3%A4n.pdf', 'plän.pdf'],
      [Buffer.from('inline; filename="größe.pdf"').toString('latin1'), 'größe.pdf'],
      ['form-data; name="file"; filename="../../etc/passwd"', 'passwd'],
      [`attachment; filename="${'x'.repeat(300)}"`, 'x'.repeat(255)],
    ] as const)
      it(`${JSON.stringify(name).slice(0, 30)} by ${disposition.slice(0, 70)}`, async () => {
        const reply = await put('content', { 'content-disposition': disposition }, '');
        expect(shownOf(reply)).to.deep.equal([200, name, 'text/plain', 7]);
      });

    for (const disposition of [
      ...['', ';', 'filename="a"', 'attachment filename=a', 'attachment; filename', 'attachment; filename="a'],
      ...['attachment; filename=""', 'attachment; filename=".."', 'attachment; filename="x/"'],
      ...['attachment; filename=a; filename=b', 'attachment; filename=a; FILENAME="a"'],
      ...["attachment; filename=a; filename*=UTF-8''%FF", "attachment; filename=a; filename*=UTF-8''%C3"],
      ...["attachment; filename*=iso-8859-1''%E9", 'attachment; filename*=a', "attachment; filename*=UTF-8''a b"],
      'attachment; filename="gr\u00f6\u00dfe"',
    ])
      it(`nothing that can be read by ${JSON.stringify(disposition)}`, async () => {
        const reply = await put('content', { 'content-disposition': disposition }, '?originalName=a');
        expect(faultsOf(reply)).to.deep.equal(['Content-Disposition']);
        await leavesNothing();
      });

    it('what the parameter says, by its base name', async () => {
      const name = encodeURIComponent('C:\\folder\\größe\u0085 文.pdf');
      expect(shownOf(await put('content', {}, `?originalName=${name}`))[1]).to.equal('größe 文.pdf');
    });

    it('by header and parameter alike, but not by two names', async () => {
      const headers = { 'content-disposition': 'attachment; filename="folder/a.txt"' };
      expect(shownOf(await put('content', headers))[1]).to.equal('a.txt');
      expect(faultsOf(await put('content', headers, '?originalName=b.txt'))).to.deep.equal(['originalName']);
    });

    it('by one header', async () => {
      const outgoing = open({ 'content-length': '1' });
      outgoing.setHeader('content-disposition', ['attachment; filename=a', 'attachment']);
      outgoing.end('x');
      expect(await answerTo(outgoing)).to.deep.equal([400, 'Validation Error']);
    });

    it('somehow, as in a form: without a name it is refused, and so is one that nobody sees', async () => {
      for (const headers of [{}, { 'content-disposition': 'attachment' }, { 'content-disposition': 'attachment;' }])
        expect(faultsOf(await put('content', headers, ''))).to.deep.equal(['originalName']);
      for (const name of ['', '..', 'x/', '%E2%80%8B', 'a&originalName=a'])
        expect(faultsOf(await put('content', {}, `?originalName=${name}`))).to.deep.equal(['originalName']);
      await leavesNothing();
    });
  });

  for (const [declared, content, expected] of [
    ['text/html', PNG, 'image/png'],
    ['image/svg+xml', '<svg/>', 'image/svg+xml'],
    ['no type', 'content', 'application/octet-stream'],
    ['text/plain, text/csv', 'content', 'application/octet-stream'],
    ['<b>/x', 'content', 'application/octet-stream'],
    ['text/*', 'content', 'application/octet-stream'],
    ['a=b/c@d', 'content', 'application/octet-stream'],
    ['text/x\u0085y', 'content', 'application/octet-stream'],
    ['application/vnd.oasis.opendocument.text+x', 'content', 'application/vnd.oasis.opendocument.text+x'],
    [`text/${'x'.repeat(300)}`, 'content', 'application/octet-stream'],
    ['Text/CSV; header=present;', 'a,b', 'text/csv'],
  ] as const)
    it(`is ${expected} where ${declared.slice(0, 30)} is declared of ${content.length} bytes`, async () => {
      expect(shownOf(await put(content, { 'content-type': declared }))).to.include.members([200, expected]);
    });

  it('has the type of its content where none is declared', async () => {
    for (const [content, type] of [
      [PNG, 'image/png'],
      ['content', 'application/octet-stream'],
    ] as const) {
      const outgoing = open({ 'content-length': String(content.length) });
      outgoing.end(content);
      expect((await answerTo(outgoing))[0]).to.equal(200);
      const { mimeType } = (await call('GET', one, { as })).json as { readonly mimeType: string };
      expect(mimeType).to.equal(type);
    }
  });

  it('names all faults of headers and parameters at once, and before a byte is taken', async () => {
    const headers = { 'if-match': 'x', 'idempotency-key': 'a b', 'content-range': 'bytes 0-1/2', 'change-reason': '' };
    const strict = { ...headers, prefer: 'handling=strict', 'content-digest': 'x' };
    expect(faultsOf(await put('content', strict, '?limit=1&nobody=1'))).to.deep.equal([
      ...['limit', 'nobody', 'Idempotency-Key', 'Content-Range', 'Content-Digest', 'Change-Reason', 'If-Match'],
      'originalName',
    ]);
    expect(storage.received).to.equal(0);
  });

  it('has no keys that strict handling could refuse', async () => {
    const headers = { 'content-type': 'application/json', prefer: 'handling=strict' };
    const reply = await put('{"nobody":1}', headers);
    expect([reply.status, reply.headers.get('preference-applied')]).to.deep.equal([200, 'handling=strict']);
  });

  it('is not taken for a document that is not there, or is not at the revision asked for', async () => {
    const stale = await put('content', { 'if-match': '"7"' });
    one = '/document/00000000-0000-7000-8000-000000000000';
    expect([stale.status, (await put('content')).status, storage.received]).to.deep.equal([412, 404, 0]);
  });

  it('is not taken compressed', async () => {
    const { status, headers } = await put('content', { 'content-encoding': 'gzip' });
    const told = [headers.get('accept'), headers.get('accept-encoding')];
    expect([status, ...told]).to.deep.equal([415, null, 'identity']);
    await leavesNothing();
  });

  it('has at most as many bytes as the file of a form', async () => {
    expect((await put(contentOf(MAX))).status).to.equal(200);
    const { status, json, headers } = await put(contentOf(MAX + 1));
    expect([status, errorIn(json), headers.get('connection')]).to.deep.equal([
      413,
      { name: 'Payload Too Large', message: `The limit is ${MAX} bytes`, status: 413, code: 'payload_too_large' },
      'close',
    ]);
    expect(storage.received).to.equal(MAX);
  });

  it('is refused by its announced length before a byte has come', async () => {
    const large = open({ 'content-length': String(MAX + 1) });
    large.flushHeaders();
    expect(await answerTo(large)).to.deep.equal([413, 'Payload Too Large']);
    large.destroy();
    expect(storage.received).to.equal(0);
  });

  it('is read no further, without a length, when it is too long', async () => {
    const endless = open({ 'transfer-encoding': 'chunked' });
    const write = (): void => {
      while (endless.write(contentOf(64 * 1024)));
    };
    endless.on('drain', write);
    write();
    expect(await answerTo(endless)).to.deep.equal([413, 'Payload Too Large']);
    endless.destroy();
    await leavesNothing();
    expect(storage.received).to.be.most(MAX);
  });

  it('is held against the digests of its header', async () => {
    const digest = (of: string): string => `sha-256=:${createHash('sha256').update(of).digest('base64')}:`;
    const right = { 'content-digest': digest('content'), 'repr-digest': digest('content') };
    expect(faultsOf(await put('content', { ...right, 'repr-digest': digest('other') }))).to.deep.equal(['Repr-Digest']);
    await leavesNothing();
    expect((await put('content', right)).status).to.equal(200);
  });

  it('is waited for by a client that expects to be told', async () => {
    const patient = open({ 'content-length': '7', expect: '100-continue' });
    patient.flushHeaders();
    await once(patient, 'continue');
    patient.end('content');
    expect((await answerTo(patient))[0]).to.equal(200);
  });

  it('is 503 at once when the storage does not take it', async () => {
    storage.behaviour = { failAfter: 1000 };
    const slow = open({ 'transfer-encoding': 'chunked' });
    slow.write(contentOf(50_000));
    expect(await answerTo(slow)).to.deep.equal([503, 'Service Unavailable']);
    slow.destroy();
    await leavesNothing();
  });

  for (const length of [{ 'content-length': '90000' }, { 'transfer-encoding': 'chunked' }])
    it(`leaves nothing when its client goes away: ${Object.keys(length).join('')}`, async () => {
      const gone = open(length);
      gone.write(contentOf(50_000));
      await storage.news.until(() => storage.received > 0);
      gone.destroy();
      const { fields } = await stack.logged((line) => 'failure' in line.fields);
      expect(fields).to.deep.include({
        operation: 'putDocumentFile',
        route: '/api/v1/document/:id/file',
        failure: { tag: 'ClientGone' },
      });
      await leavesNothing();
    });

  it('is kept once, however often it comes', async () => {
    const replies = await Promise.all([1, 2, 3].map(() => put('content', { 'idempotency-key': 'one' })));
    await put('content');
    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).to.equal(1);
    expect(storage.objects.size).to.equal(1);
  });
});
