import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import type { S3Config } from '../../../src/config.js';
import { makeCheckpointArchive } from '../../../src/infrastructure/checkpoints/checkpoint-archive.js';
import { checkpointKey } from '../../../src/infrastructure/checkpoints/checkpoint-key.js';
import { makeTimestampArchive } from '../../../src/infrastructure/checkpoints/timestamp-archive.js';
import { makeKeepTimestamp, stampedCheckpoints } from '../../../src/infrastructure/checkpoints/timestamps.js';
import { openS3Storage, type S3Storage } from '../../../src/infrastructure/s3/s3-storage.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';
import type { CheckpointArchive } from '../../../src/sealing/checkpoint-archive.js';
import { bodyOf } from '../../support/bodies.js';
import { checkpointOf } from '../../support/checkpoints.js';
import { makeLockedS3Bucket } from '../../support/locked-s3-server.js';
import { type Intercept, type S3Server, startS3Server } from '../../support/s3-server.js';
import { s3Storage } from '../../support/s3-storage.js';
import { right } from '../../support/sealed-tree.js';

const LOCKED = 'locked';
const ORIGIN = 'bucket.example';

const isAboutLocked = (url = ''): boolean => url === `/${LOCKED}` || new RegExp(`^/${LOCKED}[/?]`).test(url);

const refuse: Intercept = (request, response) => {
  request.resume();
  response.writeHead(403).end('<Error><Code>AccessDenied</Code><Message>AccessDenied</Message></Error>');
};

const sizesIn = async (archive: CheckpointArchive): Promise<ReadonlyArray<number>> => {
  const sizes: Array<number> = [];
  for await (const { size } of archive.all()) sizes.push(size);
  return sizes.sort((one, other) => one - other);
};

