import { spawnSync } from 'node:child_process';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { canonicalJson, type JsonObject } from '../../src/event-sourcing/canonical-json.js';
import { makeEventKey } from '../../src/event-sourcing/event-key.js';
import type { StoredEvent, StreamName } from '../../src/event-sourcing/recorded-event.js';
import { parseSigner, renderSigner, signerOf } from '../../src/seal/note-key.js';
import { signCheckpoint } from '../../src/seal/checkpoint.js';
import { recordSkip } from '../../projections/engine/parked/record-skip.js';
import { recordRestart } from '../../src/sealing/restart.js';
import { wholeLog } from '../support/chained-events.js';
import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import { needs } from '../support/needs.js';
import { runOperator } from '../support/operator.js';
import { startingPostgres } from '../support/postgres.js';
import { hasPython } from '../support/python.js';
import { right } from '../support/sealed-tree.js';
import { tokenFor } from '../support/service-process.js';
import { expectFound, type Found, expectWarning, verified, warningsOf } from './found.js';
import {
  changed,
  type HistoryEvent,
  objectOf,
  rechained,
  removed,
  swapped,
  type Tamper,
  withMetadata,
} from './history.js';
import { HIDING, places, type Place, runSql } from './places.js';
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

const insert =
  (at: number, make: (history: ReadonlyArray<HistoryEvent>) => HistoryEvent): Tamper =>
  (history) =>
    history.toSpliced(at, 0, make(history));

/** As somebody does it who wants nobody to know what the event said: its chain stays intact. */
const withoutData = (event: HistoryEvent): HistoryEvent => {
  const { salt: _salt, ...rest } = objectOf(event.metadata);
  return { ...event, data: '{}', metadata: canonicalJson(rest) };
};

const ANOTHER_ID = '0198f000-0000-4000-8000-00000000beef';

/** An event by somebody who has no key, behind all others. */
const madeUp = (
  history: ReadonlyArray<HistoryEvent>,
  stream: string,
  type: string,
  data: JsonObject,
  schemaVersion = 1,
): ReadonlyArray<HistoryEvent> => {
  const { mac: _mac, ...envelope } = objectOf(history.at(-1)!.metadata);
  const metadata = canonicalJson({ ...envelope, schemaVersion });
  // reason: callers give names of streams
  const place = { stream: stream as StreamName, revision: 0n };
  const event = { id: ANOTHER_ID, ...place, type, data: canonicalJson(data), metadata };
  return rechained([...history, event], stream, 'kept');
};

