import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import Koa from 'koa';
import { withUpload } from '../../src/application/document/with-upload.js';
import type { Outcome } from '../../src/application/execute.js';
import { documentDecider } from '../../src/domain/document/decide.js';
import type { StoredFile } from '../../src/domain/document/events.js';
import type { DocumentState } from '../../src/domain/document/state.js';
import type { RequestState } from '../../src/http/request-context.js';
import { type Form, readForm } from '../../src/http/document/form/multipart.js';
import type { UploadFailure } from '../../src/http/document/upload.js';
import { contentOf } from '../support/bodies.js';
import { aDocumentCreated } from '../support/document-events.js';
import { FakeObjectStorage } from '../support/fake-object-storage.js';
import { sometime } from '../support/given.js';
import { type Heard, makeHeard } from '../support/news.js';
import { FORM_TYPE, formOf, formWithin, type Part } from '../support/multipart-form.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

const MAX = 100_000;
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex');

/** What a command leaves behind whose event names the file. */
const created = (named: StoredFile | null): Outcome<DocumentState> => {
  const before = documentDecider.initialState;
  const after = documentDecider.evolve(before, aDocumentCreated({ file: named }), sometime);
  return { before, after, revision: 0n, createdAt: '', updatedAt: '', projected: true, replayed: false };
};

const file = (content: string | Buffer = 'content', over: Partial<Part> = {}): Part => ({
  name: 'file',
  filename: 'a.txt',
  type: 'text/plain',
  content,
  ...over,
});

