import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { copyFile, mkdtemp, readFile, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { recordSkip } from '../../../projections/engine/parked/record-skip.js';
import type { StreamName } from '../../../src/event-sourcing/recorded-event.js';
import { makeCheckpointArchive } from '../../../src/infrastructure/checkpoints/checkpoint-archive.js';
import { checkpointKey } from '../../../src/infrastructure/checkpoints/checkpoint-key.js';
import { makeKeepTimestamp } from '../../../src/infrastructure/checkpoints/timestamps.js';
import type { SignedCheckpoint } from '../../../src/read/sealed-tree.js';
import { openCheckpoint, signCheckpoint } from '../../../src/seal/checkpoint.js';
import { renderSigner, renderVerifier, signerOf } from '../../../src/seal/note-key.js';
import { timestampRequest } from '../../../src/sealing/timestamp.js';
import { membersOf } from '../../support/audit-pack.js';
import { zipped } from '../../support/bad-packs.js';
import { aBusinessCreated } from '../../support/business-events.js';
import { diskStorage } from '../../support/disk-storage.js';
import { givenStream } from '../../support/given-stream.js';
import { needs } from '../../support/needs.js';
import { runOperator } from '../../support/operator.js';
import { freshDatabase, startingPostgres } from '../../support/postgres.js';
import { projectLog } from '../../support/projected-log.js';
import { hasPython } from '../../support/python.js';
import { sealLog } from '../../support/seal-log.js';
import { right } from '../../support/sealed-tree.js';
import { tsaOfSuite } from '../../support/small-tsa.js';
import { loadVerifyPage } from '../../support/verify-page.js';
import { layFiles, refusal, runVerifyPy } from '../../support/verify-py.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';

const signer = right(signerOf('log.example.com', createHash('sha256').update('a key').digest()));
const former = right(signerOf('log.example.com', createHash('sha256').update('a key before').digest()));
const KEY = renderVerifier(signer.verifier);

const businessNumbered = (number: number): StreamName =>
  `business-05c8515f-9a84-4c18-8093-${String(number).padStart(12, '0')}`;
const named = (stream: StreamName): string => stream.replace('-', '/');

const LINE =
  'Not checked here: checkpoint.tsr, a timestamp by others (RFC 3161). With their root certificate, this checks it among the ' +
  'unpacked members: ';
const COMMAND = 'openssl ts -verify -data checkpoint.txt -in checkpoint.tsr -CAfile ROOT.pem';

describe('the timestamp in a pack', function () {
  this.timeout(startingPostgres * 3);
  let directory: string;
  let connectionString: string;
  const tsa = tsaOfSuite();

  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'stamped-pack-'));
    connectionString = await freshDatabase();
  });
  afterEach(() => rm(directory, { recursive: true }));

  const files = (): string => path.join(directory, 'data', 'files');
  const fileOf = (key: string): string => path.join(files(), ...key.split('/'));
  const stampKey = (checkpoint: SignedCheckpoint): string =>
    checkpointKey(checkpoint).replace('checkpoints/', 'checkpoints/timestamps/');

  const answerAbout = (data: string): Buffer => tsa().reply(timestampRequest(data, randomBytes(8)));

  /** Puts a checkpoint into the storage, and beside it the authority's answer, as the service does. */
  const stamp = async (checkpoint: SignedCheckpoint, answer = answerAbout(checkpoint.note)): Promise<void> => {
    const { checkpoints } = await diskStorage(files());
    right(await makeCheckpointArchive(checkpoints).put(checkpoint));
    await makeKeepTimestamp(checkpoints)(checkpoint, answer);
  };

  /** Another record, and the checkpoint that covers it. */
  const record = async (number: number): Promise<SignedCheckpoint> => {
    await projectLog(connectionString, async (store) => {
      await givenStream(store, businessNumbered(number), [aBusinessCreated({ name: `Number ${number}` })]);
      return right(await store.head())!;
    });
    return sealLog(connectionString, signer);
  };

  const pack = async (number: number) => {
    const out = path.join(directory, 'pack.zip');
    const ran = await runOperator(['audit', 'pack', named(businessNumbered(number)), '--out', out, '--force'], {
      env: {
        DATABASE_URL: connectionString,
        DATA_DIR: path.join(directory, 'data'),
        CHECKPOINT_KEY: renderSigner(signer),
      },
    });
    expect(ran.code, ran.stderr).to.equal(0);
    const zip = await readFile(out);
    return { zip, out, notes: ran.stderr, members: await membersOf(zip) };
  };

  it('is that of the newest stamped checkpoint that covers the records, and openssl verifies it as both verifiers say', async function () {
    const stamped = [await record(1), await record(2)] as const;
    const newest = await record(3);
    // one with a signature more, as a witness adds: what was stamped is what is in the storage, byte for byte
    const note = `${stamped[1].note}${right(signCheckpoint({ size: 1, root: Buffer.alloc(32) }, former)).split('\n\n')[1]}`;
    await stamp(stamped[0]);
    await stamp({ ...stamped[1], note });

    const { zip, out, notes, members } = await pack(2);
    expect(notes).to.equal('');
    expect(members.get('checkpoint.txt')?.toString()).to.equal(note);
    const page = await loadVerifyPage()(zip, KEY);
    expect([page.verified, page.said.split('\n')]).to.deep.include(true);
    expect(page.said.split('\n')).to.include(`${LINE}${COMMAND}`);
    if (hasPython())
      expect(await runVerifyPy(['pack', out, '--key', KEY])).to.deep.equal({
        code: 0,
        out: `${page.said}\n`,
        error: '',
      });

    const unpacked = path.join(directory, 'unpacked');
    await layFiles(unpacked, members);
    await copyFile(tsa().certificate, path.join(unpacked, 'ROOT.pem'));
    const [command = '', ...args] = COMMAND.split(' ');
    expect(execFileSync(command, args, { cwd: unpacked, encoding: 'utf8' })).to.match(/^Verification: OK$/m);

    // the record that the stamped one does not cover
    const without = await pack(3);
    expect([without.members.has('checkpoint.tsr'), without.notes]).to.deep.equal([false, '']);
    expect(without.members.get('checkpoint.txt')?.toString()).to.equal(newest.note);
    expect((await loadVerifyPage()(without.zip, KEY)).said).not.to.include('openssl');
  });

  it('is found by the manifest when it was changed or taken out', async function () {
    needs(this, hasPython(), 'python3, in which a verifier is written');
    await stamp(await record(1));
    const { out, members } = await pack(1);
    const answer = members.get('checkpoint.tsr') ?? Buffer.alloc(0);
    expect(answer.length).to.be.greaterThan(100);
    const changed = Buffer.from(answer);
    changed[50]! ^= 1;
    const { mtime } = { mtime: new Date(/^created (.*)$/m.exec(members.get('manifest.txt')!.toString())![1]!) };
    for (const [content, said] of [
      [changed, 'checkpoint.tsr is not what manifest.txt lists: it was changed'],
      [undefined, 'checkpoint.tsr is missing: manifest.txt lists it'],
    ] as const) {
      const others = [...members].filter(([name]) => name !== 'checkpoint.tsr');
      const zip = await zipped(
        new Map(content === undefined ? others : [...others, ['checkpoint.tsr', content]]),
        mtime,
      );
      expect(await loadVerifyPage()(zip, KEY)).to.deep.equal({ verified: false, said });
      await layFiles(directory, [['pack.zip', zip]]);
      expect(await runVerifyPy(['pack', out, '--key', KEY])).to.deep.equal(refusal(said));
    }
  });

  it('is not there where what stands in the storage is none, which is said, and an older one is taken that is one', async () => {
    const first = await record(1);
    await stamp(first);
    const [elsewhere, byFormer, alone] = [await record(2), await record(3), await record(4)];
    await stamp(elsewhere, answerAbout('something else'));
    const { size, root } = right(openCheckpoint(Buffer.from(byFormer.note), [signer.verifier]));
    await stamp({ ...byFormer, note: right(signCheckpoint({ size, root }, former)) });
    await stamp(alone);
    await rename(fileOf(checkpointKey(alone)), path.join(directory, 'removed'));

    const { notes, members } = await pack(1);
    expect(notes.split('\n')).to.deep.equal([
      `${stampKey(alone)} in the file storage is not used: there is no checkpoint beside it`,
      `${stampKey(byFormer)} in the file storage is not used: its checkpoint is not one of a key of this log: no known key has signed the note`,
      `${stampKey(elsewhere)} in the file storage is not used: the timestamp is of something else`,
      '',
    ]);
    expect(members.get('checkpoint.txt')?.toString()).to.equal(first.note);
    const later = await pack(2);
    expect(later.notes.split('\n')).to.have.length(4);
    expect([later.members.has('checkpoint.tsr'), later.members.get('checkpoint.txt')?.toString()]).to.deep.equal([
      false,
      alone.note,
    ]);
  });

  it('is not there where a decision about the record came after it', async () => {
    const first = await record(1);
    await stamp(first);
    expect((await pack(1)).members.has('checkpoint.tsr')).to.equal(true);
    await projectLog(connectionString, async (store) => {
      const skipped = { stream: businessNumbered(1), revision: 0n, eventId: businessNumbered(1) };
      const decided = { actor: 'operator', reason: 'it cannot be read', at: new Date('2026-01-02T03:04:05.678Z') };
      await recordSkip(systemRuntime, store, 'businesses', skipped, decided, undefined);
      return right(await store.head())!;
    });
    await sealLog(connectionString, signer);
    const { members } = await pack(1);
    expect([members.has('checkpoint.tsr'), members.has('decisions/operations-businesses/0.ndjson')]).to.deep.equal([
      false,
      true,
    ]);
  });

  it('is not there where the storage cannot be read, which is said', async () => {
    await stamp(await record(1));
    const folder = fileOf('checkpoints/timestamps');
    await rename(folder, path.join(directory, 'moved'));
    await symlink('timestamps', folder);
    const { notes, members } = await pack(1);
    expect(notes).to.match(/^the pack has no timestamp, as the file storage cannot be read: ELOOP.*\n$/);
    expect(members.has('checkpoint.tsr')).to.equal(false);
  });
});
