import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { documentStream } from '../../src/application/document/execute-document.js';
import { newFileKey } from '../../src/application/document/file-key.js';
import { backedUpLog } from '../../src/backup/backed-up-log.js';
import { readManifest } from '../../src/backup/backup-place.js';
import { type Lacking, type Manifest, renderManifest } from '../../src/backup/manifest.js';
import { findBehind, restoreBackup } from '../../src/backup/restore-backup.js';
import type { Secret } from '../../src/backup/secrets.js';
import { type BackupFinding, type VerifiedBackup, verifyBackup } from '../../src/backup/verify-backup.js';
import { type BackupSources, writeBackup } from '../../src/backup/write-backup.js';
import type { StoredFile } from '../../src/domain/document/events.js';
import { checkpointAt } from '../../src/event-sourcing/recorded-event.js';
import { ERASURE_STREAM, SEAL_STREAM } from '../../src/event-sourcing/operators/decision-events.js';
import type { SignedCheckpoint } from '../../src/read/sealed-tree.js';
import { renderVerifier, type Signer } from '../../src/seal/note-key.js';
import { wholeLog, withoutPositions } from '../support/chained-events.js';
import { aDocumentCreated, aDocumentReverted, aDocumentUpdated } from '../support/document-events.js';
import { FakeObjectStorage } from '../support/fake-object-storage.js';
import { givenStream } from '../support/given-stream.js';
import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import { makeMemoryArchive } from '../support/memory-archive.js';
import { makeMemoryTimestamps } from '../support/memory-timestamps.js';
import { makeMemoryBackupPlace } from '../support/memory-backup-place.js';
import { checkpointOver, exportedText, leavesOf, SIGNER, signerNamed } from '../support/sealed-log.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';
import { makeManualClock } from '../support/manual-clock.js';

const isSealed = ({ stream }: { readonly stream: string }): boolean => stream.startsWith('document-');

const SECRET: Secret = { name: 'event-key', text: 'a secret' };

/** A segment for each page of the log. */
const SMALL = { characters: 1, files: 4_000, fileBytes: 4 * 1024 ** 3 };

