import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { tlogRoutes } from '../../src/http/tlog/routes.js';
import { renderVerifier } from '../../src/seal/note-key.js';
import { compileGo, hasGoSumdb } from '../support/go.js';
import { InMemorySealedTree } from '../support/in-memory-sealed-tree.js';
import { type MemoryStack, startMemoryStack } from '../support/memory-stack.js';
import { needs } from '../support/needs.js';
import { flipBit, leafDataOf } from '../support/sealed-tree.js';

const run = promisify(execFile);

const REFUSED = /downloaded inconsistent tile|invalid transparency proof/;

describe("the transparency log to Go's golang.org/x/mod/sumdb", function () {
  this.timeout(300_000); // the first compilation compiles the standard library

  const scratch = mkdtempSync(path.join(tmpdir(), 'tlog-go-'));
  const program = path.join(scratch, 'program');
  const tree = new InMemorySealedTree('go.example/log');
  let stack: MemoryStack | undefined;

  before(async function () {
    needs(this, hasGoSumdb(), 'Go and golang.org/x/mod (Debian: golang-go and golang-golang-x-mod-dev)');
    compileGo(path.join(import.meta.dirname, 'go', 'main.go'), program);
    tree.append(Array.from({ length: 700 }, (_, index) => leafDataOf('go', index)));
    tree.sign();
    tree.append([leafDataOf('go', 700)]);
    stack = await startMemoryStack({ tlogRoutes: tlogRoutes(tree) });
  });

  after(async () => {
    await stack?.stop();
    rmSync(scratch, { recursive: true });
  });

  const follow = (): Promise<string> =>
    run(program, [`${stack!.baseUrl}/tlog`, renderVerifier(tree.verifier)]).then(
      ({ stdout }) => stdout.trim(),
      (error: unknown) => String(error),
    );

  it('is a log of which it verifies each entry', async () => {
    expect(await follow()).to.equal('700');
  });

  it('is none when a bit of a tile or of an entry is another', async () => {
    const good = tree.tiles.get('0/1')!;
    tree.tiles.set('0/1', flipBit(good, 77));
    expect(await follow()).to.match(REFUSED);
    tree.tiles.set('0/1', good);
    tree.leaves[600] = flipBit(tree.leaves[600]!, 77);
    expect(await follow()).to.match(REFUSED);
  });
});
