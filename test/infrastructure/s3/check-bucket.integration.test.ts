import { expect } from 'chai';
import { either as E } from 'fp-ts';
import type { S3Config } from '../../../src/config.js';
import { openS3Storage } from '../../../src/infrastructure/s3/s3-storage.js';
import { type Intercept, type S3Server, startS3Server } from '../../support/s3-server.js';
import { s3Storage } from '../../support/s3-storage.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';

const faultOf = async (settings: S3Config): Promise<string> => {
  const opened = await openS3Storage(systemRuntime, settings);
  return E.isLeft(opened) ? (opened.left.cause as Error).message : 'none';
};

const denying =
  (isMeant: (method: string, url: string) => boolean, status: number, code: string): Intercept =>
  (request, response, pass) => {
    if (isMeant(request.method ?? '', request.url ?? '')) {
      request.resume();
      response.writeHead(status).end(`<Error><Code>${code}</Code><Message>${code}</Message></Error>`);
    } else pass();
  };

describe('the check of a bucket at the start', () => {
  let server: S3Server;
  before(async () => (server = await startS3Server()));
  after(() => server.close());
  afterEach(() => server.intercept(undefined));

  it('creates a bucket that is missing, also when several replicas start at once', async () => {
    const storages = await Promise.all(Array.from({ length: 5 }, () => s3Storage(server.settings)));
    expect(storages.length).to.equal(5);
    for (const { close } of storages) close();
  });

  it('leaves nothing in the bucket', async () => {
    const storage = await s3Storage(server.settings);
    const keys: Array<string> = [];
    for await (const { key } of storage.list('')) keys.push(key);
    storage.close();
    expect(keys).to.deep.equal([]);
  });

  it('names the settings when the server does not accept the secret', async () => {
    const { endpoint } = server.settings;
    expect(await faultOf({ ...server.settings, secretKey: 'wrong' })).to.equal(
      `cannot find or create the bucket files (S3_BUCKET) at ${endpoint} (S3_ENDPOINT) with S3_ACCESS_KEY, S3_SECRET_KEY and the region us-east-1 (S3_REGION): Valid and authorized credentials required`,
    );
  });

  it('names the server when nobody answers there', async () => {
    expect(await faultOf({ ...server.settings, endpoint: 'http://127.0.0.1:1' })).to.match(
      /http:\/\/127\.0\.0\.1:1 \(S3_ENDPOINT\) .*ECONNREFUSED/,
    );
  });

  for (const [what, intercept] of [
    ['store an object', denying((method, url) => method === 'PUT' && url.includes('documents'), 403, 'AccessDenied')],
    ['read an object', denying((method, url) => method === 'GET' && url.includes('/documents'), 403, 'AccessDenied')],
    ['list objects', denying((_method, url) => url.includes('list-type'), 403, 'AccessDenied')],
    ['begin and abort an upload in parts', denying((_method, url) => url.endsWith('?uploads'), 403, 'NotImplemented')],
    ['remove an object', denying((method, url) => method === 'DELETE' && !url.includes('?'), 403, 'AccessDenied')],
  ] as const) {
    it(`says that it cannot ${what}`, async () => {
      await faultOf(server.settings);
      server.intercept(intercept);
      expect(await faultOf(server.settings)).to.match(new RegExp(`^cannot ${what} in the bucket files`));
    });
  }

  it('says that the server does not support ranges', async () => {
    await faultOf(server.settings);
    server.intercept((request, response, pass) => {
      if (request.headers.range === undefined) pass();
      else response.writeHead(200).end('0123456789');
    });
    expect(await faultOf(server.settings)).to.match(/^cannot read a range .* the server gave no range$/);
  });
});
