import { expect } from 'chai';
import { either as E } from 'fp-ts';
import type { LogFault } from '../../src/event-sourcing/whole-log/log-fault.js';
import type { SignedCheckpoint } from '../../src/read/sealed-tree.js';
import { signCheckpoint } from '../../src/seal/checkpoint.js';
import { type Signer, signerOf } from '../../src/seal/note-key.js';
import { proveInclusion } from '../../src/seal/proofs.js';
import { renderTlogProof } from '../../src/seal/tlog-proof.js';
import { makeCheckpointCheck, type Witness } from '../../src/sealing/checkpoint-check.js';
import { leafHashOf } from '../../src/sealing/leaf-of.js';
import { readWitness } from '../../src/sealing/read-witness.js';
import { businessStream } from '../support/chained-events.js';
import { flipBit, right, treeOver } from '../support/sealed-tree.js';
import { sealedLog, type Tampered } from '../support/tampered-ledger.js';

const [BUSINESSES, ROUNDS] = [10, 40];
const EVENTS = BUSINESSES * ROUNDS;
const [ORIGIN, EARLIER] = ['log.example/2', 'log.example'];

const seed = Buffer.alloc(32, 7);
const ours = right(signerOf(ORIGIN, seed));
const earlier = right(signerOf(EARLIER, seed));
const foreign = right(signerOf(ORIGIN, Buffer.alloc(32, 8)));

const findKeys = (origin: string) => [ours, earlier].filter(({ verifier }) => verifier.name === origin);