describe('the form of an upload', () => {
  let storage: FakeObjectStorage;
  let server: Server;
  let outcomes: Heard<E.Either<UploadFailure, Form>>;

  beforeEach(async () => {
    storage = new FakeObjectStorage();
    outcomes = makeHeard();
    const app = new Koa<RequestState>();
    app.silent = true;
    app.use(async (ctx) => {
      ctx.state = {
        requestId: 'test',
        acquire: () => Promise.resolve(true),
        tryAcquire: () => Promise.resolve(true),
        timeSlice: () => Promise.resolve(true),
      };
      const read: Array<E.Either<UploadFailure, Form>> = [];
      await withUpload(systemRuntime.random, storage)('doc', async (store) => {
        const form = await readForm(ctx, { store, maxUploadBytes: MAX, heldPerUpload: 0 });
        read.push(form);
        return E.isLeft(form) ? form : E.right(created(form.right.file ?? null));
      });
      read.forEach(outcomes.hear);
      ctx.set('Connection', 'close');
      ctx.body = 'read';
    });
    server = createServer((req, res) => void app.callback()(req, res)).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const port = (): number => (server.address() as AddressInfo).port;

  const open = (headers: Record<string, string>) => {
    const outgoing = request({ port: port(), host: '127.0.0.1', method: 'POST', headers });
    outgoing.on('response', (response) => response.resume());
    outgoing.on('error', () => undefined);
    return outgoing;
  };

  const read = async (): Promise<E.Either<UploadFailure, Form>> =>
    (await outcomes.until(({ length }) => length === 1))[0]!;

  const post = async (body: Buffer, type = FORM_TYPE): Promise<E.Either<UploadFailure, Form>> => {
    open({ 'content-type': type, 'content-length': String(body.length) }).end(body);
    return read();
  };

  const postByteByByte = async (body: Buffer): Promise<E.Either<UploadFailure, Form>> => {
    const slow = open({ 'content-type': FORM_TYPE, 'content-length': String(body.length) });
    slow.setNoDelay(true);
    for (const byte of body) slow.write(Buffer.from([byte]));
    slow.end();
    return read();
  };

  const fieldsOf = (outcome: E.Either<UploadFailure, Form>): unknown =>
    E.isRight(outcome) ? { ...(outcome.right.fields as object) } : outcome;

  const storedFile = (outcome: E.Either<UploadFailure, Form>) => {
    if (E.isLeft(outcome) || outcome.right.file === undefined) throw new Error(JSON.stringify(outcome));
    const { key, ...rest } = outcome.right.file;
    expect([...storage.objects.keys()]).to.deep.equal([key]);
    expect(key).to.match(/^documents\/doc\/[0-9a-f-]{36}$/);
    return rest;
  };

  const isRefused = async (outcome: E.Either<UploadFailure, Form>, path: string, message: string): Promise<void> => {
    expect(outcome).to.deep.equal(E.left({ _tag: 'RequestInvalid', errors: [{ path, message }] }));
    await leavesNothing();
  };

  const leavesNothing = async (): Promise<void> => {
    await storage.news.until(() => storage.writing === 0);
    expect([...storage.objects.keys()]).to.deep.equal([]);
  };

  const LENGTH = 'is not as long as its Content-Length';
  const ONE_FILE = 'must be the only file of the form, and its part be named file';
  const INCOMPLETE = 'must be complete multipart/form-data';

  it('gives its fields, those before the file and those after it, and the stored file', async () => {
    const content = contentOf(70_000);
    const outcome = await post(
      formOf({ name: 'name', content: 'größe 😀' }, file(content), { name: 'type', content: 'Lead' }),
    );
    expect(fieldsOf(outcome)).to.deep.equal({ name: 'größe 😀', type: 'Lead' });
    expect(storedFile(outcome)).to.deep.equal({
      size: 70_000,
      sha256: createHash('sha256').update(content).digest('hex'),
      mimeType: 'application/octet-stream',
      originalName: 'a.txt',
    });
    expect([...storage.objects.values()][0]!.content.equals(content)).to.equal(true);
  });

  it('takes an empty file', async () => {
    expect(storedFile(await post(formOf(file(''))))).to.deep.equal({
      size: 0,
      sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      mimeType: 'text/plain',
      originalName: 'a.txt',
    });
  });

  it('is none without a file, or with a file part that has no file name', async () => {
    const outcome = await post(formOf({ name: 'name', content: 'n' }, file('', { filename: '' })));
    expect(E.isRight(outcome) && outcome.right.file).to.equal(undefined);
    await leavesNothing();
  });

  for (const [told, declared, content, expected] of [
    ['its content', 'text/html', PNG, 'image/png'],
    ['what the client declares where the content does not say', 'image/svg+xml', '<svg/>', 'image/svg+xml'],
    [
      'nothing, without a word of the client, when it is no text',
      undefined,
      '\u0000\u0001',
      'application/octet-stream',
    ],
    ['nothing, when the client declares what is no type', 'no type', '\u0000', 'application/octet-stream'],
    ['nothing, when the client declares a range of types', '*/*', '\u0000', 'application/octet-stream'],
    ['nothing, when the client declares a type in other characters', 'teéxt/x', '\u0000', 'application/octet-stream'],
  ] as const)
    it(`tells the type of the file from ${told}`, async () => {
      const part = { name: 'file', filename: 'f', content, ...(declared === undefined ? {} : { type: declared }) };
      expect(storedFile(await post(formOf(part))).mimeType).to.equal(expected);
    });

  for (const [filename, expected] of [
    ['größe 文.pdf', 'größe 文.pdf'],
    ['C:\\folder\\a.txt', 'a.txt'],
    ['../../etc/passwd', 'passwd'],
    ['%22quoted%22%0D%0A.txt', '"quoted".txt'],
    ['50%.pdf', '50%.pdf'],
    ['a\u0085b', 'ab'],
    ['😀'.repeat(300), '😀'.repeat(255)],
  ] as const)
    it(`shows the file ${JSON.stringify(filename).slice(0, 40)} by its base name`, async () => {
      const outcome = await post(formOf(file('x', { filename })));
      expect(E.isRight(outcome) && outcome.right.file?.originalName).to.equal(expected);
    });

  it('refuses a file whose name has nothing that anybody sees', async () => {
    const unseen = [
      '..',
      'x/. .',
      'x/',
      '\u200b',
      'C:\\a\\\u200b \u2060',
      '\u00a0\u202e',
      '\u0085',
      `${'\u200b'.repeat(255)}a`,
    ];
    for (const filename of unseen) {
      outcomes = makeHeard();
      const message = 'must have a file name, in valid UTF-8';
      await isRefused(await post(formOf(file('x', { filename }))), 'file', message);
    }
  });

  it('refuses a second file and names it', async () => {
    await isRefused(await post(formOf(file(), file())), 'file', ONE_FILE);
  });

  it('refuses a file under another name and names it, also after the right one', async () => {
    await isRefused(await post(formOf(file(), file('x', { name: 'photo' }))), 'photo', ONE_FILE);
  });

  it('refuses more than 64 parts', async () => {
    const parts = Array.from({ length: 63 }, () => ({ name: 'x', content: '' }));
    expect(E.isRight(await post(formOf(file(), ...parts)))).to.equal(true);
    storage.objects.clear();
    outcomes = makeHeard();
    await isRefused(await post(formOf(file(), ...parts, ...parts)), '', 'has too many parts');
  });

  it('refuses a field that is too long, whether before or after the file', async () => {
    const long = { name: 'description', content: 'x'.repeat(70_000) };
    await isRefused(await post(formOf(file(), long)), 'description', 'is too long');
    outcomes = makeHeard();
    await isRefused(await post(formOf(long, file())), 'description', 'is too long');
  });

  it('refuses an index that would make an array of holes', async () => {
    await isRefused(
      await post(formOf(file(), { name: 'x[4294967294]', content: '1' }, { name: 'x[a]', content: '2' })),
      'x[4294967294]',
      'has a part whose name is missing, too long or malformed',
    );
  });

  it('keeps fields that could reach a prototype to itself', async () => {
    await post(
      formOf({ name: '__proto__[polluted]', content: 'x' }, { name: 'constructor[prototype][y]', content: 'x' }),
    );
    expect(({} as Record<string, unknown>)['polluted']).to.equal(undefined);
    expect(({} as Record<string, unknown>)['y']).to.equal(undefined);
  });

  for (const [what, body] of [
    ['ends within the file', formOf(file(contentOf(5000))).subarray(0, 3000)],
    ['lacks its last boundary', formOf(file()).subarray(0, -6)],
    ['has nothing', Buffer.alloc(0)],
    ['is no form', Buffer.from('{"name":"n"}')],
    [
      'has a part with a malformed header',
      Buffer.from('--test-boundary-7d1f\r\nno header\r\n\r\nx\r\n--test-boundary-7d1f--'),
    ],
  ] as const)
    it(`refuses a form that ${what}`, async () => isRefused(await post(body), '', INCOMPLETE));

  describe('whose Content-Type', () => {
    for (const [boundary, type] of [
      ['===1795596320196===', 'multipart/form-data; boundary====1795596320196==='],
      ['----=_Part_1_2.3', 'multipart/form-data; boundary=----=_Part_1_2.3'],
      ['----=_Part_1_2.3', 'multipart/form-data; boundary="----=_Part_1_2.3"'],
      ['b', 'multipart/form-data; boundary=b;'],
      ['b', 'multipart/form-data;boundary=b ; '],
      ['b', 'Multipart/Form-Data; charset=UTF-8; ; Boundary = "\\b"'],
      ['a b:c?d/e(f),g', 'multipart/form-data; boundary="a b:c?d/e(f),g"'],
      ["{c0ffee}'+_,-./:=?", "multipart/form-data; boundary={c0ffee}'+_,-./:=?"],
      ['b'.repeat(200), `multipart/form-data; boundary=${'b'.repeat(200)}`],
    ] as const)
      it(`is ${type.slice(0, 70)} is read`, async () => {
        const outcome = await post(formWithin(boundary, { name: 'name', content: 'n' }, file('x')), type);
        expect(fieldsOf(outcome)).to.deep.equal({ name: 'n' });
        expect(storedFile(outcome).size).to.equal(1);
      });

    const BAD = 'must be multipart/form-data; boundary=…, and nothing unreadable';
    const ONE = 'must name one boundary';
    const LONG = 'must name a boundary of 1 to 200 visible ASCII characters, without quotation marks and backslashes';
    for (const [type, message] of [
      ['multipart/form-data', ONE],
      ['multipart/form-data; charset=utf-8', ONE],
      ['multipart/form-data; boundary=a; boundary=b', ONE],
      ['multipart/form-data; foo', BAD],
      ['multipart/form-data; boundary=test-boundary-7d1f; foo', BAD],
      ['multipart/form-data; boundary="test-boundary-7d1f', BAD],
      ['multipart/form-data; =b', BAD],
      ['multipart/form-data; boundary=', LONG],
      ['multipart/form-data; boundary=""', LONG],
      ['multipart/form-data; boundary="b "', LONG],
      ['multipart/form-data; boundary=b\u00e9', LONG],
      [`multipart/form-data; boundary=${'b'.repeat(201)}`, LONG],
    ] as const)
      it(`is ${type.slice(0, 70)} is refused, and the header is named`, async () => {
        await isRefused(await post(formOf(file()), type), 'Content-Type', message);
      });

    const FORM_OR_JSON =
      'The body must be multipart/form-data or application/json; PUT of /file behind a document takes any file';
    for (const [type, message] of [
      ['multipart/mixed; boundary=b', FORM_OR_JSON],
      ['multipart/form-data boundary=b', FORM_OR_JSON],
      ['multipart/form-data, multipart/form-data; boundary=b', FORM_OR_JSON],
      ['multipart/form-data; boundary=b; charset=iso-8859-1', 'The charset must be UTF-8'],
    ] as const)
      it(`is ${type} is refused as another type`, async () => {
        const outcome = await post(formWithin('b', file()), type);
        const takes = ['Accept', 'multipart/form-data, application/json'];
        expect(outcome).to.deep.equal(E.left({ _tag: 'UnsupportedMediaType', message, takes }));
        await leavesNothing();
      });
  });

  const FOREIGN = 'must be in UTF-8';
  const AS_IT_IS = (encoding: string): string =>
    `must be sent as it is, without the Content-Transfer-Encoding "${encoding}"`;

  for (const encoding of ['base64', 'quoted-printable', 'x-uuencode', 'BASE64'])
    it(`refuses a file and a field that are encoded as ${encoding}`, async () => {
      const headers = [`Content-Transfer-Encoding: ${encoding}`];
      await isRefused(await post(formOf(file('YQ==', { headers }))), 'file', AS_IT_IS(encoding.toLowerCase()));
      outcomes = makeHeard();
      const field = { name: 'description', content: 'YQ==', headers };
      await isRefused(await post(formOf(file(), field)), 'description', AS_IT_IS(encoding.toLowerCase()));
    });

  for (const encoding of ['7bit', '8BIT', 'binary '])
    it(`takes parts that are said to be ${encoding}`, async () => {
      const headers = [`Content-Transfer-Encoding: ${encoding}`];
      const outcome = await post(formOf(file('x', { headers }), { name: 'name', content: 'größe', headers }));
      expect([storedFile(outcome).size, fieldsOf(outcome)]).to.deep.equal([1, { name: 'größe' }]);
    });

  for (const charset of ['utf-8', 'UTF8', '"utf-8"', 'us-ascii'])
    it(`takes a text in ${charset}`, async () => {
      const field = { name: 'name', content: 'n', type: `text/plain; charset=${charset}` };
      expect(fieldsOf(await post(formOf(file('x'.repeat(20_000)), field)))).to.deep.equal({ name: 'n' });
    });

  for (const [charset, bytes] of [
    ['iso-8859-1', Buffer.from('größe', 'latin1')],
    ['windows-1252', Buffer.from('größe', 'latin1')],
    ['utf-16le', Buffer.from('größe', 'utf16le')],
    ['utf-8', Buffer.from('größe')],
  ] as const)
    it(`reads a text in ${charset}`, async () => {
      const field = { name: 'name', content: bytes, type: `text/plain; charset=${charset}` };
      expect(fieldsOf(await post(formOf(file(), field)))).to.deep.equal({ name: 'größe' });
    });

  // the parser takes ASCII and windows-1252 for ISO 8859-1, and base64 for a charset; it drops texts in those it does not know
  for (const [charset, content] of [
    ['windows-1252', Buffer.from('3 \x80', 'latin1')],
    ['iso-8859-1', Buffer.from('3 \x80', 'latin1')],
    ['us-ascii', Buffer.from('gr\xf6\xdfe', 'latin1')],
    ['base64', 'n'],
    ['utf-7', 'n'],
    ['iso-8859-2', 'n'],
    ['x-unknown', 'n'],
  ] as const)
    it(`refuses a text in ${charset}, however its bytes arrive`, async () => {
      const field = { name: 'description', content, type: `text/plain; format=flowed; charset=${charset}` };
      const body = formOf({ name: 'name', content: 'n' }, field, file());
      await isRefused(await post(body), 'description', FOREIGN);
      outcomes = makeHeard();
      await isRefused(await postByteByByte(body), 'description', FOREIGN);
    });

  it('refuses a form that names another charset for all its texts', async () => {
    const texts = [
      { name: '_charset_', content: 'iso-8859-1' },
      { name: 'name', content: 'n' },
    ];
    await isRefused(await post(formOf(file(), ...texts)), '_charset_', FOREIGN);
    outcomes = makeHeard();
    expect(E.isRight(await post(formOf(file(), { name: '_charset_', content: 'UTF-8' })))).to.equal(true);
  });

  for (const [type, expected] of [
    ['text/csv;', 'text/csv'],
    ['text/csv; name=my report.csv', 'text/csv'],
    ['text/csv; charset=', 'text/csv'],
    ['Text/HTML;charset=utf-8;', 'text/html'],
    ['text/csv;\r\n header=present', 'text/csv'],
  ] as const)
    it(`takes the type of a file from ${JSON.stringify(type)}`, async () => {
      expect(storedFile(await post(formOf(file('a,b,c,d,e', { type })))).mimeType).to.equal(expected);
    });

  for (const type of [
    'text/plain;\r\n charset=windows-1252',
    'text/plain; charset=x-unknown;',
    'text/plain; charset =iso-8859-2',
    "text/plain; charset*=us-ascii''koi8-r",
    'text/plain; charset=utf-8; charset=koi8-r',
    'text/plain; foo; charset=koi8-r',
  ])
    it(`refuses a text of type ${JSON.stringify(type)}`, async () => {
      const field = { name: 'description', content: Buffer.from('3 \x80', 'latin1'), type };
      await isRefused(await post(formOf(field, file())), 'description', FOREIGN);
    });

  for (const content of ['', 'new'])
    it(`refuses a field that is declared as a file without a name: ${JSON.stringify(content)}`, async () => {
      const field = { name: 'description', content, type: 'application/octet-stream' };
      await isRefused(await post(formOf(field, file())), 'description', 'must be sent as text, or have a file name');
    });

  for (const [headers, message] of [
    [['Content-Encoding: gzip'], 'must be sent as it is, without the Content-Encoding "gzip"'],
    [['Content-Range: bytes 0-3/100'], 'must be sent as it is, without the Content-Range "bytes 0-3/100"'],
    [
      ['Content-MD5: CY9rzUYh03PK3k6DJie09g=='],
      'must be sent as it is, without the Content-MD5 "cy9rzuyh03pk3k6djie09g=="',
    ],
    [['Content-Digest: sha-256=:YQ==:'], 'must be sent as it is, without the Content-Digest "sha-256=:yq==:"'],
    [['Repr-Digest: sha-256=:YQ==:'], 'must be sent as it is, without the Repr-Digest "sha-256=:yq==:"'],
    [['Digest: SHA-256=YQ=='], 'must be sent as it is, without the Digest "sha-256=yq=="'],
    [['Content-Length: 2'], LENGTH],
    [['Content-Length: 0'], LENGTH],
    [['Content-Length: one'], LENGTH],
    [
      ['Content-Transfer-Encoding: binary', 'Content-Transfer-Encoding: base64'],
      'must not have the header "content-transfer-encoding" twice',
    ],
    [['Content-Disposition: form-data; name="name"'], 'must not have the header "content-disposition" twice'],
  ] as const)
    it(`refuses a file whose header has ${headers.join(', ')}`, async () => {
      await isRefused(await post(formOf(file('x', { headers }))), 'file', message);
    });

  const ONCE = 'must have each parameter of its Content-Disposition once';

  it('refuses a part that is named twice, where the parser would take the first name', async () => {
    const field = { name: 'name"; NAME="description', content: 'n' };
    await isRefused(await post(formOf(field, file())), 'name', ONCE);
    for (const filename of ['a.txt"; filename="b.txt', 'a.txt"; name="description', 'a;b.txt"; size=1; size="1']) {
      outcomes = makeHeard();
      await isRefused(await post(formOf(file('x', { filename }))), 'file', ONCE);
    }
    outcomes = makeHeard();
    const other = `a.txt"; filename*=UTF-8''b.txt; x="`;
    expect(storedFile(await post(formOf(file('x', { filename: other })))).originalName).to.equal('b.txt');
  });

  const lengthOf = (content: string | Buffer, plus = 0) => [`Content-Length: ${Buffer.byteLength(content) + plus}`];

  it('takes parts that are as long as they say, however they arrive', async () => {
    const content = Buffer.from('\r\n--test-boundary-7d1\r\n\r\n--\r\n');
    const body = formOf(
      { name: 'name', content: 'größe', headers: lengthOf('größe') },
      { name: 'tags', content: '', headers: lengthOf('') },
      file(content, { headers: lengthOf(content) }),
      { name: 'description', content: 'd', headers: lengthOf('d') },
    );
    const isTaken = (outcome: E.Either<UploadFailure, Form>): void => {
      expect(storedFile(outcome).size).to.equal(content.length);
      expect(fieldsOf(outcome)).to.deep.equal({ name: 'größe', tags: '', description: 'd' });
    };
    isTaken(await post(body));
    outcomes = makeHeard();
    storage.objects.clear();
    isTaken(await postByteByByte(body));
  });

  for (const plus of [-1, 1])
    it(`refuses a part that says ${plus} bytes more than it has, and names it`, async () => {
      const right = { name: 'name', content: 'n', headers: lengthOf('n') };
      const wrong = { name: 'description', content: 'größe', headers: lengthOf('größe', plus) };
      await isRefused(await post(formOf(right, wrong, file())), 'description', LENGTH);
      outcomes = makeHeard();
      const large = Buffer.alloc(90_000, 'a');
      await isRefused(await post(formOf(right, file(large, { headers: lengthOf(large, plus) }))), 'file', LENGTH);
    });

  it('is held against the digests of its header, all of it', async () => {
    const body = Buffer.concat([formOf({ name: 'name', content: 'n' }, file()), Buffer.from('what follows the form')]);
    const digest = (of: Buffer): string => `sha-256=:${createHash('sha256').update(of).digest('base64')}:`;
    const headers = { 'content-type': FORM_TYPE, 'content-length': String(body.length) };
    open({ ...headers, 'content-digest': digest(body) }).end(body);
    expect(storedFile(await read()).size).to.equal(7);
    outcomes = makeHeard();
    storage.objects.clear();
    open({ ...headers, 'content-digest': digest(Buffer.from('content')) }).end(body);
    await isRefused(await read(), 'Content-Digest', 'is not the digest of the body');
  });

  for (const name of ["windows-1252''10%80.txt", "us-ascii''%e9.txt", "base64''aGVsbG8"])
    it(`refuses a file whose name is ${name}`, async () => {
      const part = { name: `file"; filename*=${name}; x="`, content: 'x' };
      await isRefused(await post(formOf(part)), 'file', 'must have its name in UTF-8');
    });

  it('leaves the charset of a file to the file', async () => {
    const outcome = await post(formOf(file('x', { type: 'text/csv; charset=windows-1252' })));
    expect(storedFile(outcome).mimeType).to.equal('text/csv');
  });

  const isTooLarge = async (outcome: E.Either<UploadFailure, Form>): Promise<void> => {
    expect(outcome).to.deep.equal(E.left({ _tag: 'PayloadTooLarge', limit: MAX }));
    await leavesNothing();
  };

  it('takes a file of exactly the limit, and none of a byte more', async () => {
    expect(storedFile(await post(formOf(file(contentOf(MAX))))).size).to.equal(MAX);
    storage.objects.clear();
    outcomes = makeHeard();
    await isTooLarge(await post(formOf(file(contentOf(MAX + 1)))));
    expect(storage.completed).to.equal(1);
  });

  it('breaks off a file that comes after too much else', async () => {
    const fields = Array.from({ length: 9 }, () => ({ name: 'x', content: 'x'.repeat(60_000) }));
    const slow = open({ 'content-type': FORM_TYPE, 'transfer-encoding': 'chunked' });
    slow.write(formOf(...fields, file(contentOf(90_000))).subarray(0, -30));
    await isTooLarge(await read());
    expect([storage.received > 0, storage.completed]).to.deep.equal([true, 0]);
    slow.destroy();
  });

  it('refuses by its announced length before a byte has come', async () => {
    open({ 'content-type': FORM_TYPE, 'content-length': String(MAX * 100) }).flushHeaders();
    await isTooLarge(await read());
    expect(storage.received).to.equal(0);
  });

  it('stops reading a form without a length when it is too long, in its file or in its fields', async () => {
    for (const part of [file(''), { name: 'description', content: '' }]) {
      outcomes = makeHeard();
      const endless = open({ 'content-type': FORM_TYPE, 'transfer-encoding': 'chunked' });
      endless.write(formOf(part).subarray(0, -30));
      const write = (): void => {
        while (endless.write(contentOf(64 * 1024)));
      };
      endless.on('drain', write);
      write();
      await isTooLarge(await read());
      endless.destroy();
    }
    expect(storage.received).to.be.lessThan(2 * MAX);
  });

  it('tells at once that the storage does not take the file', async () => {
    storage.behaviour = { failAfter: 1000 };
    const slow = open({ 'content-type': FORM_TYPE, 'transfer-encoding': 'chunked' });
    slow.write(formOf(file(contentOf(50_000))).subarray(0, -30));
    const outcome = await read();
    expect(E.isLeft(outcome) && outcome.left._tag).to.equal('StorageUnavailable');
    slow.destroy();
    await leavesNothing();
  });

  it('leaves nothing of a client that goes away within the file', async () => {
    const gone = open({ 'content-type': FORM_TYPE, 'content-length': '90000' });
    gone.write(formOf(file(contentOf(50_000))).subarray(0, -30));
    await storage.news.until(() => storage.received > 0);
    gone.destroy();
    expect(await read()).to.deep.equal(E.left({ _tag: 'ClientGone' }));
    await leavesNothing();
  });

  it('leaves nothing of a client that goes away after the file', async () => {
    const gone = open({ 'content-type': FORM_TYPE, 'content-length': '90000' });
    gone.write(formOf(file('x'), { name: 'name', content: 'n' }).subarray(0, -30));
    await storage.news.until(() => storage.completed === 1);
    gone.destroy();
    expect(await read()).to.deep.equal(E.left({ _tag: 'ClientGone' }));
    await leavesNothing();
  });
});
