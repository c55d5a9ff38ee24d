import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { leafHash } from '../../src/seal/hash.js';
import { renderVerifier } from '../../src/seal/note-key.js';
import { recordKeyChange, renderKeyChanges } from '../../src/sealing/key-change.js';
import { appendChained, interleaved, makeChains, wholeLog } from '../support/chained-events.js';
import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import { aReplacedKey, keyChange } from '../support/key-changes.js';
import { needs } from '../support/needs.js';
import { hasPython } from '../support/python.js';
import { checkpointOver, exportedText, KEY, leavesOf, SIGNER, signerNamed, tlogFiles } from '../support/sealed-log.js';
import { leafDataOf, right, treeOver } from '../support/sealed-tree.js';
import { loadVerifyPage } from '../support/verify-page.js';
import { refusal, startVerifyPy, type Verified, type VerifyPy } from '../support/verify-py.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

const NEXT = signerNamed(SIGNER.verifier.name, 'the next key of the log');
const NEXT_KEY = renderVerifier(NEXT.verifier);
const [OLD_ID, NEXT_ID] = [SIGNER, NEXT].map(({ verifier: { name, id } }) => `${name}+${id}`) as [string, string]; // reason: two

/** Bytes of a list from one that is changed to the next one. */
const EVERY = 6;

const rootOf = (leaves: ReadonlyArray<Buffer>): Buffer => treeOver(leaves.map(leafHash)).root;

const LATER = (events: string): string =>
  `The checkpoint is signed by the key ${NEXT_ID}, which replaced yours after ${events}; both keys signed that, and by whom, ` +
  'when and why is in the list of key changes.';
const EARLIER = (events: string): string =>
  `The checkpoint is signed by the key ${OLD_ID}, which was replaced after ${events}: whoever got hold of that key since can ` +
  'have made this; only one that you had before the change shows more.';
const OTHERS = (events: string): string =>
  `the first ${events} are not those that both keys signed when ${OLD_ID} was replaced`;

