import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { renderVerifier } from '../../src/seal/note-key.js';
import { makePackedLog, packOf } from '../support/audit-pack.js';
import { appendChained, businessStream, interleaved, makeChains, wholeLog } from '../support/chained-events.js';
import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import { startMemoryStack } from '../support/memory-stack.js';
import { keyChange } from '../support/key-changes.js';
import { needs } from '../support/needs.js';
import { hasPython } from '../support/python.js';
import { checkpointOver, exportedText, KEY, leavesOf, signerNamed, tlogFiles } from '../support/sealed-log.js';
import { layFiles } from '../support/verify-py.js';

describe('docs/verify.md', function () {
  this.timeout(180_000);

  let page: string;
  let directory: string;

  before(async function () {
    needs(this, hasPython(), 'python3, in which the verifier is written');
    directory = await mkdtemp(path.join(tmpdir(), 'verify-'));
    page = await readFile('docs/verify.md', 'utf8');
  });

  after(async () => {
    if (hasPython()) await rm(directory, { recursive: true });
  });

  /** The commands of the page that name this, run in a folder as they are written; how each ended, and what it printed. */
  const run = async (
    named: string,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<ReadonlyArray<readonly [code: number, said: string]>> => {
    const lines = [...page.matchAll(/```sh\n(.*?)```/gs)].flatMap(([, block = '']) => block.trimEnd().split('\n'));
    const commands = lines.filter((line) => line.includes(named));
    expect(commands).not.to.have.length(0);
    const ended: Array<readonly [number, string]> = [];
    for (const command of commands) {
      const text = command.replace('verifiers/verify.py', path.resolve('verifiers/verify.py'));
      const options = { cwd: directory, env: { PATH: process.env['PATH'], ...environment } };
      ended.push(
        await new Promise((resolve) => {
          const shell = execFile('sh', ['-c', text], options, (_error, out, error) =>
            resolve([shell.exitCode ?? -1, out + error]),
          );
        }),
      );
    }
    return ended;
  };

  it('has commands that verify exports, with a checkpoint and without, and the tiles', async () => {
    const log = makeInMemoryEventStore();
    await appendChained(log, makeChains(), ...interleaved(4, 10));
    const leaves = leavesOf(await wholeLog(log));
    await layFiles(directory, [
      ['log.ndjson', await exportedText(log, true)],
      ['log-without-data.ndjson', await exportedText(log, false)],
      ['checkpoint', checkpointOver(leaves)],
      ...[...tlogFiles(leaves)].map(([name, bytes]) => [`tlog/${name}`, bytes] as const),
    ]);
    const exports = await run('verify.py export', { KEY });
    expect(exports.map(([code]) => code)).to.deep.equal([0, 0, 0]);
    for (const [, said] of exports) expect(said).to.match(/^40 events in 4 streams: every chain is intact\.$/m);
    const tiles = await run('verify.py tiles', { KEY });
    expect(tiles.map(([code]) => code)).to.deep.equal([0]);
    await writeFile(path.join(directory, 'log.ndjson'), (await exportedText(log, true)).replace('alice', 'mallory'));
    const [[code, said] = []] = await run('verify.py export log.ndjson', { KEY });
    expect([code, said]).to.deep.equal([
      1,
      `NOT VERIFIED: line 1, ${businessStream(0)}, revision 0: hash does not match the event\n`,
    ]);
  });

  it('has commands that verify an audit pack', async () => {
    const packed = makePackedLog();
    const next = signerNamed(packed.signer.verifier.name, 'the next key');
    await layFiles(directory, [
      ['pack.zip', await packOf(packed.sources())],
      ['checkpoint', packed.checkpoint],
      ['key-changes.txt', keyChange(packed.signer, next, 500)],
    ]);
    const ended = await run('verify.py pack', { KEY: packed.key });
    expect(ended.map(([code]) => code)).to.deep.equal([0, 0, 0]);
    expect(ended[1]?.[1]).to.include('The checkpoint you kept is of the same events.');
    const [[code, said] = []] = await run('--key-changes', { KEY: renderVerifier(next.verifier) });
    expect(code).to.equal(0);
    expect(said).to.match(/^The pack is signed by the key .*, which was replaced after 500 events: /m);
  });

  it('has commands that verify what a GET with proof answers', async () => {
    const stack = await startMemoryStack();
    const [API, TOKEN] = [`${stack.baseUrl}/api/v1`, stack.tokenFor('admin')];
    const headers = { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' };
    const response = await fetch(`${API}/business`, { method: 'POST', headers, body: '{"name":"Acme"}' });
    const { _id: ID } = (await response.json()) as { readonly _id: string };
    expect(await run('?proof=true', { API, TOKEN, ID })).to.deep.equal([[0, '']]);
    const [[code, said] = []] = await run('verify.py events');
    expect([code, said?.split('\n')[0]]).to.deep.equal([
      0,
      '1 event of 1 record: every chain is intact, and what is told of each event is what was sealed.',
    ]);
    await stack.stop();
  });
});
