import { expect } from 'chai';
import { openCheckpoint } from '../../src/seal/checkpoint.js';
import { leafData, parseEntryBundle } from '../../src/seal/entry-bundle.js';
import { leafHash } from '../../src/seal/hash.js';
import { renderSigner } from '../../src/seal/note-key.js';
import { verifyTlogProof } from '../../src/seal/tlog-proof.js';
import { type Api, makeApi } from '../support/api.js';
import { signerNamed } from '../support/checkpoints.js';
import { startEmbeddedStack } from '../support/composed-stack.js';
import { eventually } from '../support/eventually.js';
import { startingPostgres } from '../support/postgres.js';
import type { Stack } from '../support/running-stack.js';
import { right } from '../support/sealed-tree.js';

type Event = { readonly index: number; readonly hash: string };

describe('the transparency log of a service', function () {
  this.timeout(startingPostgres);

  const signer = signerNamed('service.example');
  const COUNT = 20;
  let stack: Stack;
  let editor: Api;

  before(async () => {
    stack = await startEmbeddedStack({ CHECKPOINT_KEY: renderSigner(signer) });
    editor = makeApi(stack.baseUrl, stack.tokenFor('editor'));
    for (let n = 0; n < COUNT; n += 1) await editor.json('POST', '/business', { name: `b${n}` });
  });

  after(() => stack.stop());

  const ask = (path: string): Promise<Response> =>
    fetch(`${stack.baseUrl}${path}`, { headers: { Authorization: `Bearer ${stack.tokenFor('auditor')}` } });

  const bytesOf = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer());

  /** What was appended is sealed soon, and nobody is told of it. */
  const untilSealed = <A>(look: () => Promise<A>, isSealed: (seen: A) => boolean): Promise<A> =>
    // polls: a client sees it by an answer alone
    eventually(look, isSealed);

  const proven = (index: number): Promise<Response> =>
    untilSealed(
      () => ask(`/audit/v1/events/${index}/proof`),
      ({ status }) => status === 200,
    );

  it('is of its events, each proven under the key of the service', async () => {
    const events = (await (await ask('/audit/v1/events')).json()) as ReadonlyArray<Event>;
    expect(events.length).to.equal(COUNT);
    for (const { index, hash } of events) {
      const proof = await bytesOf(await proven(index));
      const verified = right(verifyTlogProof(leafHash(right(leafData(hash))), proof, [signer.verifier]));
      expect(verified.index).to.equal(index);
    }
    const checkpoint = await bytesOf(await ask('/tlog/checkpoint'));
    expect(right(openCheckpoint(checkpoint, [signer.verifier])).size).to.equal(COUNT);
    const entries = await bytesOf(await ask(`/tlog/tile/entries/000.p/${COUNT}`));
    expect(right(parseEntryBundle(entries)).map((leaf) => leaf.toString('hex'))).to.deep.equal(
      events.map(({ hash }) => hash),
    );
    const tile = await bytesOf(await ask(`/tlog/tile/0/000.p/${COUNT}`));
    expect(tile.equals(Buffer.concat(right(parseEntryBundle(entries)).map(leafHash)))).to.equal(true);
    expect((await ask(`/tlog/tile/0/000.p/${COUNT + 1}`)).status).to.equal(404);
    expect((await ask(`/audit/v1/events/${COUNT}/proof`)).status).to.equal(404);
  });

  it('is not served where nothing is to be sealed, nor are proofs without the interface for auditors', async () => {
    for (const [settings, there] of [
      [{ SEALING: 'false' }, [404, 404]],
      [{ CHECKPOINT_KEY: renderSigner(signer), AUDIT_API: 'false' }, [200, 404]],
    ] as const) {
      const other = await startEmbeddedStack(settings);
      await makeApi(other.baseUrl, other.tokenFor('editor')).json('POST', '/business', { name: 'b' });
      const headers = { Authorization: `Bearer ${other.tokenFor('auditor')}` };
      const statuses = async (): Promise<ReadonlyArray<number>> =>
        Promise.all(
          ['/tlog/checkpoint', '/audit/v1/events/0/proof'].map(
            async (path) => (await fetch(`${other.baseUrl}${path}`, { headers })).status,
          ),
        );
      const seen = await untilSealed(statuses, ([checkpoint]) => checkpoint === there[0]);
      await other.stop();
      expect(seen, JSON.stringify(Object.keys(settings))).to.deep.equal(there);
    }
  });
});
