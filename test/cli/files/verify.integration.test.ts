import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { contentOf } from '../../support/bodies.js';
import { diskStorage } from '../../support/disk-storage.js';
import { FORM_TYPE, formOf } from '../../support/multipart-form.js';
import { runOperator } from '../../support/operator.js';
import { type S3Server, startS3Server } from '../../support/s3-server.js';
import { s3Storage } from '../../support/s3-storage.js';
import { type ServiceProcess, startService, tokenFor } from '../../support/service-process.js';

const HOUR = 3_600_000;

describe('the command that verifies files', function () {
  this.timeout(180_000);
  let directory: string;
  let dataDir: string;
  let service: ServiceProcess | undefined;
  let server: S3Server | undefined;

  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'ops-files-'));
    dataDir = path.join(directory, 'data');
  });
  afterEach(async () => {
    service?.kill('SIGTERM');
    await service?.exited;
    await server?.close();
    [service, server] = [undefined, undefined];
    await rm(directory, { recursive: true });
  });

  const upload = async (method: string, at: string, content: Buffer): Promise<string> => {
    const body = formOf({ name: 'name', content: 'a' }, { name: 'file', content, filename: 'a.bin' });
    const headers = { authorization: `Bearer ${await tokenFor('admin', 'alice')}`, 'content-type': FORM_TYPE };
    const response = await fetch(`${service!.address}/api/v1/document${at}`, { method, headers, body });
    expect(response.status).to.equal(200);
    return ((await response.json()) as { readonly _id: string })._id; // reason: what the operation answers
  };

  it('names, beside the running service, what is missing, different or named by no event', async () => {
    service = await startService({ dataDir });
    const env = { DATA_DIR: dataDir };
    const [whole, changed, lost] = [
      await upload('POST', '', contentOf(10)),
      await upload('POST', '', contentOf(2_000_000)),
      await upload('POST', '', contentOf(20)),
    ];
    await upload('PUT', `/${whole}`, contentOf(30));

    const right = await runOperator(['files', 'verify'], { env });
    expect(right).to.deep.equal({
      code: 0,
      stdout: '4 files named by events, 2000060 bytes: each there and as its event says\n',
      stderr: '',
    });

    const objects = path.join(dataDir, 'files', 'objects');
    const names = await readdir(objects, { recursive: true });
    const fileOf = (id: string): string => path.join(objects, names.find((name) => name.includes(id)) ?? '');
    const content = await readFile(fileOf(changed));
    content[1_234_567] = content[1_234_567]! ^ 1;
    await writeFile(fileOf(changed), content);
    await rm(fileOf(lost));
    const storage = await diskStorage(path.join(dataDir, 'files'));
    const [old, recent] = [`documents/${randomUUID()}/${randomUUID()}`, `documents/${whole}/${randomUUID()}`];
    for (const key of [old, recent]) await storage.put(key, Readable.from([contentOf(7)]));
    const dayBefore = new Date(Date.now() - 25 * HOUR);
    const oldName = (await readdir(objects, { recursive: true })).find((name) => name.endsWith(old.slice(-36))) ?? '';
    await utimes(path.join(objects, oldName), dayBefore, dayBefore);

    const person = await runOperator(['files', 'verify'], { env });
    const machine = await runOperator(['files', 'verify', '--json'], { env });
    expect([person.code, machine.code, person.stderr]).to.deep.equal([1, 1, '']);
    const lines = person.stdout.trimEnd().split('\n');
    expect(lines.at(-1)).to.equal(
      '4 files named by events, 2000060 bytes: 1 missing, 1 different, 1 named by no event, 1 younger than 24 hours and named by no event',
    );
    const key = (id: string): string => `documents/${id}/[-0-9a-f]{36}`;
    for (const expected of [
      `missing: ${key(lost)}, document ${lost}, revision 0: there is no such object`,
      `different: ${key(changed)}, document ${changed}, revision 0: its SHA-256 is [0-9a-f]{64}, its event says [0-9a-f]{64}`,
      `named by no event: ${old}, 7 bytes, stored at ${dayBefore.toISOString().slice(0, 19)}.*Z`,
      `named by no event: ${recent}, 7 bytes, stored at .*Z \\(younger than 24 hours: it may be an upload in progress\\)`,
    ])
      expect(
        lines.filter((line) => new RegExp(`^${expected}$`).test(line)),
        expected,
      ).to.have.length(1);
    const found = machine.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
    expect(found.map(({ kind, document, isRecent }) => [kind, document, isRecent])).to.have.deep.members([
      ['missing', lost, undefined],
      ['different', changed, undefined],
      ['unnamed', undefined, false],
      ['unnamed', undefined, true],
      [undefined, undefined, undefined],
    ]);
    expect(found.at(-1)).to.deep.equal({
      ...{ files: 4, bytes: 2_000_060, missing: 1, different: 1, unchecked: 0, unnamed: 1, recent: 1 },
    });
  });

  it('reads files in S3 as well, and ends by itself', async () => {
    server = await startS3Server();
    service = await startService({ dataDir, env: server.env });
    await upload('POST', '', contentOf(10));
    const id = await upload('POST', '', contentOf(9_000_000));
    const env = { DATA_DIR: dataDir, ...server.env };
    expect(await runOperator(['files', 'verify', '--json'], { env })).to.deep.equal({
      code: 0,
      stdout: '{"files":2,"bytes":9000010,"missing":0,"different":0,"unchecked":0,"unnamed":0,"recent":0}\n',
      stderr: '',
    });
    const storage = await s3Storage(server.settings);
    for await (const { key } of storage.list(`documents/${id}/`)) await storage.remove(key);
    storage.close();
    const { code, stdout } = await runOperator(['files', 'verify'], { env });
    expect([code, stdout.includes(`document ${id}, revision 0: there is no such object`)]).to.deep.equal([1, true]);
  });

  it('says in one line that the storage is away, and ends with 1', async () => {
    service = await startService({ dataDir });
    const away = { S3_ENDPOINT: 'http://127.0.0.1:1', S3_BUCKET: 'b', S3_ACCESS_KEY: 'a', S3_SECRET_KEY: 's' };
    const { code, stdout, stderr } = await runOperator(['files', 'verify'], { env: { DATA_DIR: dataDir, ...away } });
    expect([code, stdout]).to.deep.equal([1, '']);
    expect(stderr).to.match(/^the files cannot be opened: cannot find or create the bucket b [^\n]*\n$/);
  });
});
