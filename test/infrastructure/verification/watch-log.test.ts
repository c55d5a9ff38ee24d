import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { ledgerOf, registry } from '../../../src/entities/registry.js';
import { canonicalJson, type JsonObject } from '../../../src/event-sourcing/canonical-json.js';
import { recordErasureDecision } from '../../../src/event-sourcing/erasure/erasure-decisions.js';
import { StoreUnavailable } from '../../../src/event-sourcing/event-store.js';
import type { ExpectedRevision } from '../../../src/event-sourcing/recorded-event.js';
import type { LogFault } from '../../../src/event-sourcing/whole-log/log-fault.js';
import type { LogWitnesses } from '../../../src/infrastructure/verification/log-checks.js';
import { type Pass, watchLog } from '../../../src/infrastructure/verification/watch-log.js';
import type { SignedCheckpoint } from '../../../src/read/sealed-tree.js';
import { signCheckpoint } from '../../../src/seal/checkpoint.js';
import { signerOf } from '../../../src/seal/note-key.js';
import { leafHashOf } from '../../../src/sealing/leaf-of.js';
import { wholeLog } from '../../support/chained-events.js';
import { oneKey } from '../../support/event-keys.js';
import { makeInMemoryEventStore } from '../../support/in-memory-event-store.js';
import { historyOf } from '../../support/seal-in-force.js';
import { flipBit, right, treeOver } from '../../support/sealed-tree.js';
import { sealedLog, sourceOf, storeOf, type Tampered } from '../../support/tampered-ledger.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';
import { makeManualClock, type ManualClock } from '../../support/manual-clock.js';

const EVENTS = 200;
const signer = right(signerOf('log.example', Buffer.alloc(32, 3)));