/** What is done to the log itself by somebody who can write into its database. */
const inTheLog: ReadonlyArray<{
  readonly what: string;
  readonly tamper: (service: SealedService) => Tamper;
  /** What `log verify` names, as it begins. */
  readonly found: ReadonlyArray<string>;
}> = [
  {
    what: 'one byte of the data of an old event is changed',
    tamper: () => changed(0, (event) => ({ ...event, data: event.data.replace('first', 'First') })),
    found: ['chain-broken: dataHash does not match data'],
  },
  {
    what: 'the actor of an event is changed',
    tamper: () => changed(4, (event) => withMetadata(event, { actor: 'mallory' })),
    found: ['chain-broken: hash does not match the event', 'mac-mismatch: mac does not fit'],
  },
  {
    what: 'the time of an event is changed',
    tamper: () => changed(4, (event) => withMetadata(event, { at: '2020-01-01T00:00:00.000Z' })),
    found: ['chain-broken: hash does not match the event', 'mac-mismatch: mac does not fit'],
  },
  {
    what: 'the type of an event is changed',
    tamper: () => changed(4, (event) => ({ ...event, type: 'BusinessDeleted' })),
    found: ['chain-broken: hash does not match the event', 'mac-mismatch: mac does not fit'],
  },
  {
    what: 'the salt of an event is replaced',
    tamper: () => changed(4, (event) => withMetadata(event, { salt: 'AAAAAAAAAAAAAAAAAAAAAA' })),
    found: ['chain-broken: dataHash does not match data'],
  },
  {
    what: 'the data of an event is withheld, and its salt is left',
    tamper: () => changed(4, (event) => ({ ...event, data: '{}' })),
    found: ['chain-broken: dataHash does not match data'],
  },
  {
    what: 'the mac of an event is taken out',
    tamper: () =>
      changed(4, (event) => {
        const { mac: _mac, ...rest } = objectOf(event.metadata);
        return { ...event, metadata: canonicalJson(rest) };
      }),
    found: ['chain-broken: hash does not match the event', 'mac-missing: mac is missing'],
  },
  {
    what: 'the end of a stream is cut, and nothing is behind it',
    tamper: () => removed((_, index) => index === 9),
    found: ['end-cut:'],
  },
  {
    what: 'the end of a stream is cut, and other events are behind it',
    tamper: ({ streams }) => removed(({ stream, revision }) => stream === streams.second && revision > 0n),
    found: ['event-removed:'],
  },
  {
    what: 'a whole stream is removed',
    tamper: ({ streams }) => removed(({ stream }) => stream === streams.second),
    found: ['event-removed:'],
  },
  {
    what: 'an event in the middle of a stream is removed, and the chain is computed anew',
    tamper:
      ({ streams }) =>
      (history) =>
        rechained(removed((_, index) => index === 5)(history), streams.first, 'kept'),
    found: ['mac-mismatch: mac does not fit', 'event-'],
  },
  {
    what: 'a stream is forged: another actor, another payload, all hashes computed anew',
    tamper:
      ({ streams }) =>
      (history) =>
        rechained(
          changed(4, (event) => withMetadata({ ...event, data: '{"changes":{"phone":"666"}}' }, { actor: 'mallory' }))(
            history,
          ),
          streams.first,
          'kept',
        ),
    found: ['mac-mismatch: mac does not fit', 'event-changed:'],
  },
  {
    what: 'a stream is forged, without any mac',
    tamper:
      ({ streams }) =>
      (history) =>
        rechained(changed(7, (event) => withMetadata(event, { actor: 'mallory' }))(history), streams.second, 'none'),
    found: ['mac-missing: mac is missing', 'event-changed:'],
  },
  {
    what: 'the stream of the first event is forged, without any mac',
    tamper:
      ({ streams }) =>
      (history) =>
        rechained(changed(4, (event) => withMetadata(event, { actor: 'mallory' }))(history), streams.first, 'none'),
    found: ['mac-missing: mac is missing', 'event-changed:'],
  },
  {
    what: 'an event without a mac is put before all others, and then one is appended in the name of bob without one',
    tamper:
      ({ streams }) =>
      (history) => {
        const before = { ...history[0]!, id: ANOTHER_ID, stream: 'operations-setup' as const };
        const behind = { ...history.at(-1)!, id: ANOTHER_ID.replace('beef', 'bee0') };
        const forged = rechained([before, ...history], before.stream, 'none');
        const { mac: _mac, ...envelope } = objectOf(behind.metadata);
        return rechained([...forged, { ...behind, metadata: canonicalJson(envelope) }], streams.first, 'kept');
      },
    found: ['mac-missing: mac is missing'],
  },
  {
    what: 'it is said that events may have no mac, by somebody who has no key, and one is appended without',
    tamper:
      ({ streams }) =>
      (history) => {
        const last = history.at(-1)!;
        const said = {
          ...{ ...last, id: ANOTHER_ID, stream: 'operations-seal' as const, type: 'EventMacRequired', revision: 0n },
          data: canonicalJson({ keyId: makeEventKey(EVENT_KEY).id, from: 100 }),
        };
        const decided = withMetadata(said, { schemaVersion: 2 });
        const { mac: _mac, ...envelope } = objectOf(last.metadata);
        const forged = { ...last, id: ANOTHER_ID.replace('beef', 'bee0'), metadata: canonicalJson(envelope) };
        return rechained(rechained([...history, decided, forged], 'operations-seal', 'none'), streams.first, 'kept');
      },
    found: ['mac-missing: mac is missing'],
  },
  {
    what: 'the data of an event is taken out together with its salt',
    tamper: () => changed(4, withoutData),
    found: [
      'data-missing: the data of the event and its salt were taken out of the log',
      'event-changed: the data of the event was taken out of the log, and the ledger still has it',
    ],
  },
  {
    what: 'the data of an event is taken out, and an erasure is made up in its stream',
    tamper:
      ({ streams }) =>
      (history) =>
        madeUp(changed(4, withoutData)(history), streams.first, 'BusinessErased', { events: 'all', basis: 'a claim' }),
    found: [
      'mac-missing: mac is missing',
      'data-missing: the data of the event and its salt were taken out of the log',
    ],
  },
  {
    what: 'the data of an event is taken out, and the beginning of an erasure is made up',
    tamper:
      ({ streams }) =>
      (history) => {
        const data = { records: [{ stream: streams.first, events: 'all' }], basis: 'a claim' };
        return madeUp(changed(4, withoutData)(history), 'operations-erasure', 'ErasureBegun', data, 2);
      },
    found: [
      'mac-missing: mac is missing',
      'data-missing: the data of the event and its salt were taken out of the log',
    ],
  },
  ...(
    [
      ['a member stands twice in its data', /"phone":/, '"phone":"forged","phone":', 'data'],
      ['a space is put into its data', /:/, ': ', 'data'],
      ['a text in its data is spelled by an escape', /"1"/, '"\\u0031"', 'data'],
      ['a second actor is put into its envelope', /"actor":/, '"actor":"mallory","actor":', 'metadata'],
    ] as const
  ).map(([what, from, to, where]) => ({
    what: `an event says the same in another spelling: ${what}`,
    tamper: () => changed(4, (event) => ({ ...event, [where]: event[where].replace(from, to) })),
    found: [`chain-broken: ${where} is spelled in another way than it was sealed`],
  })),
  {
    what: 'an event is appended in the name of another, with a chain that is intact',
    tamper:
      ({ streams }) =>
      (history) => {
        const last = history.at(-1)!;
        const { mac: _mac, ...envelope } = objectOf(last.metadata);
        const forged = { ...last, id: ANOTHER_ID, metadata: canonicalJson({ ...envelope, actor: 'alice' }) };
        return rechained([...history, forged], streams.first, 'kept');
      },
    found: ['mac-missing: mac is missing'],
  },
  {
    what: 'an event is appended with the mac of a key that is made up',
    tamper:
      ({ streams }) =>
      (history) =>
        rechained(
          [...history, { ...history.at(-1)!, id: ANOTHER_ID }],
          streams.first,
          makeEventKey('a key that is made up, of more than 32 bytes'),
        ),
    found: ['mac-unknown-key: mac is of an unknown key'],
  },
  {
    what: 'two events of a stream are swapped',
    tamper: () => swapped(4, 5),
    found: ['chain-broken:'],
  },
  {
    what: 'two events of different streams are swapped, and every chain is intact',
    tamper: () => swapped(6, 7),
    found: ['event-'],
  },
  {
    what: 'an event is inserted into a stream, and its chain is computed anew',
    tamper:
      ({ streams }) =>
      (history) =>
        rechained(insert(5, (all) => ({ ...all[4]!, id: ANOTHER_ID }))(history), streams.first, 'kept'),
    found: ['mac-mismatch: mac does not fit', 'event-'],
  },
  {
    what: 'a stream that never was is inserted',
    tamper: () => (history) => {
      const stream = `business-${ANOTHER_ID}` as const;
      return rechained(insert(4, (all) => ({ ...all[0]!, id: ANOTHER_ID, stream }))(history), stream, 'none');
    },
    found: ['mac-missing: mac is missing', 'event-inserted:'],
  },
  {
    what: 'the log is taken back to what it was before the last events',
    tamper: () => (history) => history.slice(0, 4),
    found: ['end-cut:'],
  },
];

