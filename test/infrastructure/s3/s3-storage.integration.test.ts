import type http from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import type { S3Storage } from '../../../src/infrastructure/s3/s3-storage.js';
import { bodyOf, bytesOf, contentOf, digestOf } from '../../support/bodies.js';
import { type Intercept, type S3Server, startS3Server } from '../../support/s3-server.js';
import { s3Storage } from '../../support/s3-storage.js';

const MiB = 1024 * 1024;
const KEY = 'documents/a/b';
/** Longer than a busy machine stops this process, in which client and server are. */
const IDLE_MS = 2_500;

type Failed = { readonly _tag: string } & ({ readonly cause: unknown } | { readonly reason: string });

const outcomeOf = (outcome: E.Either<Failed, unknown>): string => {
  if (E.isRight(outcome)) return 'right';
  const { _tag: tag, ...why } = outcome.left;
  return `${tag}: ${'reason' in why ? why.reason : (why.cause as Error).message}`;
};

const isPart = ({ method, url }: http.IncomingMessage): boolean =>
  method === 'PUT' && url?.includes('partNumber=') === true;

const isCompletion = ({ method, url }: http.IncomingMessage): boolean =>
  method === 'POST' && url?.includes('uploadId=') === true;

const refusing =
  (status: number, times: number, isMeant: (request: http.IncomingMessage) => boolean = () => true): Intercept =>
  (request, response, pass) => {
    if (isMeant(request) && (times -= 1) >= 0) {
      request.resume();
      response.writeHead(status).end();
    } else pass();
  };

const loseResponse = ({ socket }: http.IncomingMessage, response: http.ServerResponse): void => {
  response.end = () => {
    socket.destroy();
    return response;
  };
};

const noSuchUpload = (request: http.IncomingMessage, response: http.ServerResponse): void => {
  request.resume();
  response.writeHead(404).end('<Error><Code>NoSuchUpload</Code><Message>no such upload</Message></Error>');
};

