import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { contentOf, bytesOf } from '../support/bodies.js';
import { errorIn } from '../support/error-in.js';
import { FORM_TYPE, formOf } from '../support/multipart-form.js';
import { freshDatabase } from '../support/postgres.js';
import { type S3Server, startS3Server } from '../support/s3-server.js';
import { s3Storage } from '../support/s3-storage.js';
import { type ComposedService, startComposed } from '../support/composed-service.js';
import { tokenFor } from '../support/service-process.js';

const MiB = 1024 * 1024;

/** Where a service keeps its files, and how somebody else gets at them. */
type Place = {
  readonly env: Readonly<Record<string, string>>;
  /** Puts other content in the place of a document's file. */
  readonly change: (documentId: string, change: (content: Buffer) => Buffer) => Promise<void>;
  readonly remove: (documentId: string) => Promise<void>;
  readonly close: () => Promise<void>;
};

const onDisk = (dataDir: string): Promise<Place> => {
  const objects = path.join(dataDir, 'files', 'objects');
  const fileOf = async (id: string): Promise<string> => {
    const name = (await readdir(objects, { recursive: true })).find((one) => one.includes(id));
    return path.join(objects, name ?? '');
  };
  return Promise.resolve({
    env: {},
    change: async (id, change) => {
      const file = await fileOf(id);
      await writeFile(file, change(await readFile(file)));
    },
    remove: async (id) => rm(await fileOf(id)),
    close: () => Promise.resolve(),
  });
};

const inS3 = async (): Promise<Place> => {
  const server: S3Server = await startS3Server();
  const storage = await s3Storage(server.settings);
  const keyOf = async (id: string): Promise<string> => {
    for await (const { key } of storage.list(`documents/${id}/`)) return key;
    throw new Error('the document has no file');
  };
  return {
    env: server.env,
    change: async (id, change) => {
      const key = await keyOf(id);
      const opened = await storage.open(key);
      if (opened._tag === 'Left') throw new Error('the file cannot be opened');
      await storage.put(key, Readable.from([change(await bytesOf(opened.right))]));
    },
    remove: async (id) => {
      await storage.remove(await keyOf(id));
    },
    close: async () => {
      storage.close();
      await server.close();
    },
  };
};

const withOtherByte =
  (index: number) =>
  (content: Buffer): Buffer => {
    content[index] = content[index]! ^ 1;
    return content;
  };

const INTERNAL = { name: 'Internal Server Error', message: 'Internal Server Error', status: 500 };