describe('verifying the log all the time', () => {
  let world: Tampered;
  let checkpoints: Array<SignedCheckpoint>;
  /** What the storage gives before it is away, or before it does not answer any more. */
  let inStorage: Array<SignedCheckpoint>;
  let isStorageAway: boolean;
  let hangs: boolean;
  let unchecked: Array<string>;
  let seal: LogWitnesses['seal'];
  let faults: Array<LogFault>;
  let passes: Array<Pass>;
  let progress: Array<readonly [number, number]>;
  let failures: Array<unknown>;
  /** Of each pass but the first: whether there is an alarm when it begins. */
  let atBeginning: Array<boolean>;
  let isVerifier: boolean;
  /** What the log answers that is asked for the newest decision of operators, and how often it was. */
  let looks: number;
  let decided: E.Either<StoreUnavailable, ExpectedRevision>;
  /** How many of the next questions to log, ledger and database are not answered. */
  let unanswered: number;
  let clock: ManualClock;
  let watching: ReturnType<typeof watchLog>;

  beforeEach(async () => {
    clock = makeManualClock();
    world = await sealedLog(10, EVENTS / 10);
    const { root } = treeOver(world.events.map(leafHashOf));
    checkpoints = [
      { origin: 'log.example', size: EVENTS, note: right(signCheckpoint({ size: EVENTS, root }, signer)) },
    ];
    [faults, passes, progress, failures, atBeginning] = [[], [], [], [], []];
    [isVerifier, unanswered] = [true, 0];
    [decided, looks] = [E.right('no-stream'), 0];
    seal = { history: historyOf(signer.verifier), findKeys: () => [signer] };
    [inStorage, isStorageAway, hangs, unchecked] = [[], false, false, []];
  });

  afterEach(() => watching.stop());

  const answer = (): void => {
    if (unanswered === 0) return;
    unanswered -= 1;
    throw new StoreUnavailable('away');
  };

  const start = (periodMs: number) => {
    const store = storeOf(world);
    const source = sourceOf(world);
    watching = watchLog({
      runtime: { clock, random: { ...systemRuntime.random, fraction: () => 0.5 } },
      store: {
        async *readAll(range) {
          answer();
          yield* store.readAll(range);
        },
        async *readStream(...args) {
          answer();
          yield* store.readStream(...args);
        },
        newestRevision: () => {
          looks += 1;
          return Promise.resolve(decided);
        },
      },
      decisionStreams: ['operations-seal'],
      ledger: ledgerOf(registry),
      source: {
        ...source,
        rows: async (...args) => {
          answer();
          return source.rows(...args);
        },
      },
      tree: {
        newestOf: () => Promise.resolve(E.right(checkpoints.at(-1))),
        cosignedOf: () => Promise.resolve(E.right(undefined)),
        // eslint-disable-next-line @typescript-eslint/require-await -- the port is asynchronous
        async *cosigned() {
          yield* [];
        },
        // eslint-disable-next-line @typescript-eslint/require-await -- the port is asynchronous
        async *checkpoints() {
          answer();
          yield* checkpoints;
        },
      },
      archive: () => ({
        async *all() {
          yield* inStorage;
          if (isStorageAway) throw new Error('away');
          if (hangs) await new Promise(() => undefined);
        },
      }),
      findSeal: () => Promise.resolve(seal),
      keys: [oneKey],
      isVerifier: () => isVerifier,
      periodMs,
      onFault: (fault) => faults.push(fault),
      onProgress: (events, index) => {
        progress.push([events, index]);
        if (events === 0 && passes.length > 0) atBeginning.push(watching.hasFaults());
      },
      onPassEnded: (pass) => passes.push(pass),
      onUnchecked: (what) => unchecked.push(what),
      onFailed: (cause) => failures.push(cause),
    });
  };

  const [LONG, SHORT] = [3_600_000, 50];
  const LOOK_MS = 1_000;
  /** What a pass takes in which 1,000 events a second are verified, and what one takes whose period is SHORT. */
  const [PASS_MS, SHORT_PASS_MS] = [EVENTS, SHORT];

  it('verifies the whole log and says how far it is, and then rests', async () => {
    start(LONG);
    await clock.advance(PASS_MS - 1);
    expect(passes).to.deep.equal([]);
    await clock.advance(1);
    expect({ passes, faults, failures }).to.deep.equal({
      passes: [{ events: EVENTS, faults: 0, isWhole: true }],
      faults: [],
      failures: [],
    });
    expect(progress[0]).to.deep.equal([0, 0]);
    expect(progress.at(-1)).to.deep.equal([EVENTS, EVENTS]);
    expect(watching.hasFaults()).to.equal(false);
    // it looks once a second whether the period is over
    await clock.advance(LONG + PASS_MS - 1);
    expect(passes).to.have.length(1);
    await clock.advance(1);
    expect(passes).to.have.length(2);
  });

  it('makes the key of an origin once for all of its checkpoints', async () => {
    const asked: Array<string> = [];
    seal = { history: historyOf(signer.verifier), findKeys: (origin) => (asked.push(origin), [signer]) };
    inStorage = [...checkpoints, ...checkpoints];
    start(LONG);
    await clock.advance(PASS_MS);
    expect(passes).to.deep.equal([{ events: EVENTS, faults: 0, isWhole: true }]);
    expect(asked).to.deep.equal(['log.example']);
  });

  it('finds what log verify finds, in each pass, until it is mended', async () => {
    const [before] = world.events;
    world.events[0] = { ...before!, data: before!.data.replace('Business', 'business') };
    world.tiles.set('0/0', flipBit(world.tiles.get('0/0')!, 8 * 32 * 5));
    const [removed] = world.events.splice(150, 1);
    start(SHORT);
    // of an event less a pass is done sooner, and so rests before the next one
    await clock.advance(3 * SHORT_PASS_MS);
    expect(passes).to.have.length(2);
    const kinds = new Set(faults.map(({ kind, index }) => `${kind} ${index ?? ''}`.trim()));
    expect([...kinds]).to.deep.equal([
      'chain-broken 0',
      'event-changed 0',
      'tile-changed 5',
      'event-removed 150',
      'checkpoint-beyond-log 199',
    ]);
    expect(passes[0]!.faults).to.be.greaterThan(4);
    expect(atBeginning[0]).to.equal(true);
    expect(watching.hasFaults()).to.equal(true);
    world.events.splice(150, 0, removed!);
    world.events[0] = before!;
    world.tiles.set('0/0', flipBit(world.tiles.get('0/0')!, 8 * 32 * 5));
    await clock.advance(2 * SHORT_PASS_MS);
    expect(passes).to.have.length(3);
    expect(passes.at(-1)).to.deep.equal({ events: EVENTS, faults: 0, isWhole: true });
    expect(watching.hasFaults()).to.equal(false);
  });

  it('looks again as soon as operators have decided something', async () => {
    const [before] = world.events;
    const { mac: _mac, ...without } = JSON.parse(before!.metadata) as Record<string, unknown>; // reason: written by seal
    world.events[0] = { ...before!, metadata: JSON.stringify(without) };
    decided = E.right(3n);
    start(LONG);
    await clock.advance(PASS_MS);
    expect([passes[0]!.faults > 0, watching.hasFaults()]).to.deep.equal([true, true]);
    decided = E.left(new StoreUnavailable('away'));
    const asked = looks;
    await clock.advance(2 * LOOK_MS);
    expect(looks).to.equal(asked + 2);
    expect(passes).to.have.length(1);
    world.events[0] = before!;
    decided = E.right(4n);
    await clock.advance(LOOK_MS + PASS_MS);
    expect(passes).to.have.length(2);
    expect([passes[1]!.faults, watching.hasFaults()]).to.deep.equal([0, false]);
  });

  it('knows an erasure that was begun, and gives it an hour to end', async () => {
    const [first] = world.events;
    const { salt: _salt, ...metadata } = JSON.parse(first!.metadata) as JsonObject; // reason: written by seal
    world.events[0] = { ...first!, data: '{}', metadata: canonicalJson(metadata) };
    const decisions = makeInMemoryEventStore();
    const records = [{ stream: first!.stream, events: [[0, 0] as [number, number]] }];
    const event = { type: 'ErasureBegun', data: { records, basis: 'Art. 17(1)(a)' } } as const;
    const deciding = { clock, random: systemRuntime.random };
    right(await recordErasureDecision(deciding, decisions, { event, actor: 'bob' }, () => false, [oneKey]));
    const [begun] = await wholeLog(decisions);
    world.events.push({ ...begun!, position: 1_000n });
    const found = () => new Set(faults.splice(0).map(({ kind, index }) => `${kind} ${index ?? ''}`.trim()));
    start(LONG / 2);
    await clock.advance(PASS_MS + LOOK_MS);
    // the ledger has it still, as it may until then
    expect([...found()]).to.deep.equal([]);
    await clock.advance(LONG);
    expect(passes).to.have.length(3);
    expect([...found()]).to.deep.equal(['erasure-unfinished']);
  });

  it('keeps the alarm while the storage cannot be read, where the fault may be', async () => {
    const forged = signerOf('log.example', Buffer.alloc(32, 4));
    inStorage = [
      {
        origin: 'log.example',
        size: 1,
        note: right(signCheckpoint({ size: 1, root: Buffer.alloc(32) }, right(forged))),
      },
    ];
    start(SHORT);
    await clock.advance(SHORT_PASS_MS);
    expect(passes[0]).to.deep.equal({ events: EVENTS, faults: 1, isWhole: true });
    [inStorage, isStorageAway] = [[], true];
    await clock.advance(3 * SHORT_PASS_MS);
    expect(passes.at(-1)).to.deep.equal({ events: EVENTS, faults: 0, isWhole: false });
    expect(unchecked).to.include('not all checkpoints in the file storage were compared: away');
    expect(atBeginning.at(-1)).to.equal(true);
    expect(watching.hasFaults()).to.equal(true);
    isStorageAway = false;
    await clock.advance(2 * SHORT_PASS_MS);
    expect(passes.at(-1)).to.deep.equal({ events: EVENTS, faults: 0, isWhole: true });
    expect(watching.hasFaults()).to.equal(false);
  });

  it('gives no alarm because there is no key, which is not to be waited for', async () => {
    const before = world.rows[3]!;
    world.rows[3] = { ...before, leaf: Buffer.alloc(32) };
    seal = 'no key is known';
    start(SHORT);
    await clock.advance(SHORT_PASS_MS);
    expect(passes[0]).to.deep.equal({ events: EVENTS, faults: 1, isWhole: true });
    world.rows[3] = before;
    await clock.advance(2 * SHORT_PASS_MS);
    expect(passes.at(-1)).to.deep.equal({ events: EVENTS, faults: 0, isWhole: true });
    expect(watching.hasFaults()).to.equal(false);
  });

  it('stops while it reads the storage, also when that does not answer', async () => {
    const [checkpoint] = checkpoints;
    let given = 0;
    inStorage = Object.assign([], {
      *[Symbol.iterator]() {
        for (; given < 50; given += 1) yield checkpoint;
      },
    });
    hangs = true;
    start(LONG);
    await clock.advance(PASS_MS);
    expect(given).to.equal(50);
    await watching.stop();
    expect({ passes, failures, unchecked }).to.deep.equal({ passes: [], failures: [], unchecked: [] });
  });

  it('goes on where it was when log and database answer again', async () => {
    unanswered = 3;
    start(LONG);
    // of the pauses between tries half is drawn each time: 250, 500 and 1,000 ms
    await clock.advance(1_750);
    expect([unanswered, passes]).to.deep.equal([0, []]);
    unanswered = 2;
    await clock.advance(750 + PASS_MS);
    expect({ passes, faults, failures }).to.deep.equal({
      passes: [{ events: EVENTS, faults: 0, isWhole: true }],
      faults: [],
      failures: [],
    });
  });

  it('does nothing while another process verifies', async () => {
    isVerifier = false;
    start(LONG);
    await clock.advance(10 * LONG);
    expect(progress).to.deep.equal([]);
    isVerifier = true;
    await clock.advance(LOOK_MS + PASS_MS);
    expect(passes).to.deep.equal([{ events: EVENTS, faults: 0, isWhole: true }]);
  });

  it('gives no alarm any more when another process verifies, which says itself what it finds', async () => {
    const before = world.rows[3]!;
    world.rows[3] = { ...before, leaf: Buffer.alloc(32) };
    start(LONG);
    await clock.advance(PASS_MS);
    expect([passes[0]!.faults, watching.hasFaults()]).to.deep.equal([1, true]);
    isVerifier = false;
    // who verifies may change for a moment: it is given a minute to end what it does, and one to begin again
    await clock.advance(LOOK_MS + 2 * 60_000);
    expect(watching.hasFaults()).to.equal(false);
  });

  it('stops in the midst of a pass', async () => {
    start(LONG);
    await clock.advance(PASS_MS / 2);
    expect(progress.length).to.be.greaterThan(1);
    await watching.stop();
    expect({ passes, failures, waiting: clock.waiting() }).to.deep.equal({ passes: [], failures: [], waiting: 0 });
  });

  it('reports a fault of the program, and begins anew', async () => {
    const { rows } = world;
    world.rows = undefined as unknown as typeof rows; // reason: what a test of a fault takes
    start(SHORT);
    await clock.advance(0);
    expect([failures.length, passes]).to.deep.equal([1, []]);
    world.rows = rows;
    await clock.advance(SHORT + SHORT_PASS_MS);
    expect(passes[0]).to.deep.equal({ events: EVENTS, faults: 0, isWhole: true });
  });
});