describe('object storage in S3', () => {
  let server: S3Server;
  let storage: S3Storage;
  let quick: S3Storage;
  before(async () => {
    server = await startS3Server();
    storage = await s3Storage(server.settings);
    quick = await s3Storage(server.settings, { connectMs: 15_000, idleMs: IDLE_MS });
  });
  after(async () => {
    storage.close();
    quick.close();
    await server.close();
  });
  beforeEach(() => server.takeRequests());
  afterEach(async () => {
    server.intercept(undefined);
    await storage.remove(KEY);
  });

  const leftBehind = async (): Promise<ReadonlyArray<string>> => {
    const keys: Array<string> = [];
    for await (const { key } of storage.list('')) keys.push(key);
    const unfinished = await storage.clearUnfinished(new Date(Date.now() + 3_600_000));
    return [...keys, ...(E.isRight(unfinished) && unfinished.right > 0 ? ['unfinished uploads'] : [])];
  };

  it('stores a small file in one request and a large one in parts, without listing anything before', async () => {
    await storage.put(KEY, bodyOf(100).body);
    await storage.put(KEY, bodyOf(20 * MiB).body);
    const uploads = /uploadId=[0-9a-f]+/;
    expect(server.takeRequests().map((request) => request.replace(uploads, 'uploadId=id'))).to.deep.equal([
      `PUT /files/${KEY}`,
      `POST /files/${KEY}?uploads`,
      ...[1, 2, 3].map((part) => `PUT /files/${KEY}?uploadId=id&partNumber=${part}`),
      `POST /files/${KEY}?uploadId=id`,
    ]);
  });

  it('repeats a request when the server is busy for a moment', async () => {
    server.intercept(refusing(503, 2));
    expect(outcomeOf(await storage.put(KEY, bodyOf(100).body))).to.equal('right');
    server.intercept(refusing(429, 1, isPart));
    expect(outcomeOf(await storage.put(KEY, bodyOf(17 * MiB).body))).to.equal('right');
    server.intercept(refusing(500, 1));
    expect(outcomeOf(await storage.remove(KEY))).to.equal('right');
  });

  it('gives up on a server that stays busy, and keeps none of its connections', async () => {
    server.intercept(refusing(503, Infinity));
    const body = bodyOf(20 * MiB).body;
    const outcomes = [
      await storage.put(KEY, body),
      await storage.open(KEY),
      await storage.remove(KEY),
      await storage.clearUnfinished(new Date()),
    ];
    expect(outcomes.map(outcomeOf)).to.deep.equal([
      'StorageUnavailable: the server answered 503',
      'FileUnavailable: the server answered 503',
      'StorageUnavailable: the server answered 503',
      'StorageUnavailable: the server answered 503',
    ]);
    expect(body.destroyed).to.equal(true);
    await server.untilUnused();
  });

  it('throws out of a listing that the server cuts short', async () => {
    server.intercept(refusing(503, Infinity));
    const listing = storage.list('')[Symbol.asyncIterator]();
    const failure = await listing.next().then(
      () => undefined,
      (error: unknown) => error,
    );
    expect((failure as Error).message).to.equal('the server answered 503');
  });

  it('aborts on the server what it had begun when a part is refused', async () => {
    let parts = 0;
    server.intercept((request, response, pass) => {
      if (isPart(request) && (parts += 1) === 3) {
        request.resume();
        response.writeHead(403).end('<Error><Code>QuotaExceeded</Code><Message>full</Message></Error>');
      } else pass();
    });
    expect(outcomeOf(await storage.put(KEY, bodyOf(30 * MiB).body))).to.equal('StorageUnavailable: full');
    expect(await leftBehind()).to.deep.equal([]);
  });

  it('aborts on the server what it had begun when the body fails between two parts', async () => {
    const { body, untilPulled } = bodyOf(40 * MiB);
    const upload = storage.put(KEY, body);
    await untilPulled(10 * MiB);
    body.destroy(new Error('the client went away'));
    expect(outcomeOf(await upload)).to.equal('UploadAborted: the client went away');
    expect(await leftBehind()).to.deep.equal([]);
  });

  it('stores the object although the response to its completion is lost', async () => {
    let completions = 0;
    server.intercept((request, response, pass) => {
      if (isCompletion(request) && (completions += 1) === 1) loseResponse(request, response);
      if (isCompletion(request) && completions > 1) noSuchUpload(request, response);
      else pass();
    });
    expect(outcomeOf(await storage.put(KEY, bodyOf(9 * MiB).body))).to.equal('right');
    expect(completions).to.equal(2);
    expect(await leftBehind()).to.deep.equal([KEY]);
  });

  it('fails when the completion is answered with an error under the status of a success', async () => {
    server.intercept((request, response, pass) => {
      if (isCompletion(request)) {
        request.resume();
        response.writeHead(200).end('<Error><Code>InvalidPart</Code><Message>a part is missing</Message></Error>');
      } else pass();
    });
    const outcome = await storage.put(KEY, bodyOf(9 * MiB).body);
    expect(outcomeOf(outcome)).to.equal('StorageUnavailable: a part is missing');
    expect(await leftBehind()).to.deep.equal([]);
  });

  it('fails and leaves nothing when the server is lost in the middle of an upload', async () => {
    const { body, pulled, untilPulled } = bodyOf(60 * MiB);
    const upload = storage.put(KEY, body);
    await untilPulled(20 * MiB);
    await server.stop();
    expect(outcomeOf(await upload)).to.match(/^StorageUnavailable: .*(ECONNREFUSED|ECONNRESET|socket hang up)/);
    expect(body.destroyed).to.equal(true);
    expect(pulled()).to.be.below(60 * MiB);
    await server.listen();
    const cleared = await storage.clearUnfinished(new Date(Date.now() + 3_600_000));
    expect(cleared).to.deep.equal(E.right(1));
    expect(await leftBehind()).to.deep.equal([]);
  });

  it('works again when the server is back', async () => {
    await storage.put(KEY, bodyOf(100).body);
    await server.stop();
    expect(outcomeOf(await storage.open(KEY))).to.match(/^FileUnavailable: .*ECONNREFUSED/);
    await server.listen();
    expect(outcomeOf(await storage.open(KEY))).to.equal('right');
  });

  it('repeats a request whose idle connection the server had closed', async () => {
    await storage.put(KEY, bodyOf(100).body);
    let resets = 0;
    server.intercept((request, _response, pass) => {
      if ((resets += 1) === 1) request.socket.resetAndDestroy();
      else pass();
    });
    const opened = await storage.open(KEY);
    expect(E.isRight(opened) && (await bytesOf(opened.right)).equals(contentOf(100))).to.equal(true);
  });

  it('waits once, until the timeout, for a response that does not come', async () => {
    server.intercept((request) => void request.resume());
    const { body } = bodyOf(100);
    const silence = `no byte within ${IDLE_MS} ms`;
    expect(outcomeOf(await quick.put(KEY, body))).to.equal(`StorageUnavailable: ${silence}`);
    expect(outcomeOf(await quick.remove(KEY))).to.equal(`StorageUnavailable: ${silence}`);
    expect(outcomeOf(await quick.open(KEY))).to.equal(`FileUnavailable: ${silence}`);
    expect(server.takeRequests()).to.deep.equal(['PUT', 'DELETE', 'GET'].map((method) => `${method} /files/${KEY}`));
    expect(body.destroyed).to.equal(true);
  });

  it("fails the reader's stream when the server falls silent or is lost in the middle of a file", async () => {
    await storage.put(KEY, bodyOf(4 * MiB).body);
    for (const [spoil, expected] of [
      [(_socket: http.IncomingMessage['socket']) => undefined, `no byte within ${IDLE_MS} ms`],
      [(socket: http.IncomingMessage['socket']) => void socket.resetAndDestroy(), 'aborted'],
    ] as const) {
      server.intercept((request, response) => {
        response.writeHead(200, { 'content-length': 4 * MiB }).write('half of it', () => spoil(request.socket));
      });
      const opened = await quick.open(KEY);
      if (E.isLeft(opened)) throw new Error('not opened');
      const failure = await digestOf(opened.right).catch((error: unknown) => error);
      expect((failure as Error).message).to.equal(expected);
    }
  });

  it('sets a slow reader no time limit', async () => {
    await storage.put(KEY, bodyOf(16 * MiB).body);
    const opened = await quick.open(KEY);
    if (E.isLeft(opened)) throw new Error('not opened');
    const iterator = opened.right[Symbol.asyncIterator]();
    const { value: first } = (await iterator.next()) as { value: Buffer };
    // pauses: the silence of a connection is counted by its socket
    await delay(2 * IDLE_MS);
    let size = first.length;
    for await (const chunk of { [Symbol.asyncIterator]: () => iterator }) size += (chunk as Buffer).length;
    expect(size).to.equal(16 * MiB);
  });

  it('takes only the word of the server itself for it that an object is missing', async () => {
    const answers = async (status: number, xml: string): Promise<string> => {
      server.intercept((request, response) => {
        request.resume();
        response.writeHead(status).end(xml);
      });
      return outcomeOf(await storage.open(KEY));
    };
    const error = (code: string): string => `<Error><Code>${code}</Code><Message>${code}</Message></Error>`;
    expect(await answers(404, error('NoSuchKey'))).to.equal('FileMissing: there is no such object');
    expect(await answers(404, error('NoSuchBucket'))).to.equal('FileUnavailable: NoSuchBucket');
    expect(await answers(403, error('AccessDenied'))).to.equal('FileUnavailable: AccessDenied');
    expect(await answers(404, '')).to.equal('FileUnavailable: Not Found');
  });

  it('does not take a server that shortens a range within the object for a short object', async () => {
    server.intercept((request, response) => {
      request.resume();
      response.writeHead(206, { 'content-range': 'bytes 2-3/100' }).end('23');
    });
    expect(outcomeOf(await storage.open(KEY, { first: 2, last: 4 }))).to.equal(
      'FileUnavailable: bytes 2-4 were asked for, the server gave bytes 2-3/100',
    );
  });

  it('fails when the server returns the whole object for a range', async () => {
    await storage.put(KEY, bodyOf(100).body);
    server.intercept((_request, response) => void response.writeHead(200).end('0123456789'));
    expect(outcomeOf(await storage.open(KEY, { first: 2, last: 4 }))).to.equal(
      'FileUnavailable: bytes 2-4 were asked for, the server gave no range',
    );
  });
});