for (const [where, openPlace] of [
  ['on disk', onDisk],
  ['in S3', inS3],
] as const)
  describe(`a service whose stored files are changed by somebody else, ${where}`, function () {
    this.timeout(120_000);
    let directory: string;
    let place: Place;
    let service: ComposedService;
    let token: string;

    before(async () => {
      directory = await mkdtemp(path.join(tmpdir(), 'file-faults-'));
      const dataDir = path.join(directory, 'data');
      place = await openPlace(dataDir);
      service = await startComposed({ dataDir, env: { DATABASE_URL: await freshDatabase(), ...place.env } });
      token = await tokenFor('admin', 'alice');
    });
    after(async () => {
      await service.stop();
      await place.close();
      await rm(directory, { recursive: true });
    });

    const upload = async (content: Buffer): Promise<string> => {
      const response = await fetch(`${service.address}/api/v1/document`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': FORM_TYPE },
        body: formOf({ name: 'name', content: 'a' }, { name: 'file', content, filename: 'a.bin' }),
      });
      return ((await response.json()) as { readonly _id: string })._id; // reason: what the operation answers
    };

    type Got = {
      readonly status: number | undefined;
      readonly digest: unknown;
      readonly body: Buffer;
      readonly isComplete: boolean;
    };

    const get = async (id: string, headers: Readonly<Record<string, string>> = {}): Promise<Got> => {
      const outgoing = request(`${service.address}/api/v1/document/${id}/file`, {
        headers: { authorization: `Bearer ${token}`, ...headers },
      });
      const began = once(outgoing, 'response');
      outgoing.on('error', () => undefined).end();
      const [response] = (await began) as [IncomingMessage];
      const pieces: Array<Buffer> = [];
      response.on('error', () => undefined).on('data', (piece: Buffer) => pieces.push(piece));
      await new Promise((resolve) => response.once('close', resolve));
      const { statusCode: status, complete: isComplete } = response;
      return { status, digest: response.headers['repr-digest'], body: Buffer.concat(pieces), isComplete };
    };

    /** The lines of the service's log about files of a document. */
    const linesAbout = (id: string): ReadonlyArray<Readonly<Record<string, unknown>>> =>
      service
        .output()
        .split('\n')
        // the last one may have come in part
        .slice(0, -1)
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
        .filter(({ document }) => document === id);

    const counted = async (kind: string): Promise<number> => {
      const response = await fetch(`${service.address}/metrics`, { headers: { authorization: `Bearer ${token}` } });
      const [, count] =
        new RegExp(`^file_faults_total\\{kind="${kind}"\\} (\\d+)$`, 'm').exec(await response.text()) ?? [];
      return Number(count);
    };

    /** Expects one more line and one more on the counter after `work`. */
    const alarming = async (id: string, kind: 'missing' | 'different', work: () => Promise<unknown>): Promise<void> => {
      const before = await counted(kind);
      const lines = linesAbout(id).length;
      await work();
      await service.outputOnce(() => linesAbout(id).length > lines);
      const about = linesAbout(id);
      const { level, kind: logged, key, reason } = about.at(-1) ?? {};
      expect([about.length, level, logged]).to.deep.equal([lines + 1, 50, kind]);
      expect(key).to.match(new RegExp(`^documents/${id}/[-0-9a-f]{36}$`));
      expect(reason).to.be.a('string').and.not.equal('');
      expect(await counted(kind)).to.equal(before + 1);
    };

    it('answers what is right, with its digest, whole and in part', async () => {
      for (const size of [1000, 3 * MiB]) {
        const content = contentOf(size);
        const id = await upload(content);
        const whole = await get(id);
        const part = await get(id, { range: 'bytes=10-99' });
        const digest = `sha-256=:${createHash('sha256').update(content).digest('base64')}:`;
        expect([whole.status, whole.digest, whole.body.equals(content)]).to.deep.equal([200, digest, true]);
        expect([part.status, part.digest, part.body.equals(content.subarray(10, 100))]).to.deep.equal([
          206,
          digest,
          true,
        ]);
        expect(linesAbout(id)).to.deep.equal([]);
      }
    });

    it('answers 500 for a small file of which one byte was changed, and raises an alarm', async () => {
      const id = await upload(contentOf(1000));
      await place.change(id, withOtherByte(500));
      for (const headers of [{}, { range: 'bytes=0-9' }])
        await alarming(id, 'different', async () => {
          const { status, body } = await get(id, headers);
          expect([status, errorIn(JSON.parse(body.toString()))]).to.deep.equal([
            500,
            { ...INTERNAL, code: 'file_damaged' },
          ]);
        });
    });

    it('never delivers the end of a large file of which one byte was changed, and raises an alarm', async () => {
      const id = await upload(contentOf(8 * MiB));
      await place.change(id, withOtherByte(0));
      await alarming(id, 'different', async () => {
        const { status, body, isComplete } = await get(id);
        expect([status, isComplete, body.length < 8 * MiB]).to.deep.equal([200, false, true]);
      });
    });

    it('never takes a file that was cut short or made longer for the whole', async () => {
      for (const change of [
        (content: Buffer) => content.subarray(0, -1),
        (content: Buffer) => Buffer.concat([content, Buffer.from('x')]),
      ]) {
        const [small, large] = [await upload(contentOf(1000)), await upload(contentOf(8 * MiB))];
        for (const id of [small, large]) await place.change(id, change);
        await alarming(small, 'different', async () => expect((await get(small)).status).to.equal(500));
        await alarming(large, 'different', async () => {
          const { isComplete, body } = await get(large);
          expect([isComplete, body.length < 8 * MiB]).to.deep.equal([false, true]);
        });
      }
    });

    it('answers 500 for a range beyond what is left of a large file, and raises an alarm', async () => {
      const id = await upload(contentOf(3 * MiB));
      await place.change(id, (content) => content.subarray(0, 2 * MiB));
      await alarming(id, 'different', async () => expect((await get(id, { range: 'bytes=-10' })).status).to.equal(500));
    });

    it('answers 500 for a file that was removed, and raises an alarm', async () => {
      for (const size of [1000, 3 * MiB]) {
        const id = await upload(contentOf(size));
        await place.remove(id);
        await alarming(id, 'missing', async () => {
          const { status, body } = await get(id);
          expect([status, errorIn(JSON.parse(body.toString()))]).to.deep.equal([
            500,
            { ...INTERNAL, code: 'file_lost' },
          ]);
        });
      }
    });
  });