/** What is done to what the service keeps of its log. */
const beside: ReadonlyArray<{
  readonly what: string;
  readonly tamper: (kept: Kept, service: SealedService) => Promise<unknown>;
  readonly found: ReadonlyArray<string>;
}> = [
  {
    what: 'a row of the ledger is changed',
    tamper: ({ url }) => runSql(url, `update read_model.ledger set actor = 'mallory' where idx = 5`),
    found: ['ledger-changed:'],
  },
  {
    what: 'a row of the ledger is removed',
    tamper: ({ url }) => runSql(url, `delete from read_model.ledger where idx = 5`),
    found: ['ledger-missing:'],
  },
  {
    what: 'a tile is changed',
    tamper: ({ url }) =>
      runSql(url, `update read_model.tile set hashes = set_byte(hashes, 70, get_byte(hashes, 70) # 1) where level = 0`),
    found: ['tile-changed:'],
  },
  {
    what: 'two hashes of a tile are swapped',
    tamper: ({ url }) =>
      runSql(
        url,
        `update read_model.tile set hashes = substr(hashes, 33, 32) || substr(hashes, 1, 32) || substr(hashes, 65) where level = 0`,
      ),
    found: ['tile-changed:'],
  },
  {
    what: 'the last checkpoint is removed from Postgres',
    tamper: ({ url }) =>
      runSql(
        url,
        'alter table seal.checkpoint disable trigger never_changed',
        'delete from seal.checkpoint where size = 10',
      ),
    found: ['checkpoint-missing:'],
  },
  {
    what: 'a checkpoint is forged: signed with another key, as the same origin',
    tamper: async ({ url }) => {
      const signer = signerOf(ORIGIN, Buffer.alloc(32, 1));
      const note =
        signer._tag === 'Right' ? signCheckpoint({ size: 11, root: Buffer.alloc(32) }, signer.right) : signer;
      const text = note._tag === 'Right' ? note.right : '';
      await runSql(url, `insert into seal.checkpoint (origin, size, note) values ('${ORIGIN}', 11, '${text}')`);
    },
    found: ['checkpoint-unknown-key:'],
  },
  {
    what: 'another size is written over the note of a checkpoint',
    tamper: async ({ url }, { checkpoint }) => {
      const note = checkpoint.replace('\n10\n', '\n12\n');
      expect(note).not.to.equal(checkpoint);
      await runSql(url, `insert into seal.checkpoint (origin, size, note) values ('${ORIGIN}', 12, '${note}')`);
    },
    found: ['checkpoint-'],
  },
];

