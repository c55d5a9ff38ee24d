import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import type { Client } from 'minio';
import { readConfig, type S3Config } from '../../../src/config.js';
import { makeCheckpointArchive } from '../../../src/infrastructure/checkpoints/checkpoint-archive.js';
import { checkpointKey } from '../../../src/infrastructure/checkpoints/checkpoint-key.js';
import { checkpointArchiveContract } from '../../contract/checkpoint-archive.contract.js';
import { bodyOf, digestOf } from '../../support/bodies.js';
import { checkpointOf } from '../../support/checkpoints.js';
import { startLockedS3Server } from '../../support/locked-s3-server.js';
import { startS3Server } from '../../support/s3-server.js';
import { s3Client } from '../../support/s3-client.js';
import { s3Storage } from '../../support/s3-storage.js';
import { right } from '../../support/sealed-tree.js';

/** What somebody can do who has the keys of the storage. */
const outsider = (settings: S3Config) => {
  const client = s3Client(settings);
  return {
    plant: async (key: string, content: string): Promise<void> => {
      await client.putObject(settings.bucket, key, content);
    },
    takeBack: (key: string): Promise<void> => client.removeObject(settings.bucket, key),
  };
};

checkpointArchiveContract('S3, over the wire', async () => {
  const server = await startS3Server();
  const storage = await s3Storage(server.settings);
  return {
    ...{ storage, ...outsider(server.settings), isLocked: false },
    takeAway: async () => {
      await server.stop();
      return server.listen;
    },
    close: async () => {
      storage.close();
      await server.close();
    },
  };
});

for (const [words, hasDefault] of [
  ['a default retention', true],
  ['object lock alone', false],
] as const) {
  checkpointArchiveContract(`a bucket with ${words}, over the wire`, async () => {
    const server = await startLockedS3Server(hasDefault);
    const storage = await s3Storage(server.settings);
    return {
      ...{ storage, isLocked: true },
      plant: server.plant,
      takeBack: server.takeBack,
      takeAway: async () => {
        await server.stop();
        return server.listen;
      },
      close: async () => {
        storage.close();
        await server.close();
      },
    };
  });

  describe(`a bucket with ${words}`, () => {
    it('has checkpoints that nobody can remove, and files with the digest that it demands', async () => {
      const server = await startLockedS3Server(hasDefault);
      const storage = await s3Storage(server.settings);
      const checkpoint = checkpointOf('locked.example', 7);
      right(await makeCheckpointArchive(storage.checkpoints).put(checkpoint));
      const key = checkpointKey(checkpoint);
      const [version] = server.versionsOf(key);
      expect(version?.isHeld).to.equal(!hasDefault);
      const versionId = version?.id ?? '';
      const refused = await s3Client(server.settings)
        .removeObject(server.settings.bucket, key, { versionId })
        .catch((error: unknown) => error);
      expect(refused).to.have.property('code', 'AccessDenied');
      for (const size of [1_000, 20 * 1024 * 1024]) {
        const file = `documents/${randomUUID()}/${randomUUID()}`;
        right(await storage.put(file, bodyOf(size).body));
        expect(await digestOf(right(await storage.open(file)))).to.deep.equal(await digestOf(bodyOf(size).body));
        expect(server.versionsOf(file)[0]?.isHeld).to.equal(false);
        right(await storage.remove(file));
        expect(E.isLeft(await storage.open(file))).to.equal(true);
      }
      storage.close();
      await server.close();
    });
  });
}

const RULE = { mode: 'GOVERNANCE', unit: 'Days', validity: 1 } as const;

// bound, it has the one of the library's overloads that returns something
const lockByDefault = (client: Client, bucket: string): Promise<void> => {
  const set: (bucket: string, rule: typeof RULE) => Promise<void> = client.setObjectLockConfig.bind(client);
  return set(bucket, RULE);
};

const real = readConfig(process.env);
const settings = E.isRight(real) ? real.right.s3 : undefined;

// a bucket for tests alone, and others that this makes and, as they are locked, leaves
if (settings !== undefined) {
  checkpointArchiveContract(`S3 at ${settings.endpoint}`, async () => {
    const storage = await s3Storage(settings);
    return {
      ...{ storage, ...outsider(settings), isLocked: false },
      close: () => Promise.resolve().then(storage.close),
    };
  });

  for (const [words, hasDefault] of [
    ['a default retention', true],
    ['object lock alone', false],
  ] as const)
    checkpointArchiveContract(`S3 at ${settings.endpoint}, a bucket with ${words}`, async () => {
      const bucket = `locked-${randomUUID()}`;
      const locked = { ...settings, bucket };
      const client = s3Client(settings);
      await client.makeBucket(bucket, settings.region, { ObjectLocking: true });
      if (hasDefault) await lockByDefault(client, bucket);
      const storage = await s3Storage(locked);
      return {
        ...{ storage, ...outsider(locked), isLocked: true },
        close: () => Promise.resolve().then(storage.close),
      };
    });

  checkpointArchiveContract(`S3 at ${settings.endpoint}, a bucket that is made for checkpoints`, async () => {
    const checkpointBucket = `checkpoints-${randomUUID()}`;
    // its own: the checkpoints of before are looked for where the files are
    const storage = await s3Storage({ ...settings, bucket: `files-${randomUUID()}`, checkpointBucket });
    return {
      ...{ storage, ...outsider({ ...settings, bucket: checkpointBucket }), isLocked: true },
      close: () => Promise.resolve().then(storage.close),
    };
  });
}