describe('a bucket of the checkpoints', () => {
  let server: S3Server;
  let both: S3Config;
  let opened: Array<S3Storage>;

  beforeEach(async () => {
    server = await startS3Server();
    both = { ...server.settings, checkpointBucket: LOCKED };
    opened = [];
  });
  afterEach(async () => {
    for (const { close } of opened) close();
    await server.close();
  });

  const open = async (settings: S3Config): Promise<S3Storage> => {
    const storage = await s3Storage(settings);
    opened.push(storage);
    return storage;
  };
  /** What is in one of the buckets. */
  const inBucket = async (bucket: string) => (await open({ ...server.settings, bucket })).checkpoints;
  const archiveIn = async (bucket: string): Promise<CheckpointArchive> => makeCheckpointArchive(await inBucket(bucket));

  for (const [words, hasDefault] of [
    ['a default retention', true],
    ['object lock alone', false],
  ] as const)
    it(`may have ${words}, and is asked to remove nothing, nor is a file put there`, async () => {
      const bucket = makeLockedS3Bucket(hasDefault);
      server.intercept((request, response, pass) => {
        if (!isAboutLocked(request.url)) pass();
        else if (request.method === 'DELETE' || request.method === 'POST') refuse(request, response, pass);
        else bucket.answer(request, response);
      });
      const archive = makeCheckpointArchive((await open(both)).checkpoints);
      const storage = await open(both);
      const checkpoint = checkpointOf(ORIGIN, 7);
      for (let round = 0; round < 2; round += 1) right(await archive.put(checkpoint));
      const versions = bucket.versionsOf(checkpointKey(checkpoint));
      expect(versions.map(({ content, isHeld }) => [content?.toString(), isHeld])).to.deep.equal([
        [checkpoint.note, !hasDefault],
      ]);
      // one object, however often the bucket was opened
      expect(bucket.versionsOf('probe/object')).to.have.length(1);
      server.takeRequests();
      const file = `documents/${randomUUID()}/${randomUUID()}`;
      right(await storage.put(file, bodyOf(1_000).body));
      right(await storage.remove(file));
      right(await storage.clearUnfinished(new Date()));
      for await (const _file of storage.list('')) expect.fail('there is no file any more');
      expect(server.takeRequests().filter((line) => isAboutLocked(line.split(' ')[1]))).to.deep.equal([]);
      expect(await sizesIn(archive)).to.deep.equal([7]);
    });

  it('is made with object lock where there is none', async () => {
    const made: Array<unknown> = [];
    server.intercept((request, _response, pass) => {
      if (request.method === 'PUT' && request.url?.split('/').filter(Boolean).length === 1)
        made.push([request.url.replaceAll('/', ''), request.headers['x-amz-bucket-object-lock-enabled']]);
      pass();
    });
    await open(both);
    expect(made).to.deep.equal([
      ['files', undefined],
      [LOCKED, 'true'],
    ]);
  });

  it('has the checkpoints that are put from then on, and those in the bucket of the files are still read', async () => {
    const before = makeCheckpointArchive((await open(server.settings)).checkpoints);
    for (const size of [3, 5, 10_003]) right(await before.put(checkpointOf(ORIGIN, size)));
    const archive = makeCheckpointArchive((await open(both)).checkpoints);
    expect(right(await archive.largestOf(ORIGIN, -1))).to.deep.equal(checkpointOf(ORIGIN, 10_003));
    right(await archive.put(checkpointOf(ORIGIN, 7)));
    right(await archive.put(checkpointOf(ORIGIN, 20_000)));
    expect(await sizesIn(archive)).to.deep.equal([3, 5, 7, 10_003, 20_000]);
    expect(right(await archive.largestOf(ORIGIN, 10_003))?.size).to.equal(20_000);
    expect(await sizesIn(await archiveIn('files'))).to.deep.equal([3, 5, 10_003]);
    expect(await sizesIn(await archiveIn(LOCKED))).to.deep.equal([7, 20_000]);
  });

  it('takes one that the bucket of the files has', async () => {
    const checkpoint = checkpointOf(ORIGIN, 3);
    const before = makeCheckpointArchive((await open(server.settings)).checkpoints);
    right(await before.put(checkpoint));
    const archive = makeCheckpointArchive((await open(both)).checkpoints);
    right(await archive.put(checkpoint));
    expect(await sizesIn(await archiveIn(LOCKED))).to.deep.equal([3]);
    expect(right(await archive.largestOf(ORIGIN, -1))).to.deep.equal(checkpoint);
  });

  it('has timestamps beside its checkpoints, and those that came before them', async () => {
    const storages = [await open(server.settings), await open(both)] as const;
    for (const [at, { checkpoints }] of storages.entries()) {
      const checkpoint = checkpointOf(ORIGIN, at + 1);
      right(await makeCheckpointArchive(checkpoints).put(checkpoint));
      await makeKeepTimestamp(checkpoints)(checkpoint, Buffer.from(`of ${at + 1}`));
    }
    const found: Array<string> = [];
    for await (const stamped of stampedCheckpoints(storages[1].checkpoints, ORIGIN, 0))
      found.push(E.isLeft(stamped) ? stamped.left.reason : stamped.right.answer.toString());
    expect(found).to.deep.equal(['of 2', 'of 1']);
    const unfit: Array<string> = [];
    const timestamps = makeTimestampArchive(storages[1].checkpoints, { onUnfit: ({ key }) => unfit.push(key) });
    for await (const _stamped of timestamps.all()) expect.fail('these are no answers of an authority');
    expect(unfit).to.have.length(2);
    expect((await (await inBucket(LOCKED)).list('checkpoints/timestamps', '')).folders).to.have.length(1);
  });

  it('is asked whether it is there, and the one of the files is not', async () => {
    const { checkpoints, isThere } = await open(both);
    server.intercept((request, response, pass) => {
      if (isAboutLocked(request.url)) refuse(request, response, pass);
      else pass();
    });
    expect(await isThere()).to.equal(true);
    expect(await checkpoints.isThere().catch(() => false)).to.equal(false);
  });

  for (const [what, isMeant] of [
    ['find or create', (method: string, url: string) => method === 'HEAD' && !url.includes('probe')],
    ['list checkpoints in', (method: string, url: string) => method === 'GET' && url.includes('list-type')],
    ['store and read an object in', (method: string, url: string) => method === 'PUT' && url.includes('probe')],
    ['store and read an object in', (method: string, url: string) => method === 'GET' && url.includes('probe/object')],
  ] as const)
    it(`must let the service ${what} it at the start, where the setting is named`, async () => {
      server.intercept((request, response, pass) => {
        if (isAboutLocked(request.url) && isMeant(request.method ?? '', request.url ?? ''))
          refuse(request, response, pass);
        else pass();
      });
      const failed = await openS3Storage(systemRuntime, both);
      expect(E.isLeft(failed) && String(failed.left.cause)).to.include(
        `Error: cannot ${what} the bucket locked (S3_CHECKPOINT_BUCKET) at ${both.endpoint} (S3_ENDPOINT) with S3_ACCESS_KEY`,
      );
    });
});