const fileOf = async ({ dataDir }: Kept, { history, streams }: SealedService, stream: 'document' | 'other') => {
  const created = history.find((event) => event.stream === streams[stream]);
  // reason: the event of a document that was created with a file
  const { key } = objectOf(created?.data ?? '')['file'] as { readonly key: string };
  const name = key.replaceAll('/', '_');
  const objects = path.join(dataDir, 'files', 'objects');
  const found = (await readdir(objects, { recursive: true })).find((entry) => path.basename(entry) === name);
  return path.join(objects, found ?? name);
};

const inTheFiles: ReadonlyArray<{
  readonly what: string;
  readonly tamper: (kept: Kept, service: SealedService) => Promise<unknown>;
  readonly found: ReadonlyArray<RegExp>;
}> = [
  {
    what: 'one byte of a file is changed',
    tamper: async (kept, service) => {
      const file = await fileOf(kept, service, 'document');
      const content = await readFile(file);
      content[3]! ^= 1;
      await rm(file);
      await writeFile(file, content);
    },
    found: [/different/],
  },
  {
    what: 'a file is removed',
    tamper: async (kept, service) => rm(await fileOf(kept, service, 'document')),
    found: [/missing/],
  },
  {
    what: 'two files are swapped',
    tamper: async (kept, service) => {
      const [one, other] = [await fileOf(kept, service, 'document'), await fileOf(kept, service, 'other')];
      const [content, another] = [await readFile(one), await readFile(other)];
      for (const [file, bytes] of [
        [one, another],
        [other, content],
      ] as const) {
        await rm(file);
        await writeFile(file, bytes);
      }
    },
    found: [/different/, /different/],
  },
];

const all = Object.entries(places);

