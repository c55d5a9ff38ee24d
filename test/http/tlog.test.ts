import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import fc from 'fast-check';
import { registry } from '../../src/entities/registry.js';
import { auditRoutes } from '../../src/http/audit/routes.js';
import { tlogRoutes } from '../../src/http/tlog/routes.js';
import type { Ledger } from '../../src/read/ledger.js';
import { openCheckpoint } from '../../src/seal/checkpoint.js';
import { parseEntryBundle } from '../../src/seal/entry-bundle.js';
import { leafHash } from '../../src/seal/hash.js';
import { treeRoot } from '../../src/seal/proofs.js';
import type { ReadTiles } from '../../src/seal/read-tiles.js';
import { TILE_WIDTH, tileWidth } from '../../src/seal/tile.js';
import { entryBundlePath, tilePath } from '../../src/seal/tile-path.js';
import { verifyTlogProof } from '../../src/seal/tlog-proof.js';
import { type Described, makeConforms } from '../support/conforms.js';
import { draw } from '../support/draw.js';
import { errorIn } from '../support/error-in.js';
import { inMemoryFeed, ledgerRow, noChanges, queriesOver } from '../support/in-memory-ledger.js';
import { InMemorySealedTree } from '../support/in-memory-sealed-tree.js';
import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import { type MemoryStack, type MemoryStackOptions, startMemoryStack } from '../support/memory-stack.js';
import { flipBit, leafDataOf, right } from '../support/sealed-tree.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

type Reply = {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
};

type Asking = { readonly method?: string; readonly as?: string; readonly headers?: Readonly<Record<string, string>> };

