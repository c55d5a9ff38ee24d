import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { makePostText } from '../../src/infrastructure/witnesses/post-text.js';
import type { SignedCheckpoint } from '../../src/read/sealed-tree.js';
import { openCheckpoint, signCheckpoint } from '../../src/seal/checkpoint.js';
import { cosignaturesOf, parseCosigner } from '../../src/seal/cosignature.js';
import { leafHash } from '../../src/seal/hash.js';
import { proveConsistency } from '../../src/seal/proofs.js';
import type { ReadTiles } from '../../src/seal/read-tiles.js';
import { appendLeaves, edgeRoot, emptyEdge } from '../../src/seal/tree-edge.js';
import { askWitness } from '../../src/sealing/ask-witness.js';
import { type CosigningEvent, keepCosigning, QUORUM_TIMEOUT_MS } from '../../src/sealing/keep-cosigning.js';
import { parseWitnessPolicy } from '../../src/sealing/witness-policy.js';
import { signerNamed } from '../support/checkpoints.js';
import { makeLookout } from '../support/lookout.js';
import { makeManualClock } from '../support/manual-clock.js';
import { cosignatureLine, SmallWitness, witnessKey } from '../support/small-witness.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

const ORIGIN = 'log.example';
const signer = signerNamed(ORIGIN);
const TIME = 1_790_000_000;
/** How often they are asked at most. */
const ASK_MS = 2_000;

const right = <A>(result: E.Either<unknown, A>): A => {
  if (E.isLeft(result)) throw new Error(String(result.left));
  return result.right;
};

/** A tree of so many events, whose last ones another history may have. */
const treeOf = (size: number, word = 'event') => {
  const leaves = Array.from({ length: size }, (_, n) => leafHash(Buffer.from(n < 5 ? `event ${n}` : `${word} ${n}`)));
  const { edge, tiles } = appendLeaves(emptyEdge, leaves);
  const readTiles: ReadTiles<never> = (wanted) =>
    Promise.resolve(
      E.right(
        wanted.map(({ level, index }) => tiles.find((tile) => tile.level === level && tile.index === index)?.hashes),
      ),
    );
  const note = right(signCheckpoint({ size, root: edgeRoot(edge) }, signer));
  const checkpoint: SignedCheckpoint = { origin: ORIGIN, size, note };
  return { checkpoint, prove: async (old: number) => right(await proveConsistency(old, size, readTiles)) };
};