describe('changes of the key', function () {
  this.timeout(180_000);

  const log = makeInMemoryEventStore();
  let python: VerifyPy;
  let text: string;
  let sealed: ReadonlyArray<Buffer>;

  before(async function () {
    needs(this, hasPython(), 'python3, in which a verifier is written');
    await appendChained(log, makeChains(), ...interleaved(4, 10));
    sealed = leavesOf(await wholeLog(log));
    python = await startVerifyPy();
  });
  after(async () => {
    if (hasPython()) await python.stop();
  });

  beforeEach(async () => {
    text = await exportedText(log, true);
  });

  /** After so many leaves, with the root that they have, or another one. */
  const changedAfter = (size: number, root = rootOf(sealed.slice(0, size))): string =>
    keyChange(SIGNER, NEXT, size, { root });

  const verifyExport = async (checkpoint: string, key: string, changes: string): Promise<Verified> =>
    python.run(
      'export',
      await python.file('log.ndjson', text),
      '--checkpoint',
      await python.file('checkpoint', checkpoint),
      '--key',
      key,
      '--key-changes',
      await python.file('changes', changes),
    );

  const saidOfExport = (size: number, ...more: ReadonlyArray<string>): Verified => ({
    code: 0,
    out: [
      '40 events in 4 streams: every chain is intact.',
      'All data was there and is what was sealed.',
      `The first ${size} events of the tree are all that the checkpoint seals; the key signed it.`,
      ...more,
      'This cannot show what came after the checkpoint.',
      '',
    ].join('\n'),
    error: '',
  });

  it('are followed by verify.py export, to a later key and to an earlier one', async () => {
    const [all, some] = [sealed, sealed.slice(0, 20)];
    expect(await verifyExport(checkpointOver(all, NEXT), KEY, changedAfter(13))).to.deep.equal(
      saidOfExport(40, LATER('13 events')),
    );
    expect(await verifyExport(checkpointOver(some), NEXT_KEY, changedAfter(30))).to.deep.equal(
      saidOfExport(20, EARLIER('30 events')),
    );
    expect(await verifyExport(checkpointOver(all, NEXT), NEXT_KEY, changedAfter(1))).to.deep.equal(saidOfExport(40));
    // the tree does not reach that far
    expect(await verifyExport(checkpointOver(all), KEY, changedAfter(41, leafDataOf('x', 0)))).to.deep.equal(
      saidOfExport(40),
    );
  });

  it('are verified as the service records and renders them', async () => {
    const store = makeInMemoryEventStore();
    await appendChained(store, makeChains(), ...interleaved(2, 3));
    const root = rootOf(leavesOf(await wholeLog(store)));
    const last = { origin: SIGNER.verifier.name, size: 6, root };
    const because = { reason: 'once a year, "ü"', actor: 'operator', at: '2026-02-01T00:00:00.000Z' };
    const change = right(
      await recordKeyChange(systemRuntime, store, { last, by: SIGNER, with: NEXT, ...because }, undefined),
    );
    text = await exportedText(store, true);
    const checkpoint = checkpointOver(leavesOf(await wholeLog(store)), NEXT);
    const { code, out } = await verifyExport(checkpoint, KEY, renderKeyChanges([change]));
    expect([code, out.split('\n').slice(2, 4)]).to.deep.equal([
      0,
      ['The first 7 events of the tree are all that the checkpoint seals; the key signed it.', LATER('6 events')],
    ]);
  });

  it('must have the root that the events of an export have, also behind the checkpoint', async () => {
    const other = leafDataOf('another root', 0);
    expect(await verifyExport(checkpointOver(sealed, NEXT), KEY, changedAfter(13, other))).to.deep.equal(
      refusal(OTHERS('13 events')),
    );
    expect(await verifyExport(checkpointOver(sealed.slice(0, 20)), KEY, changedAfter(30, other))).to.deep.equal(
      refusal(OTHERS('30 events')),
    );
    expect(await verifyExport(checkpointOver(sealed), KEY, changedAfter(40, other))).to.deep.equal(
      refusal(`the checkpoint has another root than the one that both keys signed when ${OLD_ID} was replaced`),
    );
  });

  it('bound what an earlier key has sealed', async () => {
    expect(await verifyExport(checkpointOver(sealed), NEXT_KEY, changedAfter(39))).to.deep.equal(
      refusal(
        `the checkpoint is of 40 events, and the key that signed it, ${OLD_ID}, was replaced after 39: it has sealed nothing beyond`,
      ),
    );
  });

  it('are followed by verify.py tiles', async () => {
    const leaves = Array.from({ length: 600 }, (_, index) => leafDataOf('tiles', index));
    const verifyTiles = async (signer: typeof SIGNER, key: string, size: number, root: Buffer): Promise<Verified> => {
      const directory = randomUUID();
      for (const [name, bytes] of tlogFiles(leaves, signer)) await python.file(`${directory}/${name}`, bytes);
      const changes = await python.file('changes', keyChange(SIGNER, NEXT, size, { root }));
      return python.run('tiles', python.path(directory), '--key', key, '--key-changes', changes);
    };
    const root = rootOf(leaves.slice(0, 300));
    const { code, out } = await verifyTiles(NEXT, KEY, 300, root);
    expect([code, out.split('\n')[1]]).to.deep.equal([0, LATER('300 events')]);
    expect((await verifyTiles(SIGNER, NEXT_KEY, 601, root)).out.split('\n')[1]).to.equal(EARLIER('601 events'));
    expect(await verifyTiles(NEXT, KEY, 299, root)).to.deep.equal(refusal(OTHERS('299 events')));
    expect(await verifyTiles(SIGNER, NEXT_KEY, 300, root)).to.deep.equal(
      refusal(
        `the checkpoint is of 600 events, and the key that signed it, ${OLD_ID}, was replaced after 300: it has sealed nothing beyond`,
      ),
    );
  });

  it('belong to a checkpoint', async () => {
    const { code, error } = await python.run('export', 'log.ndjson', '--key-changes', 'changes');
    expect(code).to.equal(2);
    expect(error).to.match(/error: --key-changes needs --checkpoint\n$/);
  });

  it('are found by both verifiers when a byte of them was changed, in the same words', async () => {
    const askPage = loadVerifyPage();
    const { list, key, packs } = aReplacedKey;
    const [packWith, good] = [await packs(), Buffer.from(list)];
    const verdicts = new Set<string>();
    for (let at = 0; at < good.length; at += EVERY) {
      const byte = good[at]!;
      const mutant = Buffer.from(good);
      // all kinds of bytes, and the same ones in every run
      mutant[at] = [byte ^ 1, byte ^ 0x20, 10, 0x80 | byte, byte ^ 2][(at / EVERY) % 5]!;
      if (mutant[at] === byte) mutant[at] = byte ^ 4;
      const zip = await packWith(mutant);
      const page = await askPage(zip, key);
      const { code, error } = await python.run('pack', await python.file('mutant.zip', zip), '--key', key);
      expect([code, page.verified], `byte ${at}`).to.deep.equal([1, false]);
      expect(error, `byte ${at}`).to.equal(`NOT VERIFIED: ${page.said}\n`);
      verdicts.add(page.said);
    }
    expect(verdicts.size).to.be.greaterThan(10);
    expect((await askPage(await packWith(good), key)).verified).to.equal(true);
  });
});
