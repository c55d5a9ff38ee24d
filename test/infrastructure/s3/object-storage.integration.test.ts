import { either as E } from 'fp-ts';
import { readConfig } from '../../../src/config.js';
import { objectStorageContract } from '../../contract/object-storage.contract.js';
import { type S3Server, startS3Server } from '../../support/s3-server.js';
import { abandonUpload } from '../../support/abandon-upload.js';
import { s3Client } from '../../support/s3-client.js';
import { s3Storage } from '../../support/s3-storage.js';

const MiB = 1024 * 1024;

/** Lets the server leave every body unread until the function it gives is called. */
const stall = (server: S3Server) => (): Promise<() => void> => {
  let held: Array<() => void> = [];
  server.intercept((request, _response, pass) => {
    if (request.method === 'PUT') held.push(pass);
    else pass();
  });
  return Promise.resolve(() => {
    server.intercept(undefined);
    for (const pass of held) pass();
    held = [];
  });
};

objectStorageContract('S3, over the wire', async () => {
  const server = await startS3Server();
  const storage = await s3Storage(server.settings);
  return {
    storage,
    stall: stall(server),
    takeAway: async () => {
      await server.stop();
      return server.listen;
    },
    abandonUpload: (key) => abandonUpload(server.settings, key),
    heldBytes: 9 * MiB,
    // s3rver 4.0.4 overwrites objects in place, and ignores the end of `bytes=0-0`
    breaks: ['whole replacement', 'range of the first byte alone'],
    close: async () => {
      storage.close();
      await server.close();
    },
  };
});

const real = readConfig(process.env);
const settings = E.isRight(real) ? real.right.s3 : undefined;

// a bucket for tests alone: uploads that others have not finished there are aborted
if (settings !== undefined) {
  objectStorageContract(`S3 at ${settings.endpoint}`, async () => {
    const storage = await s3Storage(settings);
    return {
      storage,
      abandonUpload: (key) => abandonUpload(settings, key),
      heldBytes: 9 * MiB,
      close: () => Promise.resolve().then(storage.close),
    };
  });

  objectStorageContract(`S3 at ${settings.endpoint} with versions`, async () => {
    const versioned = { ...settings, bucket: `${settings.bucket}-with-versions` };
    const storage = await s3Storage(versioned);
    const client = s3Client(versioned);
    await client.setBucketVersioning(versioned.bucket, { Status: 'Enabled' });
    return {
      storage,
      abandonUpload: (key) => abandonUpload(versioned, key),
      countVersions: async (folder) =>
        (await client.listObjects(versioned.bucket, `${folder}/`, true, { IncludeVersion: true }).toArray()).length,
      heldBytes: 9 * MiB,
      close: () => Promise.resolve().then(storage.close),
    };
  });
}