describe('witnesses of checkpoints', () => {
  let directory: string;
  let witnesses: ReadonlyArray<SmallWitness>;
  const ending = new AbortController();
  const post = makePostText({ clock: systemRuntime.clock, fetch, signal: ending.signal }, 1_000);

  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'witness-'));
    witnesses = [1, 2, 3].map(
      (n) =>
        new SmallWitness(
          witnessKey(`w.example/${n}`, n),
          [signer.verifier],
          path.join(directory, String(n)),
          () => TIME + n,
        ),
    );
    for (const witness of witnesses) await witness.start();
  });
  afterEach(async () => {
    for (const witness of witnesses) await witness.stop();
    await rm(directory, { recursive: true });
  });

  const first = (): SmallWitness => witnesses[0]!;
  const asked = (witness: SmallWitness) => ({ cosigner: right(parseCosigner(witness.key.vkey)), url: witness.url });
  const ask = (tree: ReturnType<typeof treeOf>, known = 0) =>
    askWitness(post, asked(first()), tree.checkpoint, tree.prove, known);

  it('cosign what extends the log that they saw before, wherever the log thinks that they are', async () => {
    const cosigned = right(await ask(treeOf(3)));
    const note = `${treeOf(3).checkpoint.note}${cosigned.line}`;
    const cosigner = right(parseCosigner(first().key.vkey));
    expect(right(cosignaturesOf(Buffer.from(note), [cosigner]))).to.deep.equal([{ cosigner, time: TIME + 1 }]);
    // a verifier that knows nothing of witnesses opens it all the same
    expect(right(openCheckpoint(Buffer.from(note), [signer.verifier])).size).to.equal(3);
    expect(first().answered).to.deep.equal([200]);
    expect(E.isRight(await ask(treeOf(300), 3))).to.equal(true);
    // forgotten by the log, which is told
    expect(E.isRight(await ask(treeOf(700)))).to.equal(true);
    expect(first().answered).to.deep.equal([200, 200, 409, 200]);
    // its answer was lost
    expect(E.isRight(await ask(treeOf(700), 300))).to.equal(true);
    expect(first().heads()[ORIGIN]?.size).to.equal(700);
  });

  it('cosign no other history, none that is shorter, and no log that they do not know', async () => {
    await ask(treeOf(10));
    const refusal = async (...tree: Parameters<typeof treeOf>) => {
      const answer = await ask(treeOf(...tree), 10);
      return E.isLeft(answer) ? answer.left : 'none';
    };
    expect(await refusal(12, 'other')).to.match(/^it says that the log does not extend what it saw before$/);
    expect(await refusal(10, 'other')).to.match(/^it has seen another tree of this size$/);
    expect(await refusal(7)).to.match(/^it remembers 10 events, and the log has 7: the log was taken back$/);
    expect(first().heads()[ORIGIN]?.size).to.equal(10);
    const elsewhere = signerNamed('elsewhere.example');
    const note = right(signCheckpoint({ size: 1, root: Buffer.alloc(32) }, elsewhere));
    const unknown = { origin: elsewhere.verifier.name, size: 1, note };
    expect(await askWitness(post, asked(first()), unknown, () => Promise.resolve([]), 0)).to.deep.equal(
      E.left('it does not know this log'),
    );
    const forged = {
      ...treeOf(11).checkpoint,
      note: treeOf(11).checkpoint.note.replace(/ [^ ]*\n$/, (text) => text.replace(/.{5}\n$/, 'AAAA=\n')),
    };
    expect(E.isLeft(await askWitness(post, asked(first()), forged, treeOf(11).prove, 10))).to.equal(true);
  });

  it('are believed only with a cosignature of their key over this checkpoint', async () => {
    const tree = treeOf(3);
    const said = async (body: string, status = 200, type?: string) => {
      first().instead = () => ({ status, body, ...(type === undefined ? {} : { type }) });
      const answer = await ask(tree);
      return E.isLeft(answer) ? answer.left : answer.right.line;
    };
    const own = cosignatureLine(first().key, tree.checkpoint.note, TIME);
    const other = cosignatureLine(witnessKey('w.example/9', 9), tree.checkpoint.note, TIME);
    expect(await said(`${other}${own}`)).to.equal(own);
    expect(await said(other)).to.match(/^its answer has no cosignature by its key$/);
    expect(await said(cosignatureLine(first().key, treeOf(4).checkpoint.note, TIME))).to.match(
      /^its answer is wrong: /,
    );
    expect(await said(own.replace(/.{6}\n$/, 'AAAAA=\n'))).to.match(
      /^its answer is wrong: |no cosignature by its key$/,
    );
    for (const body of ['', 'hello\n', own.slice(0, -1), `${own}\n`, `\n${own}`, '\ud800'])
      expect(await said(body), JSON.stringify(body)).to.match(/^its answer (is wrong|has no)/);
    const sizes = ['3', '03\n', '-1\n', '1e3\n', '9007199254740993\n', '2\n\n', ''];
    for (const body of sizes) expect(await said(body, 409, 'text/x.tlog.size')).to.match(/^it has seen another tree/);
    expect(await said('2\n', 409, 'text/plain')).to.match(/^it has seen another tree/);
    expect(await said('2\n', 409, 'text/x.tlog.size; charset=utf-8')).to.match(
      /^it has seen another tree|another size each time$/,
    );
    expect(await said('', 500)).to.equal('it answers with the status 500');
    let size = 0;
    first().instead = () => ({ status: 409, type: 'text/x.tlog.size', body: `${(size += 1)}\n` });
    expect(await ask(tree)).to.deep.equal(E.left('it says another size each time'));
  });

  it('are given up where they answer late, without end, or elsewhere', async () => {
    const failure = async () => ask(treeOf(3)).then(() => 'none', String);
    first().instead = () => new Promise(() => undefined);
    expect(await failure()).to.match(/[Tt]imeout|abort/);
    first().instead = () => ({ status: 200, body: 'x'.repeat(70_000) });
    expect(await failure()).to.match(/longer than 64 KiB/);
    await witnesses[1]!.stop();
    const gone = { ...asked(witnesses[2]!), url: 'http://127.0.0.1:1' };
    expect(await askWitness(post, gone, treeOf(3).checkpoint, treeOf(3).prove, 0).then(() => 'none', String)).to.match(
      /fetch failed/,
    );
    await witnesses[1]!.start();
  });

  describe('kept asked beside the signing', () => {
    const running: Array<() => Promise<void>> = [];
    afterEach(async () => {
      for (const stop of running.splice(0)) await stop();
    });

    const start = (quorum: ReadonlyArray<string>, recordedBefore: ReadonlyArray<SignedCheckpoint> = []) => {
      const clock = makeManualClock();
      const { on, note, until } = makeLookout();
      const recorded = [...recordedBefore];
      const events: Array<CosigningEvent> = [];
      const lines = witnesses.map(({ key, url }, at) => `witness w${at + 1} ${key.vkey} ${url}`);
      const trees = new Map<number, ReturnType<typeof treeOf>>();
      const cosigning = keepCosigning({
        clock,
        policy: right(parseWitnessPolicy([...lines, ...quorum].join('\n'))),
        ...on({ post }),
        proveIn: ({ size }) => trees.get(size)!.prove,
        largestOf: () => Promise.resolve(recorded.at(-1)),
        record: (checkpoint) => Promise.resolve(void recorded.push(checkpoint)),
        onEvent: (event) => {
          events.push(event);
          note();
        },
      });
      running.push(cosigning.stop);
      const offer = (size: number, word?: string) => {
        trees.set(size, treeOf(size, word));
        cosigning.offer(trees.get(size)!.checkpoint);
      };
      const said = (tag: CosigningEvent['_tag'], times = 1) =>
        until(() => events.filter(({ _tag }) => _tag === tag).length >= times);
      /** Lets time pass, and waits until they have answered what they were asked then. */
      const round = async (ms: number): Promise<void> => {
        await clock.advance(ms);
        await until(() => clock.waiting() > 0);
      };
      return { ...cosigning, clock, round, recorded, events, offer, said };
    };

    const twoOfThree = ['group g 2 w1 w2 w3', 'quorum g'];

    it('give a note with a line of each that has cosigned, of the newest checkpoint only', async () => {
      const { round, offer, said, recorded, toArchive } = start(twoOfThree);
      offer(3);
      await round(ASK_MS);
      await said('Cosigned');
      offer(5);
      offer(300);
      await round(ASK_MS);
      await said('Cosigned', 2);
      expect(recorded.map(({ size }) => size)).to.deep.equal([3, 300]);
      const cosigners = witnesses.map(({ key }) => right(parseCosigner(key.vkey)));
      const cosignatures = right(cosignaturesOf(Buffer.from(recorded[1]!.note), cosigners));
      expect(cosignatures.map(({ time }) => time - TIME)).to.deep.equal([1, 2, 3]);
      expect(toArchive(treeOf(300).checkpoint)).to.deep.equal(recorded[1]);
    });

    it('suffice when one of three is away, and say so once when two are, until they are back', async () => {
      const { round, offer, said, recorded, events, isLate, toArchive } = start(twoOfThree);
      witnesses[2]!.instead = () => ({ status: 500, body: '' });
      offer(3);
      await round(ASK_MS);
      await said('Cosigned');
      witnesses[1]!.instead = () => ({ status: 404, body: '' });
      offer(6);
      // less and less often
      for (const seconds of [2, 4, 8, 16]) {
        const before = first().answered.length;
        await round(seconds * 1_000 - 1);
        expect(first().answered.length).to.equal(before);
        await round(1);
        expect(first().answered.length).to.be.greaterThan(before);
      }
      await said('NoQuorum');
      const short = events.filter(({ _tag }) => _tag === 'NoQuorum');
      expect(short).to.have.lengthOf(1);
      expect(short[0]).to.deep.include({
        refusals: [
          { witness: 'w2', reason: 'it does not know this log' },
          { witness: 'w3', reason: 'it answers with the status 500' },
        ],
      });
      expect(recorded.map(({ size }) => size)).to.deep.equal([3]);
      // not yet for a minute
      expect([isLate(), toArchive(treeOf(6).checkpoint)?.size]).to.deep.equal([false, 3]);
      witnesses[1]!.instead = undefined;
      await round(32_000);
      await said('QuorumAgain');
      expect(recorded.map(({ size }) => size)).to.deep.equal([3, 6]);
    });

    it('are done without after a while, which is a warning until they suffice again', async () => {
      const { clock, round, offer, said, isLate, toArchive, recorded } = start(twoOfThree);
      for (const witness of witnesses) witness.instead = () => ({ status: 500, body: '' });
      offer(6);
      await round(ASK_MS);
      await said('NoQuorum');
      await clock.advance(QUORUM_TIMEOUT_MS - ASK_MS - 1);
      expect(isLate()).to.equal(false);
      await clock.advance(1);
      expect(isLate()).to.equal(true);
      expect(toArchive(treeOf(6).checkpoint)).to.deep.equal(treeOf(6).checkpoint);
      for (const witness of witnesses) witness.instead = undefined;
      await round(0);
      await round(60_000);
      await said('Cosigned');
      expect(isLate()).to.equal(false);
      expect(toArchive(treeOf(6).checkpoint)).to.deep.equal(recorded[0]);
    });

    it('are not asked for what has their quorum already, also after a restart', async () => {
      const before = { ...treeOf(3).checkpoint, note: 'kept before' };
      const { round, offer, recorded } = start(twoOfThree, [before]);
      offer(3);
      await round(10 * ASK_MS);
      expect([recorded, first().answered]).to.deep.equal([[before], []]);
    });

    it('cosign nothing of a log that was taken back or written anew', async () => {
      const { round, offer, said, recorded, events } = start(twoOfThree);
      offer(20);
      await round(ASK_MS);
      await said('Cosigned');
      offer(30, 'forged');
      await round(ASK_MS);
      await said('NoQuorum');
      expect(recorded.map(({ size }) => size)).to.deep.equal([20]);
      const [short] = events.filter(({ _tag }) => _tag === 'NoQuorum');
      expect(JSON.stringify(short)).to.include('does not extend what it saw before');
    });
  });
});
