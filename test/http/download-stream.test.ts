import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { expect } from 'chai';
import { either as E, option as O } from 'fp-ts';
import { FakeObjectStorage } from '../support/fake-object-storage.js';
import { replacing } from '../support/memory-ports.js';
import { type MemoryStack, startMemoryStack } from '../support/memory-stack.js';

const MiB = 1024 * 1024;
const SIZE = 64 * MiB;
const KEY = 'documents/one/file';

const file = { key: KEY, size: SIZE, sha256: 'ab', mimeType: 'text/plain', originalName: 'a' };

/** A read model in which every document has that one large file. */
const withLargeFile = replacing('documents', ({ queries }) => ({
  queries: {
    ...queries,
    hiddenState: () => Promise.resolve(E.right(O.some({ hidden: JSON.stringify({ file }), revision: 0n }))),
  },
}));

describe('the stream of a download', () => {
  let stack: MemoryStack;
  let storage: FakeObjectStorage;

  beforeEach(async () => {
    storage = new FakeObjectStorage();
    storage.objects.set(KEY, { size: SIZE, content: Buffer.alloc(0) });
    stack = await startMemoryStack({ ports: (original) => ({ storage, ...withLargeFile(original) }) });
  });

  afterEach(() => stack.stop());

  const open = async (): Promise<IncomingMessage> => {
    const outgoing = request(`${stack.baseUrl}/api/v1/document/00000000-0000-7000-8000-000000000000/file`, {
      headers: { authorization: `Bearer ${stack.tokenFor('viewer')}` },
    });
    outgoing.on('error', () => undefined).end();
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    return response.on('error', () => undefined);
  };

  it('takes from the storage no more than its reader takes', async () => {
    const response = await open();
    expect(response.headers['content-length']).to.equal(String(SIZE));
    // another reader takes all of it meanwhile
    const another = await open();
    await new Promise((resolve) => another.resume().once('close', resolve));
    expect(storage.given - SIZE).to.be.within(1, 16 * MiB);
    response.destroy();
  });

  it('closes the object when its reader goes', async () => {
    const response = await open();
    await once(response, 'readable');
    expect(storage.opened).to.equal(1);
    response.destroy();
    await storage.news.until(() => storage.opened === 0);
    expect(storage.given).to.be.lessThan(SIZE);
  });

  it('is cut, and never looks complete, when the object is shorter than its event says', async () => {
    storage.objects.set(KEY, { size: MiB, content: Buffer.alloc(0) });
    const response = await open();
    response.resume();
    await new Promise((resolve) => response.once('close', resolve));
    expect(response.complete).to.equal(false);
    expect(storage.opened).to.equal(0);
  });
});