for (const [name, openPlace] of all)
  describe(`tampering with a service whose log is in ${name}`, function () {
    this.timeout(startingPostgres * 3);
    let place: Place;
    let service: SealedService;
    let discard: () => Promise<void>;
    let discards: Array<() => Promise<void>>;

    before(async () => {
      ({ place, service, discard } = await openSealedService(openPlace));
      discards = [];
    });

    after(() => discard());

    afterEach(async () => {
      for (const discard of discards.splice(0)) await discard();
    });

    const copyOf = async (kept: Kept = service.now): Promise<Kept> => {
      const copy = await copied(kept);
      discards.push(copy.discard);
      await place.write(copy.url, service.history);
      return copy;
    };

    it('is not found where nobody has tampered', async () => {
      const { code, faults, counts } = await verified(service.settings, await copyOf());
      expect([code, faults]).to.deep.equal([0, []]);
      expect(counts).to.include({ events: 10, withMac: 10 });
    });

    for (const { what, tamper, found } of inTheLog)
      it(`is found by log verify when ${what}`, async () => {
        const copy = await copyOf();
        await place.write(copy.url, tamper(service)(service.history));
        expectFound(await verified(service.settings, copy), found);
      });

    for (const way of name === 'EventStoreDB' ? HIDING : [])
      it(`is found by log verify when a stream is deleted there (${way}), of which the log still has the events`, async () => {
        const copy = await copyOf();
        place.hide?.[way](service.streams.second);
        expectFound(await verified(service.settings, copy), ['stream-truncated: the stream was deleted in the store:']);
      });

    for (const { what, tamper, found } of beside)
      it(`is found by log verify when ${what}`, async () => {
        const copy = await copyOf();
        await tamper(copy, service);
        expectFound(await verified(service.settings, copy), found);
      });

    for (const { what, tamper, found } of inTheFiles)
      it(`is found by files verify when ${what}`, async () => {
        const copy = await copyOf();
        await tamper(copy, service);
        const env = { ...service.settings, DATABASE_URL: copy.url, DATA_DIR: copy.dataDir };
        const { code, stdout } = await runOperator(['files', 'verify'], { env });
        expect(code).to.equal(1);
        const lines = stdout.split('\n');
        for (const [index, line] of found.entries()) expect(lines[index]).to.match(line);
      });

    for (const [what, from, to] of [
      ['the user', '"user":"bob"', '"user":"eve"'],
      ['the time', /"at":"20(\d\d)-/, '"at":"19$1-'],
      ['a value', '"phone":"1"', '"phone":"9"'],
    ] as const)
      it(`is found by verify.py when ${what} of an event is changed in an answer of the API`, async function () {
        needs(this, hasPython(), 'python3, in which the verifier is written');
        const file = path.join(service.now.dataDir, 'answer.json');
        const check = async (answer: string): Promise<number> => {
          await writeFile(file, answer);
          return spawnSync('python3', ['verifiers/verify.py', 'events', file]).status ?? -1;
        };
        const tampered = service.answer.replace(from, to);
        expect(tampered).not.to.equal(service.answer);
        expect([await check(service.answer), await check(tampered)]).to.deep.equal([0, 1]);
        await rm(file);
      });

    it('is found when the whole database is taken back to a backup, by what the file storage keeps', async () => {
      const copy = await copyOf({ ...service.earlier, dataDir: service.now.dataDir });
      await place.write(copy.url, service.history.slice(0, service.earlier.events));
      expectFound(await verified(service.settings, copy), ['checkpoint-beyond-log:']);
    });

    /** Starts the service on a log and nothing else, so that it makes and signs everything anew. */
    const begunAnew = async (history: ReadonlyArray<HistoryEvent>, storage: 'kept' | 'lost') => {
      const copy = await copyOf();
      await place.write(copy.url, history);
      await runSql(copy.url, 'drop schema read_model cascade', 'drop schema seal cascade');
      if (storage === 'lost') await rm(path.join(copy.dataDir, 'files', 'checkpoints'), { recursive: true });
      const started = await running(service.settings, copy);
      return { copy, started };
    };

    /** A history in which bob's first change says something else, with all that the event key can make right. */
    const rewritten = (): ReadonlyArray<HistoryEvent> =>
      rechained(
        changed(4, (event) => ({ ...event, data: event.data.replace('"1"', '"7"') }))(service.history),
        service.streams.first,
        makeEventKey(EVENT_KEY),
      );

    const WARNING = 'no checkpoint is signed: the log does not extend what was signed before';

    /** That the seal was restarted, sealed with the event key, and signed with this key. */
    const restart = async (key: string): Promise<HistoryEvent> => {
      const store = makeInMemoryEventStore();
      const said = { actor: 'olga', at: '2026-01-01T00:00:00.000Z', reason: 'restored a backup' };
      const { origin, replaced } = { origin: `${ORIGIN}/2`, replaced: ORIGIN };
      const signer = right(parseSigner(key));
      right(await recordRestart(systemRuntime, store, { ...said, origin, replaced }, signer, makeEventKey(EVENT_KEY)));
      const [{ position: _, ...event }] = (await wholeLog(store)) as [StoredEvent]; // reason: it was just recorded
      return event;
    };

    const strangersKey = (): string => renderSigner(right(signerOf(ORIGIN, Buffer.alloc(32, 1))));

    describe('by somebody who has the database and the signing key', () => {
      it('is found by log verify, by the macs, though all checkpoints fit', async () => {
        const forged = rechained(
          changed(4, (event) => ({ ...event, data: event.data.replace('"1"', '"7"') }))(service.history),
          service.streams.first,
          'kept',
        );
        const { copy, started } = await begunAnew(
          [...forged, await restart(service.settings['CHECKPOINT_KEY']!)],
          'kept',
        );
        await newestCheckpoint(copy.url, 11);
        await stopped(started);
        const found = await verified(service.settings, copy);
        expectFound(found, ['mac-mismatch: mac does not fit']);
        expect(found.faults.filter((fault) => fault.startsWith('checkpoint-'))).to.deep.equal([]);
      });
    });

    describe('by somebody who has the database, the event key and the signing key', () => {
      it('is found where the file storage is out of reach, by the service and by log verify', async () => {
        const { copy, started } = await begunAnew(rewritten(), 'kept');
        await expectWarning(started, WARNING);
        await stopped(started);
        expectFound(await verified(service.settings, copy), ['checkpoint-differs:']);
      });

      it('is named as a restart of the seal where one is recorded, and found by who kept a checkpoint', async () => {
        const { copy, started } = await begunAnew(
          [...rewritten(), await restart(service.settings['CHECKPOINT_KEY']!)],
          'kept',
        );
        await newestCheckpoint(copy.url, 11);
        expect(await warningsOf(started)).to.deep.equal([]);
        await stopped(started);
        const { code, counts } = await verified(service.settings, copy);
        expect(code).to.equal(0);
        expect(counts).to.deep.include({
          restarts: [
            {
              ...{ origin: `${ORIGIN}/2`, replaced: ORIGIN, reason: 'restored a backup' },
              ...{ actor: 'olga', at: '2026-01-01T00:00:00.000Z' },
            },
          ],
        });
        const file = path.join(tmpdir(), `${path.basename(copy.dataDir)}.checkpoint`);
        await writeFile(file, service.checkpoint);
        const against = await verified(service.settings, copy, '--against', file, '--key', service.key);
        expectFound(against, ['checkpoint-differs:']);
        await rm(file);
      });

      it('is found by who kept a checkpoint, and by nobody else, where the storage is in reach', async () => {
        const { copy, started } = await begunAnew(rewritten(), 'lost');
        await newestCheckpoint(copy.url, 10);
        await stopped(started);
        expect(await verified(service.settings, copy)).to.include({ code: 0 });
        const file = path.join(tmpdir(), path.basename(copy.dataDir) + '.checkpoint');
        await writeFile(file, service.checkpoint);
        expectFound(await verified(service.settings, copy, '--against', file), ['checkpoint-differs:']);
        await rm(file);
      });
    });

    describe('by somebody who has the database and the event key', () => {
      it('is found when events are written anew, and a restart of the seal is recorded that is not signed', async () => {
        const { copy, started } = await begunAnew([...rewritten(), await restart(strangersKey())], 'kept');
        await expectWarning(started, WARNING);
        await stopped(started);
        const { rows } = await runSql(copy.url, 'select 1 from seal.checkpoint');
        expect(rows).to.deep.equal([]);
        expectFound(await verified(service.settings, copy), ['restart-unsigned:', 'checkpoint-differs:']);
      });

      it('is not found when an event is appended at the end: who has the key can speak in the name of all', async () => {
        const copy = await copyOf();
        const forged = withMetadata({ ...service.history.at(-1)!, id: ANOTHER_ID }, { actor: 'alice' });
        await place.write(
          copy.url,
          rechained([...service.history, forged], service.streams.first, makeEventKey(EVENT_KEY)),
        );
        expect(await verified(service.settings, copy)).to.deep.include({ code: 0, faults: [] });
      });
    });

    describe('by somebody who has the database alone, of a decision of operators', () => {
      /** That an event is skipped, as `ops projections parked skip` records it, at the end of the log. */
      const decision = async (): Promise<HistoryEvent> => {
        const store = makeInMemoryEventStore();
        const { stream, revision, id: eventId } = service.history[4]!;
        const skipped = { stream, revision, eventId };
        const by = { actor: 'olga', reason: 'tried', at: new Date('2026-01-01T00:00:00.000Z') };
        right(await recordSkip(systemRuntime, store, 'businesses', skipped, by, makeEventKey(EVENT_KEY)));
        const [{ position: _, ...event }] = (await wholeLog(store)) as [StoredEvent]; // reason: it was just recorded
        return event;
      };

      /** What is found when a log with the decision, signed and shown to auditors, is tampered with. */
      const foundIn = async (tamper: Tamper): Promise<Found> => {
        const history = [...service.history, await decision()];
        const { copy, started } = await begunAnew(history, 'kept');
        await newestCheckpoint(copy.url, 11);
        const headers = { Authorization: `Bearer ${await tokenFor('admin', 'alice')}` };
        const listed = await fetch(`${started.address}/audit/v1/events?entityType=Decision`, { headers });
        expect(await listed.json()).to.have.nested.property('0.name', 'ProjectionEventSkipped');
        await stopped(started);
        expect(await verified(service.settings, copy)).to.include({ code: 0 });
        await place.write(copy.url, tamper(history));
        return verified(service.settings, copy);
      };

      it('is found when it is removed', async () => {
        expectFound(await foundIn((history) => history.slice(0, -1)), ['end-cut:', 'checkpoint-beyond-log:']);
      });

      it('is found when it is moved', async () => {
        expectFound(await foundIn((history) => [...history.slice(0, 5), history.at(-1)!, ...history.slice(5, -1)]), [
          'event-moved:',
          'checkpoint-differs:',
        ]);
      });

      it('is found when somebody without the key makes one up', async () => {
        expectFound(
          await foundIn((history) => {
            const last = history.at(-1)!;
            return rechained([...history, { ...last, id: ANOTHER_ID }], last.stream, 'none');
          }),
          ['mac-missing: mac is missing', 'event-'],
        );
      });
    });

    describe('by somebody who has the database alone', () => {
      it('is found when all is made anew, as far as that goes without keys', async () => {
        const history = rechained(rewritten(), service.streams.first, 'kept').map((event) =>
          event.stream === service.streams.first ? withMetadata(event, {}) : event,
        );
        const another = signerOf(ORIGIN, Buffer.alloc(32, 1));
        expect(another._tag === 'Right' && renderSigner(another.right)).to.be.a('string');
        const forged = changed(4, (event) => withMetadata(event, { actor: 'mallory' }))(history);
        const { copy, started } = await begunAnew(rechained(forged, service.streams.first, 'kept'), 'kept');
        await stopped(started);
        expectFound(await verified(service.settings, copy), ['mac-mismatch: mac does not fit', 'checkpoint-differs:']);
      });
    });
  });