describe('comparing the log with checkpoints', () => {
  let world: Tampered;
  let inPostgres: Array<SignedCheckpoint>;
  let cosigned: Array<SignedCheckpoint>;
  let inStorage: Array<SignedCheckpoint>;
  let newestWhenItBegan: SignedCheckpoint | undefined;
  /** Which of the questions for the largest checkpoint Postgres does not answer. */
  let unanswered: 'newestOf' | 'cosignedOf' | undefined;
  let signed: (size: number, signer?: Signer) => SignedCheckpoint;

  beforeEach(async () => {
    world = await sealedLog(BUSINESSES, ROUNDS);
    const leaves = world.events.map(leafHashOf);
    signed = (size, signer = ours) => {
      const { root } = treeOver(leaves.slice(0, size));
      const { name: origin } = signer.verifier;
      return { origin, size, note: right(signCheckpoint({ size, root }, signer)) };
    };
    [newestWhenItBegan, unanswered] = [undefined, undefined];
    inPostgres = [100, 200, 300, EVENTS].map((size) => signed(size));
    cosigned = [];
    inStorage = [signed(EVENTS), signed(200)];
  });

  const answer = (asked: typeof unanswered, found: SignedCheckpoint | undefined) =>
    Promise.resolve(
      asked === unanswered
        ? E.left({ _tag: 'ReadModelUnavailable' as const, cause: new Error('away') })
        : E.right(found),
    );

  const check = async (witnesses: ReadonlyArray<Witness> = [], hasPostgres = true) => {
    const faults: Array<LogFault> = [];
    const { take, end, counts } = await makeCheckpointCheck({
      isSealed: ({ stream }) => /^(business|document)-/.test(stream),
      origin: ORIGIN,
      findKeys,
      tree: hasPostgres
        ? {
            newestOf: (origin) =>
              answer(
                'newestOf',
                newestWhenItBegan ?? inPostgres.findLast((checkpoint) => checkpoint.origin === origin),
              ),
            cosignedOf: () => answer('cosignedOf', cosigned.at(-1)),
            // eslint-disable-next-line @typescript-eslint/require-await -- the port is asynchronous
            async *cosigned() {
              yield* cosigned;
            },
            // eslint-disable-next-line @typescript-eslint/require-await -- the port is asynchronous
            async *checkpoints() {
              yield* inPostgres;
            },
          }
        : undefined,
      archive: {
        // eslint-disable-next-line @typescript-eslint/require-await -- the port is asynchronous
        async *all() {
          yield* inStorage;
        },
      },
      witnesses,
      onFault: (fault) => faults.push(fault),
    });
    for (let at = 0; at < world.events.length; at += 70) await take(world.events.slice(at, at + 70));
    await end();
    return { faults, counts: counts() };
  };

  const kinds = async (...given: Parameters<typeof check>) =>
    (await check(...given)).faults.map(({ kind, index, reason }) => ({ kind, index, reason }));

  it('finds that all of them fit', async () => {
    expect(await check()).to.deep.equal({
      faults: [],
      counts: { fitting: 6, differing: 0, beforePostgres: 0, earlier: {} },
    });
  });

  it('says between which sizes the first change lies, when log and ledger were changed together', async () => {
    world.events.splice(250, 1);
    const [first, ...others] = await kinds();
    expect(first).to.deep.equal({
      kind: 'checkpoint-differs',
      index: 200,
      reason:
        'the checkpoint of 300 events of log.example/2, kept in Postgres, does not fit the log, and the one of 200 events does: the first event that was changed, removed, inserted or moved is between index 200 and 299',
    });
    expect(others.map(({ kind }) => kind)).to.deep.equal(['checkpoint-beyond-log', 'checkpoint-beyond-log']);
  });

  it('compares those that witnesses have cosigned like all others', async () => {
    cosigned = [200, EVENTS].map((size) => signed(size));
    expect((await check()).counts).to.deep.include({ fitting: 8, differing: 0 });
    const forged = { ...signed(200), note: signed(200, foreign).note };
    cosigned = [forged, signed(300), signed(EVENTS)];
    expect(await kinds()).to.deep.equal([
      {
        kind: 'checkpoint-unknown-key',
        index: undefined,
        reason:
          'the checkpoint of 200 events of log.example/2, kept in Postgres, cosigned, was signed by no key of this service',
      },
    ]);
    world.events.splice(250, 1);
    // what Postgres has without cosignatures may have been removed there
    inPostgres = inPostgres.slice(0, 2);
    expect((await kinds()).map(({ kind, reason }) => `${kind} ${reason.replace(/^.*?kept /, '')}`)).to.deep.equal([
      'checkpoint-unknown-key in Postgres, cosigned, was signed by no key of this service',
      'checkpoint-differs in Postgres, cosigned, does not fit the log, and the one of 200 events does: the first event that was changed, removed, inserted or moved is between index 200 and 299',
      'checkpoint-beyond-log in Postgres, cosigned, is larger than the log, which has 399: 1 or more were removed',
      'checkpoint-beyond-log in the file storage, is larger than the log, which has 399: 1 or more were removed',
    ]);
  });

  it('says that events were removed at the end, and how many at least', async () => {
    world.events.splice(350);
    expect(await kinds()).to.deep.equal([
      {
        kind: 'checkpoint-beyond-log',
        index: 350,
        reason: `the checkpoint of 400 events of log.example/2, kept in Postgres, is larger than the log, which has 350: 50 or more were removed`,
      },
      {
        kind: 'checkpoint-beyond-log',
        index: 350,
        reason: `the checkpoint of 400 events of log.example/2, kept in the file storage, is larger than the log, which has 350: 50 or more were removed`,
      },
    ]);
    expect((await check()).counts).to.deep.include({ fitting: 4, differing: 2 });
    world.events.splice(0);
    expect(await kinds()).to.have.length(6);
    expect((await check()).counts).to.deep.include({ fitting: 0, differing: 6 });
  });

  it('compares nothing where Postgres does not say which checkpoint is the largest', async () => {
    for (const question of ['newestOf', 'cosignedOf'] as const) {
      unanswered = question;
      const failure: unknown = await check().catch((error: unknown) => error);
      expect(failure, question).to.be.an('error').with.property('message', 'away');
    }
  });

  it('names a checkpoint that was removed from Postgres', async () => {
    inPostgres.splice(1, 1);
    expect(await kinds()).to.deep.equal([
      {
        kind: 'checkpoint-missing',
        index: 200,
        reason:
          'the checkpoint of 200 events of log.example/2, kept in the file storage, is not in Postgres, which has earlier ones: it was removed there, or Postgres was taken back to a backup',
      },
    ]);
    expect((await check()).counts).to.deep.include({ fitting: 4, differing: 1 });
    // who has no Postgres to ask misses nothing in it
    expect(await kinds([], false)).to.deep.equal([]);
  });

  it('counts those of the file storage that are older than all of Postgres, and still compares them', async () => {
    inPostgres.splice(0, 2);
    const { faults, counts } = await check();
    expect([faults, counts.beforePostgres]).to.deep.equal([[], 1]);
    world.events.splice(50, 1);
    expect((await kinds()).map(({ kind }) => kind)).to.include('checkpoint-differs');
  });

  it('names a checkpoint that no known key has signed, one that is no note, and one that is filed wrongly', async () => {
    const note = signed(150, foreign).note;
    inPostgres = [
      { origin: ORIGIN, size: 150, note },
      { origin: ORIGIN, size: 160, note: 'nothing\n' },
      { ...signed(100), size: 170 },
      { origin: 'elsewhere', size: 150, note },
    ];
    inStorage = [];
    const { faults, counts } = await check();
    expect(counts).to.deep.include({ fitting: 0, differing: 4 });
    expect(faults.map(({ kind, reason }) => `${kind}: ${reason}`)).to.deep.equal([
      'checkpoint-unknown-key: the checkpoint of 150 events of log.example/2, kept in Postgres, was signed by no key of this service',
      'checkpoint-invalid: the checkpoint of 160 events of log.example/2, kept in Postgres, is not valid: the note has no empty line before its signatures',
      'checkpoint-invalid: the checkpoint of 170 events of log.example/2, kept in Postgres, is filed under a size or origin that it does not have',
      'checkpoint-unknown-key: the checkpoint of 150 events of elsewhere, kept in Postgres, was signed by no key of this service',
    ]);
  });

  it('names those of an earlier origin, which are no faults', async () => {
    inPostgres = [signed(300, earlier), signed(390, earlier), ...inPostgres];
    inStorage.push(signed(390, earlier));
    expect((await check()).counts.earlier).to.deep.equal({ [EARLIER]: { inPostgres: 2, inStorage: 1, largest: 390 } });
    expect(await check([], false)).to.deep.include({
      counts: {
        fitting: 2,
        differing: 0,
        beforePostgres: 0,
        earlier: { [EARLIER]: { inPostgres: 0, inStorage: 1, largest: 390 } },
      },
    });
  });

  it('leaves out events that are not in the tree', async () => {
    world.events.splice(5, 0, { ...world.events[5]!, stream: 'operators-skips' });
    expect((await check()).faults).to.deep.equal([]);
  });

  it('counts what fits and what does not, and says of two over as many events only which does not', async () => {
    const { root } = treeOver(world.events.slice(1, 201).map(leafHashOf));
    inStorage = [{ origin: ORIGIN, size: 200, note: right(signCheckpoint({ size: 200, root }, ours)) }];
    const { faults, counts } = await check();
    expect(counts).to.deep.include({ fitting: 4, differing: 1 });
    expect(faults.map(({ kind, index, reason }) => ({ kind, index, reason }))).to.deep.equal([
      {
        kind: 'checkpoint-differs',
        index: 0,
        reason:
          'the checkpoint of 200 events of log.example/2, kept in the file storage, does not fit the log: the first event that was changed, removed, inserted or moved is between index 0 and 199',
      },
    ]);
  });

  it('names one that Postgres has with cosignatures alone', async () => {
    cosigned = [signed(250), signed(EVENTS)];
    inStorage = [signed(250)];
    expect((await kinds()).map(({ kind, index }) => [kind, index])).to.deep.equal([['checkpoint-missing', 250]]);
  });

  it('says nothing of checkpoints that were signed since it began', async () => {
    const later = [...inPostgres];
    inPostgres = later.slice(0, 3);
    inStorage = [];
    world.events.splice(320);
    const newest = inPostgres.at(-1)!;
    inPostgres.push(later[3]!);
    newestWhenItBegan = newest;
    expect(await kinds()).to.deep.equal([]);
  });

  describe('that an auditor kept', () => {
    const kept = (bytes: string | Buffer): Witness => right(readWitness(Buffer.from(bytes), 'in kept.txt', findKeys));

    beforeEach(() => {
      inPostgres = [];
      inStorage = [];
    });

    const proofOf = async (index: number, size: number): Promise<string> => {
      const tree = treeOver(world.events.map(leafHashOf));
      const hashes = right(await proveInclusion(index, size, tree.read));
      return renderTlogProof({ index, hashes, checkpoint: signed(size).note });
    };

    it('fits, or tells where the log was changed', async () => {
      const witness = kept(signed(250).note);
      expect((await check([witness])).counts).to.deep.include({ fitting: 1, differing: 0 });
      world.events.splice(10, 1);
      expect(await kinds([witness])).to.deep.equal([
        {
          kind: 'checkpoint-differs',
          index: 0,
          reason:
            'the checkpoint of 250 events of log.example/2, kept in kept.txt, does not fit the log: the first event that was changed, removed, inserted or moved is between index 0 and 249',
        },
      ]);
    });

    it('may be several, in any order, also of more events than there are', async () => {
      const witnesses = [300, 100, 350].map((size) => kept(signed(size).note));
      expect((await check(witnesses)).counts).to.deep.include({ fitting: 3, differing: 0 });
      world.events.splice(320);
      const { faults, counts } = await check(witnesses);
      expect(counts).to.deep.include({ fitting: 2, differing: 1 });
      expect(faults.map(({ kind, index }) => [kind, index])).to.deep.equal([['checkpoint-beyond-log', 320]]);
    });

    it('may be a proof of an event that its checkpoint is not over, which names no event', async () => {
      const { proof, ...witness } = kept(await proofOf(123, 250));
      const { faults } = await check([{ ...witness, proof: { index: 399, hashes: proof?.hashes ?? [] } }]);
      expect(faults).to.deep.equal([
        {
          kind: 'proof-differs',
          index: 399,
          reason: 'the event is not the one that the proof kept in kept.txt is about',
        },
      ]);
    });

    it('may be a proof, and then names the event that is not the proven one', async () => {
      const witness = kept(await proofOf(123, 250));
      expect((await check([witness])).faults).to.deep.equal([]);
      world.events.splice(123, 2, world.events[124]!, world.events[123]!);
      const { faults } = await check([witness]);
      const found = faults.map(({ kind, index, stream, revision }) => ({ kind, index, stream, revision }));
      expect(found).to.deep.equal([
        { kind: 'checkpoint-differs', index: 0, stream: undefined, revision: undefined },
        { kind: 'proof-differs', index: 123, stream: businessStream(4), revision: 12n },
      ]);
    });

    it('is refused when it is of no known key, when a byte of it was changed, and when it is nothing of that kind', async () => {
      const refused = (bytes: string | Buffer) => readWitness(Buffer.from(bytes), 'in kept.txt', findKeys);
      expect(refused(signed(250, foreign).note)).to.deep.equal(E.left('no known key has signed the note'));
      expect(refused('hello')).to.deep.equal(E.left('the note has no empty line before its signatures'));
      expect(refused('c2sp.org/tlog-proof@v1\n')).to.deep.equal(
        E.left('the proof has no empty line before its checkpoint'),
      );
      const note = Buffer.from(signed(250).note);
      for (let bit = 0; bit < 8 * note.length; bit += 13)
        expect(E.isLeft(refused(flipBit(note, bit))), String(bit)).to.equal(true);
      expect(E.isRight(refused(await proofOf(1, 2)))).to.equal(true);
    });
  });
});