describe('the transparency log', () => {
  let tree: InMemorySealedTree;
  let stack: MemoryStack;
  let conforms: ReturnType<typeof makeConforms>;
  /** What the ledger answers; by default it has the events of the tree. */
  let page: Ledger['page'] | undefined;

  const start = async (options: MemoryStackOptions = {}): Promise<void> => {
    tree = new InMemorySealedTree();
    page = undefined;
    const rows = queriesOver(() => Promise.resolve(tree.leaves.map((_, index) => ledgerRow(index, {}))));
    const ledger: Ledger = { page: (request) => (page ?? rows.page)(request), nextPage: rows.page };
    const feed = inMemoryFeed(systemRuntime.clock, makeInMemoryEventStore(), registry);
    stack = await startMemoryStack({
      ...options,
      routes: auditRoutes(ledger, feed, noChanges, tree),
      tlogRoutes: tlogRoutes(tree),
    });
    conforms = makeConforms((await (await fetch(`${stack.baseUrl}/openapi.json`)).json()) as Described);
  };

  beforeEach(() => start());
  afterEach(() => stack.stop());

  const get = async (path: string, { method = 'GET', as, headers = {} }: Asking = {}): Promise<Reply> => {
    const authorization: Record<string, string> = as === undefined ? {} : { authorization: `Bearer ${as}` };
    const response = await fetch(`${stack.baseUrl}${path}`, { method, headers: { ...headers, ...authorization } });
    const bytes = Buffer.from(await response.arrayBuffer());
    const { status } = response;
    // the description has no word for a parameter that has slashes
    if (!path.includes('/x') && !path.includes('.p/'))
      conforms({ method, path, status, header: (name) => response.headers.get(name), text: bytes.toString() });
    return { status, headers: response.headers, bytes };
  };

  const tlog = (path: string, asking?: Asking): Promise<Reply> => get(`/tlog/${path}`, asking);

  const proof = (index: number | string, role = 'auditor' as const): Promise<Reply> =>
    get(`/audit/v1/events/${index}/proof`, { as: stack.tokenFor(role) });

  const grow = (count: number): void => {
    const { length } = tree.leaves;
    tree.append(Array.from({ length: count }, (_, at) => leafDataOf('http', length + at)));
  };

  const problemOf = ({ bytes }: Reply): object => JSON.parse(bytes.toString()) as object;

  /** Reads the tiles that the service hands out. */
  const served: ReadTiles<never> = async (tiles) =>
    E.right(
      await Promise.all(
        tiles.map(async (tile) => {
          const { status, bytes } = await tlog(tilePath(tile));
          return status === 200 ? bytes : undefined;
        }),
      ),
    );

  it('has no checkpoint, no tile and no proof before something is signed', async () => {
    grow(3);
    for (const path of ['checkpoint', 'tile/0/000.p/3', 'tile/entries/000.p/3'])
      expect((await tlog(path)).status, path).to.equal(404);
    expect(problemOf(await proof(2))).to.include({ status: 503, code: 'not_sealed_yet' });
  });

  it('hands out the checkpoint that was signed last, which nobody keeps without asking again', async () => {
    grow(5);
    tree.sign();
    grow(2);
    const { note } = tree.sign();
    const { status, headers, bytes } = await tlog('checkpoint');
    expect([status, bytes.toString()]).to.deep.equal([200, note]);
    expect(headers.get('content-type')).to.equal('text/plain; charset=utf-8');
    expect(headers.get('cache-control')).to.equal('no-cache');
    const etag = headers.get('etag') ?? '';
    const same = await tlog('checkpoint', { headers: { 'if-none-match': etag } });
    expect([same.status, same.bytes.length, same.headers.get('etag'), same.headers.get('cache-control')]).to.deep.equal(
      [304, 0, etag, 'no-cache'],
    );
    expect((await tlog('checkpoint', { headers: { 'if-match': '"other"' } })).status).to.equal(412);
    expect((await tlog('checkpoint', { headers: { 'if-none-match': 'unquoted' } })).status).to.equal(400);
    grow(1);
    tree.sign();
    expect((await tlog('checkpoint', { headers: { 'if-none-match': etag } })).status).to.equal(200);
  });

  it('hands out tiles and entries from which the root of the checkpoint can be computed, in a tree of any size', async () => {
    const sizes = [1, 2, 255, 256, 257, 513, draw(fc.integer({ min: 600, max: 70_000 }))];
    for (const size of sizes) {
      grow(size - tree.leaves.length);
      const opened = right(openCheckpoint((tree.sign(), await tlog('checkpoint')).bytes, [tree.verifier]));
      expect(opened.size).to.equal(size);
      expect(right(await treeRoot(size, served)).equals(opened.root), `root of ${size}`).to.equal(true);
      const index = draw(fc.nat(Math.floor((size - 1) / TILE_WIDTH)));
      const width = tileWidth(0, index, size);
      const bundle = await tlog(entryBundlePath({ index, width }));
      const leaves = tree.leaves.slice(index * TILE_WIDTH, index * TILE_WIDTH + width);
      expect(right(parseEntryBundle(bundle.bytes)), `entries ${index} of ${size}`).to.deep.equal(leaves);
      const tile = await tlog(tilePath({ level: 0, index, width }));
      expect(tile.bytes.equals(Buffer.concat(leaves.map(leafHash))), `tile ${index} of ${size}`).to.equal(true);
    }
  }).timeout(60_000);

  it('hands out the beginning of a tile as the narrower tile that it was', async () => {
    grow(700);
    tree.sign();
    const [whole, entries] = [await tlog('tile/0/001'), await tlog('tile/entries/001')];
    expect([whole.bytes.length, entries.bytes.length]).to.deep.equal([256 * 32, 256 * 34]);
    for (const width of [1, 17, 255]) {
      const [narrow, few] = [await tlog(`tile/0/001.p/${width}`), await tlog(`tile/entries/001.p/${width}`)];
      expect(narrow.bytes.equals(whole.bytes.subarray(0, width * 32))).to.equal(true);
      expect(few.bytes.equals(entries.bytes.subarray(0, width * 34))).to.equal(true);
    }
    expect((await tlog('tile/0/002.p/188')).status).to.equal(200);
    expect((await tlog('tile/1/000.p/2')).status).to.equal(200);
  });

  it('hands out nothing that the checkpoint does not cover, though the tree has it', async () => {
    grow(300);
    tree.sign();
    grow(300);
    for (const path of ['0/001', '0/001.p/45', '0/002.p/1', '0/002', '1/000.p/2', '2/000.p/1', '63/000', 'entries/001'])
      expect((await tlog(`tile/${path}`)).status, path).to.equal(404);
    for (const path of ['0/001.p/44', '1/000.p/1', 'entries/001.p/44'])
      expect((await tlog(`tile/${path}`)).status, path).to.equal(200);
  });

  it('takes the slashes within the place of a tile as a generated client writes them', async () => {
    grow(300);
    tree.sign();
    for (const [level, place] of [
      ['0', '001.p/44'],
      ['0', '000.p/7'],
      ['entries', '001.p/44'],
    ]) {
      const written = await tlog(`tile/${level}/${encodeURIComponent(place ?? '')}`);
      expect(written.status, place).to.equal(200);
      expect(written.bytes.equals((await tlog(`tile/${level}/${place}`)).bytes), place).to.equal(true);
    }
    for (const path of ['0%2F001', '0%2F001.p%2F44', 'entries%2F001'])
      expect((await tlog(`tile/${path}`)).status, path).to.equal(404);
  });

  it('has one path for each tile, after which a slash may stand', async () => {
    grow(300);
    tree.sign();
    const paths = [
      '00/000',
      '0/0',
      '0/0000',
      '0/x000/000',
      '0/000.p/0',
      '0/000.p/256',
      '0/000.p/01',
      '0/000.p',
      '-1/000',
    ];
    const others = ['64/000', 'x/000', '0/%30%30%30', '0/000//', '0', '0/', '', 'entries', 'entries/', 'ENTRIES/000'];
    for (const path of [...paths, ...others, `0/${'x999/'.repeat(40)}000`])
      expect((await tlog(`tile/${path}`)).status, path).to.equal(404);
    expect((await tlog('tile/0/000/')).bytes.equals((await tlog('tile/0/000')).bytes)).to.equal(true);
    const wrong = await fetch(`${stack.baseUrl}/tlog/tile/0/000?%`);
    expect(wrong.status).to.equal(200);
  });

  it('lets caches keep tiles for an hour, and tells by a tag whether they are the same', async () => {
    grow(300);
    tree.sign();
    for (const path of ['tile/0/000', 'tile/entries/000', 'tile/0/001.p/44']) {
      const { headers, bytes } = await tlog(path);
      expect(headers.get('cache-control')).to.equal('public, max-age=3600');
      expect(headers.get('content-type')).to.equal('application/octet-stream');
      const etag = headers.get('etag') ?? '';
      expect((await tlog(path, { headers: { 'if-none-match': etag } })).status).to.equal(304);
      const head = await tlog(path, { method: 'HEAD' });
      expect([head.status, head.bytes.length, head.headers.get('etag')]).to.deep.equal([200, 0, etag]);
      expect(head.headers.get('content-length')).to.equal(String(bytes.length));
      const post = await tlog(path, { method: 'POST' });
      expect([post.status, post.headers.get('allow')]).to.deep.equal([405, 'GET, HEAD, OPTIONS']);
    }
    expect((await tlog('tile/0/005')).headers.get('cache-control')).to.equal('private, no-cache');
  });

  it('is for anybody, also for pages of the origins that may use the API', async () => {
    await stack.stop();
    await start({ corsOrigins: ['https://app.example'] });
    grow(256);
    tree.sign();
    for (const path of ['checkpoint', 'tile/0/000', 'tile/entries/000']) {
      const { status, headers } = await tlog(path, { as: 'no token', headers: { origin: 'https://app.example' } });
      expect([status, headers.get('access-control-allow-origin')], path).to.deep.equal([200, 'https://app.example']);
    }
  });

  it('says that the tree is incomplete where it lacks what the checkpoint covers', async () => {
    grow(300);
    tree.sign();
    tree.tiles.delete('0/1');
    tree.leaves.length = 290;
    for (const reply of [await tlog('tile/0/001.p/44'), await tlog('tile/entries/001.p/44'), await proof(295)])
      expect(problemOf(reply)).to.include({ status: 503, code: 'ledger_behind' });
    expect((await tlog('tile/0/000')).status).to.equal(200);
  });

  it('proves any event under the newest checkpoint', async () => {
    const size = draw(fc.integer({ min: 1, max: 5_000 }));
    grow(size);
    tree.sign();
    for (const index of [0, size - 1, ...Array.from({ length: 10 }, () => draw(fc.nat(size - 1)))]) {
      const { status, headers, bytes } = await proof(index);
      expect([status, headers.get('content-type')]).to.deep.equal([200, 'text/plain; charset=utf-8']);
      const verified = right(verifyTlogProof(leafHash(tree.leaves[index]!), bytes, [tree.verifier]));
      expect([verified.index, verified.checkpoint.size]).to.deep.equal([index, size]);
    }
  });

  it('tells an event that is too new for a proof from one that there is not', async () => {
    grow(10);
    tree.sign();
    grow(5);
    const tooNew = await proof(14);
    expect(problemOf(tooNew)).to.include({ status: 503, code: 'not_sealed_yet' });
    expect(tooNew.headers.get('retry-after')).to.equal('1');
    for (const index of [15, 16, 2 ** 53 - 1, '9007199254740992', '007', '-1', '1.5', 'x', '%00'])
      expect(errorIn(problemOf(await proof(index))), String(index)).to.deep.equal({
        ...{ name: 'Not Found', message: 'No event has this index', status: 404, code: 'event_not_found' },
      });
    page = () => Promise.resolve(E.left({ _tag: 'LedgerBehind' }));
    expect(problemOf(await proof(14))).to.include({ status: 503, code: 'ledger_behind' });
  });

  it('never hands out a proof that does not verify', async () => {
    grow(1_000);
    tree.sign();
    for (const key of ['0/2', '1/0']) {
      const good = tree.tiles.get(key)!;
      tree.tiles.set(key, flipBit(good, 9));
      expect((await proof(600)).status, key).to.equal(500);
      tree.tiles.set(key, good);
      expect((await proof(600)).status, key).to.equal(200);
    }
    tree.leaves[600] = leafDataOf('forged', 600);
    expect((await proof(600)).status).to.equal(500);
    expect(JSON.stringify(stack.log)).to.include('does not have event 600 as its checkpoint of 1000 events says');
  });

  it('proves events to auditors alone', async () => {
    grow(1);
    tree.sign();
    expect((await get('/audit/v1/events/0/proof')).status).to.equal(401);
    const viewer = await get('/audit/v1/events/0/proof', { as: stack.tokenFor('viewer') });
    expect(problemOf(viewer)).to.include({ status: 401, name: 'Invalid Role' });
  });

  it('is described', async () => {
    const document = (await (await fetch(`${stack.baseUrl}/openapi.json`)).json()) as Described;
    expect(await new Validator().validate(document)).to.have.property('valid', true);
    expect(Object.keys(document.paths).filter((path) => /tlog|proof/.test(path))).to.deep.equal([
      '/audit/v1/events/{index}/proof',
      '/tlog/checkpoint',
      '/tlog/tile/entries/{index}',
      '/tlog/tile/{level}/{index}',
    ]);
  });

  it('is not there where nothing is signed', async () => {
    await stack.stop();
    stack = await startMemoryStack();
    for (const path of ['checkpoint', 'tile/0/000'])
      expect((await fetch(`${stack.baseUrl}/tlog/${path}`)).status, path).to.equal(404);
  });
});
