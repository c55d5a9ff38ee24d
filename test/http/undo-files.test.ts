import { expect } from 'chai';
import { either as E } from 'fp-ts';
import type { FileFault } from '../../src/read/file-fault.js';
import { contentOf } from '../support/bodies.js';
import { callerOf, idOf, type Reply } from '../support/client.js';
import { FakeObjectStorage } from '../support/fake-object-storage.js';
import { type MemoryStack, startMemoryStack } from '../support/memory-stack.js';
import { FORM_TYPE, formOf } from '../support/multipart-form.js';

const MiB = 1024 * 1024;
const revert = { revision: 0 };

describe('a revert to a file that was stored', () => {
  let stack: MemoryStack;
  let storage: FakeObjectStorage;
  let faults: Array<FileFault>;
  let isAway: boolean;
  let path: string;
  let key: string;

  before(async () => {
    storage = new FakeObjectStorage();
    const open: typeof storage.open = (...args) =>
      isAway ? Promise.resolve(E.left({ _tag: 'FileUnavailable', cause: new Error('away') })) : storage.open(...args);
    stack = await startMemoryStack({
      maxUploadBytes: 4 * MiB,
      ports: () => ({
        // reason: what is made so has all that its prototype has
        storage: Object.assign(Object.create(storage) as FakeObjectStorage, { open }),
        onFileFault: (fault) => faults.push(fault),
      }),
    });
  });
  after(() => stack.stop());

  const call = (...[method, at, given]: Parameters<ReturnType<typeof callerOf>>): Promise<Reply> =>
    callerOf(() => stack)(method, at, { as: stack.tokenFor('admin'), ...given });

  const send = (method: string, at: string, content: Buffer): Promise<Reply> => {
    const file = { name: 'file', filename: 'a.bin', type: 'application/x-plan', content };
    const body = formOf({ name: 'name', content: 'Plan' }, file);
    return call(method, at, { body, headers: { 'content-type': FORM_TYPE } });
  };

  /** A document whose file of `size` bytes was replaced, and whose name was changed. */
  const given = async (size: number): Promise<void> => {
    [faults, isAway] = [[], false];
    path = `/document/${idOf(await send('POST', '/document', contentOf(size)))}`;
    const keys = [...storage.objects.keys()];
    key = keys.find((one) => one.includes(path.split('/').at(-1) ?? '')) ?? '';
    await send('PUT', path, Buffer.from('second'));
    await call('PUT', path, { body: { name: 'Other' } });
  };

  const codeOf = ({ status, json }: Reply) => [status, (json as { code?: string }).code];
  const events = async (): Promise<number> => ((await call('GET', `${path}/events`)).json as { length: number }).length;

  /** It answers so, appends nothing, and the name alone can go back. */
  const isRefused = async (status: number, code: string): Promise<void> => {
    for (const at of ['revert', 'revert?preview=true'])
      for (const body of [revert, { ...revert, fields: ['name', 'file'] }])
        expect(codeOf(await call('POST', `${path}/${at}`, { body })), at).to.deep.equal([status, code]);
    expect([await events(), storage.opened]).to.deep.equal([3, 0]);
    const named = await call('POST', `${path}/revert`, { body: { ...revert, fields: ['name'] } });
    expect([named.status, named.json]).to.deep.equal([200, { ...(named.json as object), name: 'Plan', size: 6 }]);
    isAway = false;
    expect((await call('GET', `${path}/file`)).text).to.equal('second');
  };

  for (const size of [0, 100, MiB, MiB + 1, 3 * MiB]) {
    it(`brings it back, and looks at no more than it must: ${size} bytes`, async () => {
      await given(size);
      const { status } = await call('POST', `${path}/revert`, { body: revert });
      expect([status, faults, storage.opened, await events()]).to.deep.equal([200, [], 0, 4]);
      const file = await call('GET', `${path}/file`);
      expect(file.bytes.equals(contentOf(size))).to.equal(true);
    });

    it(`is refused when the storage has lost it, and tells so: ${size} bytes`, async () => {
      await given(size);
      storage.objects.delete(key);
      await isRefused(500, 'file_lost');
      const documentId = path.split('/').at(-1);
      expect(faults).to.have.length(4);
      expect(faults[0]).to.deep.equal({ kind: 'missing', documentId, key, reason: 'there is no such object' });
    });
  }

  for (const size of [100, 3 * MiB])
    it(`is refused when it was cut off: ${size} bytes`, async () => {
      await given(size);
      storage.objects.set(key, { size: size - 1, content: contentOf(size - 1) });
      await isRefused(500, 'file_damaged');
      expect(faults.map(({ kind }) => kind)).to.deep.equal(['different', 'different', 'different', 'different']);
    });

  it('is answered under its key as the first time, though the storage has lost the file since', async () => {
    await given(100);
    const keyed = { body: revert, headers: { 'Idempotency-Key': path } };
    const first = await call('POST', `${path}/revert`, keyed);
    expect((await call('POST', `${path}/revert`, keyed)).text).to.equal(first.text);
    storage.objects.delete(key);
    expect((await call('POST', `${path}/revert`, keyed)).text).to.equal(first.text);
    const other = { ...keyed, headers: { 'Idempotency-Key': `${path}/other` } };
    expect(codeOf(await call('POST', `${path}/revert`, other))).to.deep.equal([500, 'file_lost']);
    expect(codeOf(await call('POST', `${path}/revert?preview=true`, keyed))).to.deep.equal([500, 'file_lost']);
    const another = { ...keyed, body: { ...revert, fields: ['file'] } };
    expect(codeOf(await call('POST', `${path}/revert`, another))).to.deep.equal([422, 'idempotency_key_reused']);
    expect(await events()).to.equal(4);
    await call('DELETE', path);
    expect((await call('POST', `${path}/revert`, keyed)).text).to.equal(first.text);
    expect(codeOf(await call('POST', `${path}/revert`, other))).to.deep.equal([404, 'document_not_found']);
  });

  it('waits for a storage that is away, which is no fault of the file', async () => {
    await given(100);
    isAway = true;
    await isRefused(503, 'file_storage_unavailable');
    expect(faults).to.deep.equal([]);
  });

  it('asks the storage for nothing when the file stays, or there was none', async () => {
    await given(100);
    const bare = `/document/${idOf(await call('POST', '/document', { body: { name: 'Bare' } }))}`;
    await send('PUT', bare, Buffer.from('later'));
    isAway = true;
    expect((await call('POST', `${bare}/revert`, { body: revert })).status).to.equal(200);
    expect((await call('POST', `${path}/revert`, { body: { ...revert, fields: ['tags', 'name'] } })).status).to.equal(
      200,
    );
    expect((await call('DELETE', path)).status).to.equal(200);
    expect((await call('POST', `${path}/restore`)).status).to.equal(200);
  });
});
