import { createHash } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { storeUpload } from '../../../src/application/document/store-upload.js';
import type { ObjectStorage } from '../../../src/application/ports.js';
import { takeBody } from '../../../src/infrastructure/upload-body.js';
import { bodyOf, contentOf, failingBody } from '../../support/bodies.js';
import { FakeObjectStorage } from '../../support/fake-object-storage.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex');

const MANY_TURNS = 300;

/** All of it happens in this process: in as many turns of the event loop everything is done that waits for nothing else. */
const allDone = async (): Promise<void> => {
  for (let turns = 0; turns < MANY_TURNS; turns += 1) await turn();
};

const upload = (body: Readable, declaredType?: string) => ({ body, originalName: 'a.txt', declaredType });

describe('storing an upload', () => {
  let storage: FakeObjectStorage;
  beforeEach(() => (storage = new FakeObjectStorage()));

  const nothingLeft = (): void => {
    expect({ objects: [...storage.objects.keys()], writing: storage.writing }).to.deep.equal({
      objects: [],
      writing: 0,
    });
  };

  it('stores the bytes under a new key below the document, and tells what they are', async () => {
    const content = contentOf(200_000);
    const outcome = await storeUpload(systemRuntime.random, storage)('d1', upload(bodyOf(200_000).body, 'text/csv'));
    if (E.isLeft(outcome)) throw new Error(outcome.left._tag);
    const { key, ...file } = outcome.right;
    expect(key).to.match(/^documents\/d1\/[0-9a-f-]{36}$/);
    expect(file).to.deep.equal({
      size: 200_000,
      sha256: createHash('sha256').update(content).digest('hex'),
      mimeType: 'text/csv',
      originalName: 'a.txt',
    });
    expect(storage.objects.get(key)?.content.equals(content)).to.equal(true);
  });

  it('never uses a key again', async () => {
    const store = storeUpload(systemRuntime.random, storage);
    await Promise.all(Array.from({ length: 20 }, () => store('d1', upload(Readable.from([PNG])))));
    expect(storage.objects.size).to.equal(20);
  });

  it('tells a type from bytes that come one by one', async () => {
    const bytes = [...PNG].map((byte) => Buffer.from([byte]));
    const outcome = await storeUpload(systemRuntime.random, storage)('d1', upload(Readable.from(bytes), 'text/plain'));
    expect(E.isRight(outcome) && outcome.right.mimeType).to.equal('image/png');
  });

  it('is aborted, with the reason, and stores nothing when the body fails midway', async () => {
    const cause = new Error('the client went away');
    const outcome = await storeUpload(systemRuntime.random, storage)('d1', upload(failingBody(200_000, cause)));
    expect(outcome).to.deep.equal(E.left({ _tag: 'UploadAborted', cause }));
    nothingLeft();
  });

  it('is aborted when the body ends without an end', async () => {
    const body = new PassThrough();
    body.write('half of it');
    const outcome = storeUpload(systemRuntime.random, storage)('d1', upload(body));
    await allDone();
    expect(storage.received).to.be.above(0);
    body.destroy();
    const settled = await outcome;
    expect(E.isLeft(settled) && settled.left._tag).to.equal('UploadAborted');
    nothingLeft();
  });

  it('is aborted when the body had failed before it began', async () => {
    const body = new PassThrough();
    body.once('error', () => undefined);
    body.destroy(new Error('the client went away'));
    await new Promise((resolve) => body.once('close', resolve));
    const outcome = await storeUpload(systemRuntime.random, storage)('d1', upload(body));
    expect(E.isLeft(outcome) && outcome.left._tag).to.equal('UploadAborted');
    nothingLeft();
  });

  it('tells that the storage failed midway, and asks for no more of the body', async () => {
    storage.behaviour = { failAfter: 200_000 };
    const { body, pulled } = bodyOf(10_000_000);
    const outcome = await storeUpload(systemRuntime.random, storage)('d1', upload(body));
    expect(E.isLeft(outcome) && outcome.left._tag).to.equal('StorageUnavailable');
    await allDone();
    expect(pulled()).to.be.below(1_000_000);
    expect(body.destroyed).to.equal(true);
    nothingLeft();
  });

  it('asks for the body no faster than the storage takes it', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const put: ObjectStorage['put'] = (_key, body) =>
      takeBody(body, async (chunks) => {
        await released;
        for await (const _chunk of chunks);
      });
    const { body, pulled } = bodyOf(10_000_000);
    const outcome = storeUpload(systemRuntime.random, { put })('d1', upload(body));
    await allDone();
    expect(pulled()).to.be.below(500_000);
    release();
    expect(E.isRight(await outcome)).to.equal(true);
  });
});