describe('a backup', () => {
  let store: ReturnType<typeof makeInMemoryEventStore>;
  let storage: FakeObjectStorage;
  let backup: ReturnType<typeof makeMemoryBackupPlace>;
  let lacking: Array<Lacking>;
  let unfit: Array<string>;
  let verified: VerifiedBackup | undefined;
  let count: number;
  beforeEach(() => {
    store = makeInMemoryEventStore();
    storage = new FakeObjectStorage();
    backup = makeMemoryBackupPlace();
    lacking = [];
    unfit = [];
    count = 0;
  });

  const aFile = (content: string): StoredFile => {
    const key = newFileKey(systemRuntime.random, 'a');
    storage.objects.set(key, { size: content.length, content: Buffer.from(content) });
    const sha256 = createHash('sha256').update(content).digest('hex');
    return { key, size: content.length, sha256, mimeType: 'text/plain', originalName: 'a' };
  };

  /** So many documents more; every hundredth has a file, whose key is given. */
  const given = async (documents: number): Promise<ReadonlyArray<string>> => {
    const keys: Array<string> = [];
    for (let end = count + documents; count < end; count += 1) {
      const file = count % 100 === 0 ? aFile(`file ${count}`) : null;
      if (file !== null) keys.push(file.key);
      await givenStream(store, documentStream(String(count)), [aDocumentCreated({ file })]);
    }
    return keys;
  };

  const sources = (): BackupSources => ({
    ...{
      store,
      files: storage,
      archive: makeMemoryArchive(),
      timestamps: makeMemoryTimestamps(),
      seal: null,
      isSealed,
      keys: [],
      open: (events) => events,
    },
    recorded: async function* () {
      // nothing was signed
    },
    secrets: () => Promise.resolve([SECRET]),
    program: '1.2.3',
    clock: makeManualClock(new Date(0)),
  });

  const write = (
    over: Partial<BackupSources> = {},
    {
      signal = new AbortController().signal,
      onEvents = (_events: number): void => undefined,
      place = backup.place,
      allowsMissing = false,
    } = {},
  ) =>
    writeBackup({ ...sources(), ...over }, place, {
      onUnfit: ({ size }, reason) => unfit.push(`${size}: ${reason}`),
      onLacking: (one) => lacking.push(one),
      onEvents,
      allowsMissing,
      signal,
      limits: SMALL,
    });

  const written = async (...args: Parameters<typeof write>) => {
    const outcome = await write(...args);
    if (E.isLeft(outcome)) throw outcome.left;
    return outcome.right;
  };

  const manifest = (): Promise<Manifest> => readManifest(backup.place);

  const verify = async (
    withSecrets = true,
    {
      signal = new AbortController().signal,
      onEvents = (_events: number): void => undefined,
      place = backup.place,
      withFiles = true,
    } = {},
  ): Promise<ReadonlyArray<BackupFinding>> => {
    const findings: Array<BackupFinding> = [];
    verified = await verifyBackup(place, await manifest(), {
      ...{ random: systemRuntime.random, isSealed, keys: [], open: (events) => events, withFiles, withSecrets },
      onFinding: (finding) => findings.push(finding),
      onEvents,
      signal,
    });
    expect(verified.faults).to.equal(findings.length);
    return findings;
  };

  const emptyTarget = () => ({
    ...{ log: makeInMemoryEventStore(), files: new FakeObjectStorage(), archive: makeMemoryArchive() },
    timestamps: makeMemoryTimestamps(),
    record: () => Promise.resolve(),
  });

  const restore = async (
    target: ReturnType<typeof emptyTarget>,
    signal = new AbortController().signal,
    goesOn = false,
    onFiles = (_events: number): void => undefined,
  ) =>
    restoreBackup(backup.place, await manifest(), target, {
      ...{ runtime: systemRuntime, goesOn, open: (events) => events, signal, onEvents: () => undefined, onFiles },
      onLacking: (one) => lacking.push(one),
    });

  const linesIn = (name: string): string => gunzipSync(backup.segments.get(name) ?? '').toString();

  it('has the log in segments, its files and its secrets, and is restored as it was', async () => {
    const keys = await given(1_200);
    const { events, files } = await written();
    expect([events, files]).to.deep.equal([1_200, 12]);
    const { segments, isComplete, secrets } = await manifest();
    expect(segments.map(({ events: each }) => each)).to.deep.equal([500, 500, 200]);
    expect([isComplete, secrets.map(({ name }) => name)]).to.deep.equal([true, [SECRET.name]]);
    expect(segments.map(({ name }) => linesIn(name)).join('')).to.equal(await exportedText(store, true));
    expect(await verify()).to.deep.equal([]);
    const target = emptyTarget();
    expect(await restore(target)).to.deep.include({ _tag: 'Right' });
    expect(withoutPositions(await wholeLog(target.log))).to.deep.equal(withoutPositions(await wholeLog(store)));
    expect([...target.files.objects.keys()]).to.have.members(keys);
  });

  it('has a file that two events name, whole and once, and those of a deleted document', async () => {
    const [first, second] = [aFile('first'), aFile('second')];
    const events = [aDocumentCreated({ file: first }), aDocumentUpdated({ file: second }), aDocumentReverted(first)];
    await givenStream(store, documentStream('a'), ...events.map((event) => [event] as const), [
      { type: 'DocumentDeleted', data: {} },
    ]);
    expect((await written()).files).to.equal(3);
    expect(await verify()).to.deep.equal([]);
    const target = emptyTarget();
    const restored = await restore(target);
    expect(E.isRight(restored) && restored.right).to.deep.include({ events: 4, files: 3, lacking: 0, lost: 0 });
    expect([...target.files.objects].map(([key, { content }]) => [key, content.toString()])).to.have.deep.members([
      [first.key, 'first'],
      [second.key, 'second'],
    ]);
  });

  it('gets only what is new by the next run', async () => {
    await given(600);
    await written();
    const first = backup.segments.get('log/00000001.ndjson.gz');
    await given(300);
    const { events, files } = await written();
    expect([events, files]).to.deep.equal([300, 3]);
    expect(backup.segments.get('log/00000001.ndjson.gz')).to.equal(first);
    expect((await manifest()).segments.map(({ events: each }) => each)).to.deep.equal([500, 100, 300]);
    expect(await verify()).to.deep.equal([]);
  });

  it('of which a run was interrupted is one of less, with its secrets, and goes on', async () => {
    await given(1_200);
    const interrupted = new AbortController();
    await written({}, { signal: interrupted.signal, onEvents: () => interrupted.abort() });
    const { events, isComplete, secrets } = await manifest();
    expect([events, isComplete, secrets.length]).to.deep.equal([500, false, 1]);
    expect(await verify()).to.deep.equal([]);
    expect((await written()).events).to.equal(700);
    expect((await manifest()).isComplete).to.equal(true);
    expect(await verify()).to.deep.equal([]);
  });

  it('is interrupted while it is restored, in the middle of a segment, and goes on', async () => {
    await given(1_200);
    await written();
    const target = emptyTarget();
    const interrupted = new AbortController();
    const { appendInOrder } = target.log;
    let appends = 0;
    const log = {
      ...target.log,
      appendInOrder: (batch: Parameters<typeof appendInOrder>[0]) => {
        if ((appends += 1) === 2) interrupted.abort();
        return appendInOrder(batch);
      },
    };
    const first = await restore({ ...target, log }, interrupted.signal);
    expect(E.isRight(first) && first.right).to.deep.include({ files: 0, isComplete: false });
    const restored = await restore(target, undefined, true);
    expect(E.isRight(restored) && restored.right).to.deep.include({ events: 1_200, files: 12, lost: 0 });
    expect(withoutPositions(await wholeLog(target.log))).to.deep.equal(withoutPositions(await wholeLog(store)));
  });

  it('is not restored whole where that ends among its files', async () => {
    await given(501);
    const archive = makeMemoryArchive();
    archive.kept.push({ origin: 'log.example/events', size: 1, note: 'a note' });
    await written({ archive });
    const target = emptyTarget();
    const ended = new AbortController();
    const first = await restore(target, ended.signal, false, () => ended.abort());
    expect(E.isRight(first) && first.right).to.deep.include({ files: 5, checkpoints: 0, isComplete: false });
    const second = await restore(target, undefined, true);
    expect(E.isRight(second) && second.right).to.deep.include({ files: 6, checkpoints: 1, isComplete: true });
    // those that were there were compared, and not written again
    expect(target.files.completed).to.equal(6);
  });

  it('is not restored into a log that has something else', async () => {
    await given(2);
    await written();
    const target = emptyTarget();
    await givenStream(target.log, documentStream('another'), [aDocumentCreated()]);
    expect(E.isLeft(await restore(target))).to.equal(true);
    expect(await wholeLog(target.log)).to.have.length(1);
  });

  for (const [what, place] of [
    ['checkpoint', 'archive'],
    ['timestamp', 'timestamps'],
  ] as const)
    it(`is not restored where a ${what} cannot be stored, and the reason is said`, async () => {
      await given(1);
      const checkpoint = { origin: 'log.example/events', size: 1, note: 'a note' };
      backup.archive.kept.push(checkpoint);
      backup.timestamps.kept.push({ checkpoint, answer: Buffer.from('an answer') });
      await written();
      const full = { put: () => Promise.resolve(E.left({ _tag: 'StorageUnavailable', cause: 'full' } as const)) };
      const target = emptyTarget();
      const restoring = restore({ ...target, [place]: { ...target[place], ...full } });
      expect(await restoring.catch((error: unknown) => String(error))).to.equal(
        `BackupFault: a ${what} cannot be stored: full`,
      );
    });

  it('gets no event whose chain is broken, and none of another log', async () => {
    await given(2);
    const changed: typeof store.readAll = async function* (range) {
      for await (const { events, checkpoint } of store.readAll(range))
        yield { events: events.map((event) => ({ ...event, data: '{"name":"changed"}' })), checkpoint };
    };
    const broken = await write({ store: { ...store, readAll: changed } });
    expect(E.isLeft(broken) && broken.left.message).to.match(/^the chain of document-0 is broken at revision 0, /);
    expect((await manifest()).events).to.equal(0);
    const other = await write({ store: makeInMemoryEventStore() });
    expect(E.isLeft(other) && other.left.message).to.match(/^it is a backup of another log /);
  });

  it('is read on behind every place of it, each event once', async () => {
    await given(502);
    await written();
    const log = backedUpLog(backup.place, await manifest());
    for (const after of [0n, 1n, 499n, 500n, 501n, 502n]) {
      const positions: Array<bigint> = [];
      for await (const { events } of log.readAll({ after: checkpointAt(after) }))
        positions.push(...events.map(({ position }) => position));
      expect(positions).to.deep.equal(Array.from({ length: 502 - Number(after) }, (_, n) => after + BigInt(n) + 1n));
    }
  });

  /** What of the manifest is different from what was written. */
  const change = async (changes: (written: Manifest) => Partial<Manifest>): Promise<void> => {
    const before = await manifest();
    backup.manifests.push(renderManifest({ ...before, ...changes(before) }));
  };

  it('is named with the line that is none, where its segment and its manifest were made up', async () => {
    await given(1);
    await written();
    const [made] = (await manifest()).segments;
    const bytes = gzipSync('no event\n');
    backup.segments.set(made?.name ?? '', bytes);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    await change(({ segments }) => ({
      segments: segments.map((segment) => ({ ...segment, sha256, bytes: bytes.length })),
    }));
    const [finding] = await verify();
    expect(finding?.reason).to.match(/^log\/00000001\.ndjson\.gz: line 1/);
  });

  it('is one of less where its manifest has lost a segment, which is said', async () => {
    await given(1_200);
    await written();
    await change(({ segments }) => ({ segments: segments.slice(0, -1) }));
    const reason = 'it has 1000 events, the manifest says 1200';
    expect(await verify()).to.deep.equal([{ kind: 'changed', reason }]);
  });

  for (const [what, said] of [
    ['fewer', 3],
    ['more', 1],
  ] as const)
    it(`is not restored where a segment has ${what} events than its manifest says`, async () => {
      await given(2);
      await written();
      await change(({ segments }) => ({ segments: segments.map((segment) => ({ ...segment, events: said })) }));
      const reason = `log/00000001.ndjson.gz has 2 events, the manifest says ${said}`;
      const error = await restore(emptyTarget()).catch((cause: unknown) => String(cause));
      expect(error).to.equal(`BackupFault: ${reason}`);
      expect(await verify()).to.deep.equal([{ kind: 'changed', reason }]);
    });

  it('is not complete while its secrets cannot be written', async () => {
    await given(1);
    await written();
    const broken = { ...backup.place, writeSecret: () => Promise.reject(new Error('full')) };
    const outcome = write({}, { place: broken });
    expect(await outcome.catch((error: unknown) => String(error))).to.equal('Error: full');
    expect((await manifest()).isComplete).to.equal(false);
  });

  it('is verified with its secrets, unless they are left out', async () => {
    await given(1);
    await written();
    backup.secrets.set(SECRET.name, 'another');
    const changed = 'secrets/event-key was changed: its SHA-256 is not that of the manifest';
    expect(await verify()).to.deep.equal([{ kind: 'changed', reason: changed }]);
    backup.secrets.delete(SECRET.name);
    expect(await verify()).to.deep.equal([{ kind: 'changed', reason: 'secrets/event-key is missing' }]);
    expect(await verify(false)).to.deep.equal([]);
    backup.segments.delete('log/00000001.ndjson.gz');
    // one fault does not hide the other
    expect((await verify()).map(({ reason }) => reason)).to.deep.equal([
      'secrets/event-key is missing',
      'log/00000001.ndjson.gz is missing',
    ]);
  });

  it('is verified with its files, unless they are left out', async () => {
    await given(1);
    await written();
    backup.files.objects.clear();
    expect((await verify()).map(({ kind }) => kind)).to.deep.equal(['missing']);
    expect([await verify(true, { withFiles: false }), verified?.files]).to.deep.equal([[], 0]);
  });

  it('is not verified where its place cannot be read, which is no fault of it, unless that was ended', async () => {
    await given(1);
    await written();
    const place = { ...backup.place, openSegment: () => Promise.reject(new Error('EIO')) };
    expect(await verify(true, { place }).catch((error: unknown) => String(error))).to.equal('Error: EIO');
    expect(await verify(true, { place, signal: AbortSignal.abort() })).to.deep.equal([]);
    expect(verified).to.deep.include({ events: 0, isComplete: false });
  });

  it('has no secret in its manifest whose file is not there yet', async () => {
    await given(1);
    await written();
    const writeSecret = async (name: string, text: string): Promise<void> => {
      await backup.place.writeSecret(name, text);
      throw new Error('killed');
    };
    const killed = { ...backup.place, writeSecret };
    const secrets = () => Promise.resolve([{ ...SECRET, text: 'another secret' }]);
    const outcome = write({ secrets }, { place: killed });
    expect(await outcome.catch((error: unknown) => String(error))).to.equal('Error: killed');
    expect(await verify()).to.deep.equal([]);
  });

  describe('of a log that is signed', () => {
    const sealOf = ({ verifier }: Signer) => ({ origin: verifier.name, key: renderVerifier(verifier) });

    const checkpoint = async (signer: Signer): Promise<SignedCheckpoint> => {
      const leaves = leavesOf(await wholeLog(store));
      return { origin: signer.verifier.name, size: leaves.length, note: checkpointOver(leaves, signer) };
    };

    const recording = (...checkpoints: ReadonlyArray<SignedCheckpoint>) => ({
      recorded: () => Readable.from(checkpoints) as AsyncIterable<SignedCheckpoint>, // reason: it gives what it is made of
    });

    it('has its checkpoints; those of a key before are counted, and are no fault', async () => {
      await given(2);
      const before = signerNamed('log.example/before', 'the key before');
      const both = recording(await checkpoint(before), await checkpoint(SIGNER));
      await written({ ...both, seal: sealOf(SIGNER) });
      expect(await verify()).to.deep.equal([]);
      expect([verified?.checkpoints, verified?.compared]).to.deep.equal([2, 1]);
    });

    it('has none of events that came while it was made, which are those of the next', async () => {
      await given(2);
      const recorded = [await checkpoint(SIGNER)];
      const archive = makeMemoryArchive();
      const timestamps = makeMemoryTimestamps();
      const signed = async (): Promise<void> => {
        const latest = await checkpoint(SIGNER);
        archive.kept.push(latest);
        timestamps.kept.push({ checkpoint: latest, answer: Buffer.from('an answer') });
      };
      await signed();
      const head: typeof store.head = async () => {
        const before = await store.head();
        await given(1);
        await signed();
        recorded.push(await checkpoint(SIGNER));
        return before;
      };
      const sizes = () => [
        ...backup.archive.kept.map(({ size }) => size),
        ...backup.timestamps.kept.map((stamped) => stamped.checkpoint.size),
      ];
      const all = { archive, timestamps, recorded: () => recording(...recorded).recorded(), seal: sealOf(SIGNER) };
      const first = await written({ ...all, store: { ...store, head } });
      expect([first.events, first.checkpoints, sizes()]).to.deep.equal([2, 1, [2, 2]]);
      expect(await verify()).to.deep.equal([]);
      const second = await written(all);
      expect([second.events, second.checkpoints, new Set(sizes())]).to.deep.equal([1, 1, new Set([2, 3])]);
      expect(await verify()).to.deep.equal([]);
    });

    it('has only some of its checkpoints restored where that is ended among them', async () => {
      await given(2);
      const both = recording(await checkpoint(signerNamed('log.example/before', 'before')), await checkpoint(SIGNER));
      await written({ ...both, seal: sealOf(SIGNER) });
      const ended = new AbortController();
      const record = (): Promise<void> => {
        ended.abort();
        return Promise.resolve();
      };
      const restored = await restore({ ...emptyTarget(), record }, ended.signal);
      expect(E.isRight(restored) && restored.right).to.deep.include({ checkpoints: 1, isComplete: false });
    });

    it('has no fault that was not looked for, where its verification is ended', async () => {
      await given(501);
      await written({ ...recording(await checkpoint(SIGNER)), seal: sealOf(SIGNER) });
      const ended = new AbortController();
      expect(await verify(true, { signal: ended.signal, onEvents: () => ended.abort() })).to.deep.equal([]);
      expect(verified).to.deep.include({ events: 500, compared: 0, isComplete: false });
      expect(await verify()).to.deep.equal([]);
      expect(verified).to.deep.include({ events: 501, compared: 1, isComplete: true });
    });

    it('keeps the key when a run does not know it', async () => {
      await given(1);
      await written({ ...recording(await checkpoint(SIGNER)), seal: sealOf(SIGNER) });
      await written({ seal: null });
      expect((await manifest()).seal).to.deep.equal(sealOf(SIGNER));
    });

    it('leaves out what is none, and what another one has the place of, and says so', async () => {
      await given(2);
      const fit = await checkpoint(SIGNER);
      const archive = makeMemoryArchive();
      archive.kept.push(fit);
      const cause = new Error('the storage has something else');
      const place = {
        ...backup.place,
        archive: {
          ...backup.place.archive,
          put: () => Promise.resolve(E.left({ _tag: 'CheckpointTaken', cause } as const)),
        },
      };
      const { checkpoints } = await written(
        { ...recording({ origin: 'nonsense', size: 1, note: 'x' }, fit), archive, seal: sealOf(SIGNER) },
        { place },
      );
      expect(checkpoints).to.equal(1);
      expect(unfit).to.have.length(2);
      expect(unfit[0]).to.match(/^1: /);
      expect(unfit[1]).to.equal('2: the backup has another one of this size');
      expect(await verify()).to.deep.equal([]);
    });

    it('leaves out checkpoints of another origin or size than they are recorded under', async () => {
      await given(2);
      const { note, origin } = await checkpoint(SIGNER);
      const others = [
        { origin: 'log.example/another', size: 2, note },
        { origin, size: 1, note },
      ];
      const { checkpoints } = await written({ ...recording(...others), seal: sealOf(SIGNER) });
      const reason = 'it has another origin or size';
      expect([checkpoints, unfit]).to.deep.equal([0, [`2: ${reason}`, `1: ${reason}`]]);
    });

    for (const [what, member] of [
      ['checkpoint', 'archive'],
      ['timestamp', 'timestamps'],
    ] as const)
      it(`is given up where a ${what} cannot be stored in it`, async () => {
        await given(1);
        const signed = await checkpoint(SIGNER);
        const archive = makeMemoryArchive();
        archive.kept.push(signed);
        const timestamps = makeMemoryTimestamps({ checkpoint: signed, answer: Buffer.from('an answer') });
        const cause = new Error('full');
        const full = { put: () => Promise.resolve(E.left({ _tag: 'StorageUnavailable', cause } as const)) };
        const place = { ...backup.place, [member]: { ...backup.place[member], ...full } };
        const outcome = await write({ archive, timestamps }, { place });
        expect(E.isLeft(outcome) && outcome.left.message).to.equal(`a ${what} cannot be stored: full`);
        expect((await manifest()).isComplete).to.equal(false);
      });

    it('is given up where the file storage does not give its checkpoints, with that for its reason', async () => {
      await given(1);
      const archive = {
        all: async function* () {
          yield await Promise.reject<SignedCheckpoint>(new Error('connect ECONNREFUSED'));
        },
      };
      const outcome = await write({ archive });
      expect(E.isLeft(outcome) && outcome.left.message).to.equal(
        'the checkpoints in the file storage cannot be read: connect ECONNREFUSED',
      );
    });
  });

  it('keeps the secrets of earlier runs when they are left out', async () => {
    await given(1);
    await written();
    await written({ secrets: () => Promise.resolve([]) });
    expect((await manifest()).secrets.map(({ name }) => name)).to.deep.equal([SECRET.name]);
  });

  describe('of files that are missing or different', () => {
    it('names each, and tries it again', async () => {
      const [first = '', second = ''] = await given(200);
      const kept = storage.objects.get(first);
      storage.objects.delete(first);
      storage.objects.set(second, { size: 1, content: Buffer.from('x') });
      expect((await written()).files).to.equal(0);
      expect(lacking.map(({ kind, key }) => [kind, key])).to.have.deep.members([
        ['missing', first],
        ['different', second],
      ]);
      expect(backup.files.objects.size).to.equal(0);
      expect((await verify()).map(({ kind }) => kind)).to.deep.equal(['missing', 'missing']);
      if (kept !== undefined) storage.objects.set(first, kept);
      lacking = [];
      expect((await written()).files).to.equal(1);
      expect(lacking.map(({ key }) => key)).to.deep.equal([second]);
      expect((await manifest()).lacking.map(({ key }) => key)).to.deep.equal([second]);
      lacking = [];
      const restored = await restore(emptyTarget());
      expect(E.isRight(restored) && restored.right).to.deep.include({ files: 1, lacking: 1, lost: 0 });
    });

    it('forgets none whose event is away, and none that it had no time to try', async () => {
      const [first = ''] = await given(1);
      storage.objects.delete(first);
      await written();
      const deleted = { ...store, readStream: async function* () {} };
      const interrupted = new AbortController();
      interrupted.abort();
      await written({}, { signal: interrupted.signal });
      expect((await manifest()).lacking).to.have.length(1);
      const outcome = await write({ store: deleted });
      expect(E.isLeft(outcome) && outcome.left.message).to.match(/^the log does not go on from this backup/);
      expect((await manifest()).lacking).to.have.length(1);
    });

    /** So many documents whose files are lost. */
    const givenLost = async (documents: number): Promise<ReadonlyArray<StoredFile>> => {
      const files = Array.from({ length: documents }, () => aFile('a'));
      for (const [each, file] of files.entries()) {
        storage.objects.delete(file.key);
        await givenStream(store, documentStream(`lost ${each}`), [aDocumentCreated({ file })]);
      }
      return files;
    };

    it('goes on when there are too many and none that is as it should be, where that is allowed', async () => {
      await givenLost(1_600);
      const keys = await given(200);
      expect(E.isLeft(await write())).to.equal(true);
      const { files, manifest: made } = await written({}, { allowsMissing: true });
      expect([files, made.lacking.length, made.isComplete]).to.deep.equal([keys.length, 1_600, true]);
      // those are known, and nothing is new
      await given(200);
      expect((await written()).files).to.equal(2);
      const restored = await restore(emptyTarget());
      expect(E.isRight(restored) && restored.right).to.deep.include({ files: 4, lacking: 1_600, lost: 0 });
    });

    it('gives up when there are too many and none that is as it should be, and goes on when one is', async () => {
      const files = await givenLost(1_100);
      const outcome = await write();
      expect(E.isLeft(outcome) && outcome.left.message).to.match(
        /^the first \d+ files are all missing or different: .* give --allow-missing-files$/,
      );
      expect((await manifest()).isComplete).to.equal(false);
      const key = files[0]?.key ?? '';
      storage.objects.set(key, { size: 1, content: Buffer.from('a') });
      expect((await written()).files).to.equal(1);
      expect((await manifest()).lacking).to.have.length(1_099);
    });

    it('says so of an event that names its file in a way that is not known', async () => {
      await givenStream(store, documentStream('odd'), [{ type: 'DocumentCreated', data: { name: 1 } }]);
      await written();
      expect(lacking).to.have.length(1);
      expect(lacking[0]).to.deep.include({ kind: 'undecodable', key: null, revision: '0' });
    });
  });

  it('ends while nothing is copied any more, and closes what it has opened', async () => {
    await given(1_000);
    let [begun, copying] = [0, 0];
    let fail = (): void => undefined;
    const failed = new Promise<void>((resolve) => (fail = resolve));
    const place = {
      ...backup.place,
      writeSegment: async (_name: string, chunks: AsyncIterable<Uint8Array>) => {
        for await (const _chunk of chunks)
          if (begun > 0) {
            fail();
            throw new Error('full');
          }
      },
      files: {
        open: backup.files.open,
        put: async (...args: Parameters<typeof backup.files.put>) => {
          begun += 1;
          copying += 1;
          // it goes on for longer than the failure takes to be known
          await failed;
          for (let turns = 0; turns < 100; turns += 1) await nextTurn();
          copying -= 1;
          return backup.files.put(...args);
        },
      },
    };
    const outcome = write({}, { place });
    expect(await outcome.catch((error: unknown) => String(error))).to.equal('Error: full');
    expect([copying, storage.opened]).to.deep.equal([0, 0]);
  });

  it('leaves no stream open when the place takes none', async () => {
    await given(1);
    const bodies: Array<Readable> = [];
    const files = {
      open: async (key: string) => {
        const body = await storage.open(key);
        if (E.isRight(body)) bodies.push(body.right);
        return body;
      },
    };
    const refusing = {
      put: () => Promise.resolve(E.left({ _tag: 'StorageUnavailable', cause: new Error('full') } as const)),
    };
    const place = { ...backup.place, files: { ...refusing, open: backup.files.open } };
    const outcome = await write({ files }, { place });
    expect(E.isLeft(outcome) && outcome.left.message).to.match(/^documents\/.* cannot be stored: full$/);
    expect(bodies.map(({ destroyed }) => destroyed)).to.deep.equal([true]);
  });

  for (const [what, change] of [
    ['a position that is no number', (text: string) => text.replace(/"position": "\d+"/, '"position": "x"')],
    ['a segment outside of its folder', (text: string) => text.replace('"log/00000001', '"../00000001')],
    ['a secret outside of its folder', (text: string) => text.replace('"event-key"', '"../../etc/passwd"')],
  ] as const)
    it(`is none with ${what} in its manifest`, async () => {
      await given(1);
      await written();
      const changed = change(backup.manifests.at(-1) ?? '');
      expect(changed).to.not.equal(backup.manifests.at(-1));
      backup.manifests.push(changed);
      const error = await manifest().catch((cause: unknown) => String(cause));
      expect(error).to.equal('BackupFault: manifest.json cannot be used: it is not a manifest of a backup');
    });

  it('is known as restored by what a restore records behind it, and by nothing else', async () => {
    await given(3);
    await written();
    const target = emptyTarget();
    const behind = async () => findBehind(target.log, await manifest());
    expect(await behind()).to.equal(undefined);
    await restore(target);
    expect(await behind()).to.deep.equal({ origins: 0, erasures: 0 });
    await givenStream(target.log, ERASURE_STREAM, [{ type: 'ErasureBegun', data: {} }]);
    await givenStream(target.log, documentStream('erased'), [{ type: 'DocumentErased', data: {} }]);
    await givenStream(target.log, SEAL_STREAM, [{ type: 'SealRestarted', data: {} }]);
    expect(await behind()).to.deep.equal({ origins: 1, erasures: 2 });
    await givenStream(target.log, documentStream('new'), [aDocumentCreated()]);
    expect(await behind()).to.equal(undefined);
  });
});
