import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { makeEventKey } from '../../src/event-sourcing/event-key.js';
import { SEAL_STREAM } from '../../src/event-sourcing/operators/decision-events.js';
import type { StoredEvent } from '../../src/event-sourcing/recorded-event.js';
import { openCheckpoint, signCheckpoint } from '../../src/seal/checkpoint.js';
import { parseSigner, type Signer } from '../../src/seal/note-key.js';
import { recordKeyChange } from '../../src/sealing/key-change.js';
import { wholeLog } from '../support/chained-events.js';
import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import { runOperator } from '../support/operator.js';
import { startingPostgres } from '../support/postgres.js';
import { right } from '../support/sealed-tree.js';
import { expectFound, expectWarning, verified } from './found.js';
import type { HistoryEvent } from './history.js';
import { type Place, places, runSql } from './places.js';
import {
  copied,
  EVENT_KEY,
  type Kept,
  openSealedService,
  newestCheckpoint,
  ORIGIN,
  running,
  type SealedService,
  stopped,
} from './sealed-service.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

const WARNING = 'no checkpoint is signed: the log does not extend what was signed before';

for (const [name, openPlace] of Object.entries(places))
  describe(`tampering with a service whose checkpoint key was replaced, whose log is in ${name}`, function () {
    this.timeout(startingPostgres * 3);
    let place: Place;
    let discard: () => Promise<void>;
    let service: SealedService;
    /** After the change, with eleven events. */
    let changed: Kept;
    let history: ReadonlyArray<HistoryEvent>;
    let old: Signer;
    /** Settings that have the new key alone. */
    let settings: SealedService['settings'];
    let discards: Array<() => Promise<void>>;

    before(async () => {
      ({ place, service, discard } = await openSealedService(openPlace));
      const { CHECKPOINT_KEY: first = '' } = service.settings;
      const { stdout: second } = await runOperator(['log', 'new-key', ORIGIN]);
      old = right(parseSigner(first));
      settings = { ...service.settings, CHECKPOINT_KEY: second.trim() };
      const both = { ...service.settings, CHECKPOINT_KEY: `${first}\n${second}` };
      const copy = await copied(service.now);
      discards = [copy.discard];
      changed = copy;
      await place.write(copy.url, service.history);
      const started = await running(both, copy);
      const env = { ...both, DATABASE_URL: copy.url, DATA_DIR: copy.dataDir };
      const args = ['log', 'replace-key', '--reason', 'found out', '--user', 'olga'];
      const { code, stderr } = await runOperator(args, { env });
      expect(code, stderr).to.equal(0);
      await newestCheckpoint(copy.url, 11);
      await stopped(started);
      history = await place.read(copy.url);
    });

    after(async () => {
      for (const each of discards) await each();
      await discard();
    });

    const copyOf = async (events = history): Promise<Kept> => {
      const copy = await copied(changed);
      discards.push(copy.discard);
      await place.write(copy.url, events);
      return copy;
    };

    /** A checkpoint that the old key signs after all, of so many events. */
    const signedLate = (size: number): string => right(signCheckpoint({ size, root: Buffer.alloc(32, size) }, old));

    it('is as it was: all checkpoints fit, also the one that somebody kept from before', async () => {
      const copy = await copyOf();
      const file = path.join(tmpdir(), `${path.basename(copy.dataDir)}.checkpoint`);
      await writeFile(file, service.checkpoint);
      expect(await verified(settings, copy, '--against', file)).to.deep.include({ code: 0, faults: [] });
      expect(await verified(settings, copy, '--against', file, '--key', service.key)).to.include({ code: 0 });
      await rm(file);
    });

    it('is found when the old key signs more events', async () => {
      const copy = await copyOf();
      await runSql(
        copy.url,
        `insert into seal.checkpoint (origin, size, note) values ('${ORIGIN}', 12, '${signedLate(12)}')`,
      );
      expectFound(await verified(settings, copy), [
        `checkpoint-invalid: the checkpoint of 12 events of ${ORIGIN}, kept in Postgres, is not valid: its key was replaced after 10 events`,
      ]);
      const started = await running(settings, copy);
      await expectWarning(started, WARNING);
      await stopped(started);
    });

    it('is found when somebody hands in a checkpoint that the old key has signed since', async () => {
      const copy = await copyOf();
      const file = path.join(tmpdir(), `${path.basename(copy.dataDir)}.checkpoint`);
      for (const [size, said] of [
        [12, 'its key was replaced after 10 events, and it is not of the log of these'],
        [10, 'its key was replaced after 10 events, and it is not of the log of these'],
      ] as const) {
        await writeFile(file, signedLate(size));
        const { code, counts } = await verified(settings, copy, '--against', file);
        expect([code, counts]).to.deep.equal([1, { stderr: `${file}: ${said}\n` }]);
      }
      await writeFile(file, signedLate(9));
      expectFound(await verified(settings, copy, '--against', file), ['checkpoint-differs:']);
      await rm(file);
    });

    it('is found when who has the old key and the key of the events brings in another one', async () => {
      const store = makeInMemoryEventStore();
      const decided = history.filter(({ stream }) => stream === SEAL_STREAM);
      for (const [at, { id, type, data, metadata }] of decided.entries())
        right(await store.append(SEAL_STREAM, at === 0 ? 'no-stream' : BigInt(at - 1), [{ id, type, data, metadata }]));
      const stranger = right(parseSigner((await runOperator(['log', 'new-key', ORIGIN])).stdout.trim()));
      const last = right(openCheckpoint(Buffer.from(service.checkpoint), [old.verifier]));
      const because = { reason: 'forged', actor: 'olga', at: '2026-01-01T00:00:00.000Z' };
      right(
        await recordKeyChange(
          systemRuntime,
          store,
          { by: old, with: stranger, last, ...because },
          makeEventKey(EVENT_KEY),
        ),
      );
      const { position: _, ...forged } = (await wholeLog(store)).at(-1) as StoredEvent; // reason: it was just recorded
      const copy = await copyOf([...history, forged]);
      expectFound(await verified(settings, copy), [
        'key-change-unsigned: the event says that the key of the checkpoints was replaced, and the key in force has not signed that',
      ]);
    });

    it('is found when the change is taken away, with what was signed since', async () => {
      const copy = await copyOf(history.slice(0, -1));
      await runSql(
        copy.url,
        `alter table seal.checkpoint disable trigger all`,
        `delete from seal.checkpoint where size > 10`,
      );
      await rm(path.join(copy.dataDir, 'files', 'checkpoints'), { recursive: true });
      expectFound(await verified(settings, copy), ['end-cut:', 'checkpoint-unknown-key:']);
    });
  });
