import { expect } from 'chai';
import { Client } from 'minio';
import { newFileKey } from '../../../src/application/document/file-key.js';
import { abortOldUploads } from '../../../src/infrastructure/s3/unfinished-uploads.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';

const BEFORE = new Date('2026-01-02T00:00:00Z');
const OLD = new Date(BEFORE.getTime() - 1);
const { random } = systemRuntime;

const upload = (initiated: Date, key = newFileKey(random, random.uuid())) => ({
  key,
  uploadId: random.uuid(),
  initiated,
});
type Upload = ReturnType<typeof upload>;

/** A bucket whose server lists these pages of uploads, and what was aborted there. */
const bucketWith = (
  pages: ReadonlyArray<ReadonlyArray<Upload>>,
  { next = (page: number) => `page ${page}`, refusal = undefined as Error | undefined } = {},
) => {
  const aborted: Array<string> = [];
  let asked = 0;
  const client = Object.assign(new Client({ endPoint: 's3.example', accessKey: 'a', secretKey: 's' }), {
    listIncompleteUploadsQuery: (_bucket: string, _prefix: string, after: string) => {
      if ((asked += 1) > pages.length) return Promise.reject(new Error('asked without end'));
      const page = after === '' ? 0 : pages.findIndex((_, at) => next(at) === after);
      const isTruncated = page + 1 < pages.length;
      const nextKeyMarker = isTruncated ? next(page + 1) : '';
      return Promise.resolve({
        uploads: pages[page]!,
        prefixes: [],
        isTruncated,
        nextKeyMarker,
        nextUploadIdMarker: '',
      });
    },
    abortMultipartUpload: (_bucket: string, _key: string, id: string) => {
      if (refusal !== undefined) return Promise.reject(refusal);
      aborted.push(id);
      return Promise.resolve();
    },
  });
  return { bucket: { runtime: systemRuntime, client, name: 'files', lock: 'None' as const }, aborted };
};

describe('uploads that were not finished', () => {
  it('are aborted on every page of the list, when they are ours and old', async () => {
    const old = Array.from({ length: 5 }, () => upload(OLD));
    const others = [upload(BEFORE), upload(OLD, 'of another program')];
    const { bucket, aborted } = bucketWith([
      [old[0]!, others[0]!],
      [old[1]!, old[2]!],
      [],
      [others[1]!, ...old.slice(3)],
    ]);
    expect(await abortOldUploads(bucket, BEFORE)).to.equal(5);
    expect(aborted).to.deep.equal(old.map(({ uploadId }) => uploadId));
  });

  it('may be aborted by another process meanwhile', async () => {
    const gone = Object.assign(new Error('gone'), { code: 'NoSuchUpload' });
    expect(await abortOldUploads(bucketWith([[upload(OLD)]], { refusal: gone }).bucket, BEFORE)).to.equal(1);
    const denied = Object.assign(new Error('denied'), { code: 'AccessDenied' });
    const { bucket } = bucketWith([[upload(OLD)]], { refusal: denied });
    expect(await abortOldUploads(bucket, BEFORE).catch((error: unknown) => error)).to.equal(denied);
  });

  it('are not looked for without end where the server does not say where more are', async () => {
    for (const marker of ['', 'the same']) {
      const { bucket } = bucketWith([[], [], []], { next: () => marker });
      const failure: unknown = await abortOldUploads(bucket, BEFORE).catch((error: unknown) => error);
      expect(String(failure)).to.include('more uploads follow, but not where');
    }
  });
});
