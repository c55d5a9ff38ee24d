import { expect } from 'chai';
import { callerOf, idOf, type Reply } from '../support/client.js';
import { FakeObjectStorage } from '../support/fake-object-storage.js';
import { type MemoryStack, startMemoryStack } from '../support/memory-stack.js';

const BOUNDARY = 'boundary';

/** A part: the parameters of its disposition as they travel, its content, and further header lines. */
const part = (disposition: string | Buffer, content: string | Buffer, ...lines: ReadonlyArray<string>): Buffer =>
  Buffer.concat([
    Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; `),
    Buffer.from(disposition),
    Buffer.from(`\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);
const form = (...parts: ReadonlyArray<Buffer>): Buffer => Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)]);

const name = part('name="name"', 'a document');
const fileCalled = (fileName: string | Buffer): Buffer =>
  part(Buffer.concat([Buffer.from('name="file"; filename="'), Buffer.from(fileName), Buffer.from('"')]), 'content');
const invalid = Buffer.from([0x61, 0xff, 0x62]);

const badName = { path: 'file', message: 'must have a file name, in valid UTF-8' };

/** What is wrong with the forms, by POST and by PUT alike; nothing of them is stored. */
const refused: ReadonlyArray<readonly [what: string, body: Buffer, faults: ReadonlyArray<object>]> = [
  ...['..', '.', 'x/', '/', '../..', 'a/..', '\u0085', 'x/\u0085', '../'].map(
    (fileName) => [`a file called ${JSON.stringify(fileName)}`, form(name, fileCalled(fileName)), [badName]] as const,
  ),
  ['a file whose name is no UTF-8', form(name, fileCalled(invalid)), [badName]],
  [
    'content named file, without a file name',
    form(name, part('name="file"', 'content')),
    [{ path: 'file', message: 'must have a file name' }],
  ],
  ...['name="file"; filename=""', 'name="file"'].map(
    (disposition) =>
      [
        `bytes with ${disposition}`,
        form(name, part(disposition, 'content', 'Content-Type: application/octet-stream')),
        [{ path: 'file', message: 'must have a file name' }],
      ] as const,
  ),
  ...(
    [
      ['whose quotes stay open', 'Content-Disposition: form-data; name="file"; filename="x\\"'],
      ['without a disposition', 'Content-Type: text/plain'],
      ['with another disposition', 'Content-Disposition: attachment; filename="a.txt"'],
    ] as const
  ).map(
    ([what, line]) =>
      [
        `a part ${what}`,
        form(name, Buffer.from(`--${BOUNDARY}\r\n${line}\r\n\r\ncontent\r\n`)),
        [{ path: '', message: 'has a part whose headers cannot be read' }],
      ] as const,
  ),
  ['a field that is no UTF-8', form(part('name="name"', invalid)), [{ path: 'name', message: 'must be valid UTF-8' }]],
  [
    'a field that is no UTF-8, and says that it is',
    form(part('name="name"', invalid, 'Content-Type: text/plain; charset=utf-8')),
    [{ path: 'name', message: 'must be valid UTF-8' }],
  ],
  [
    'one of several values that is no UTF-8',
    form(name, part('name="tags[]"', 'a'), part('name="tags[]"', invalid)),
    [{ path: 'tags', message: 'must be valid UTF-8' }],
  ],
  [
    'a field whose name is no UTF-8',
    form(name, part(Buffer.concat([Buffer.from('name="'), invalid, Buffer.from('"')]), 'x')),
    [{ path: 'a\ufffdb', message: 'must be valid UTF-8' }],
  ],
];

const taken: ReadonlyArray<readonly [what: string, body: Buffer, shown: Readonly<Record<string, unknown>>]> = [
  ['an ordinary file', form(name, fileCalled('a.txt')), { originalName: 'a.txt' }],
  ['a file in a folder', form(name, fileCalled('../../etc/passwd')), { originalName: 'passwd' }],
  ['a file in a folder of Windows', form(name, fileCalled('C:\\folder\\a.txt')), { originalName: 'a.txt' }],
  ['a hidden file', form(name, fileCalled('.profile')), { originalName: '.profile' }],
  ['a file called by three dots', form(name, fileCalled('...')), { originalName: '...' }],
  [
    'texts in UTF-8',
    form(part('name="name"', 'größe 文 😀'), fileCalled('größe 文.pdf')),
    { name: 'größe 文 😀', originalName: 'größe 文.pdf' },
  ],
  [
    'a text in another coding, which is told',
    form(
      part('name="name"', Buffer.from('größe', 'latin1'), 'Content-Type: text/plain; charset=iso-8859-1'),
      fileCalled('a'),
    ),
    { name: 'größe' },
  ],
];

describe('uploads of any kind', () => {
  let stack: MemoryStack;
  let storage: FakeObjectStorage;
  let admin: string;
  const call = callerOf(() => stack);
  beforeEach(async () => {
    storage = new FakeObjectStorage();
    stack = await startMemoryStack({ ports: () => ({ storage }) });
    admin = stack.tokenFor('admin');
  });
  afterEach(() => stack.stop());

  const send = async (method: 'POST' | 'PUT', body: Buffer): Promise<Reply> => {
    const id = method === 'PUT' ? idOf(await call('POST', '/document', { as: admin, body: { name: 'before' } })) : '';
    const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
    return call(method, `/document/${id}`, { as: admin, headers, body });
  };

  for (const method of ['POST', 'PUT'] as const) {
    for (const [what, body, errors] of refused)
      it(`${method} refuses ${what}, and stores nothing`, async () => {
        const { status, json } = await send(method, body);
        expect([status, (json as { errors?: unknown }).errors]).to.deep.equal([400, errors]);
        expect([...storage.objects.keys()]).to.deep.equal([]);
      });

    for (const [what, body, shown] of taken)
      it(`${method} takes ${what}, with its content`, async () => {
        const { status, json } = await send(method, body);
        expect([status, json]).to.deep.include(200);
        expect(json).to.include({ size: 7, ...shown });
      });

    it(`${method} takes an empty file name for no file`, async () => {
      const { json } = await send(method, form(name, part('name="file"; filename=""', '')));
      expect(json).to.deep.include(method === 'POST' ? { status: 400 } : { size: null, name: 'a document' });
    });
  }
});
