import { randomUUID } from 'node:crypto';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import type { ObjectStorage } from '../../../src/application/ports.js';
import { openDiskStorage } from '../../../src/infrastructure/disk/disk-storage.js';
import type { FileContents } from '../../../src/read/get-file.js';
import { bodyOf } from '../../support/bodies.js';
import { diskStorage } from '../../support/disk-storage.js';
import { replaceOnFileHandles, systemError } from '../../support/failing-disk.js';
import { filesBelow } from '../../support/files-below.js';
import { handlesAtMost, openHandles } from '../../support/open-handles.js';
import { needs } from '../../support/needs.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';

const aDirectory = (): Promise<string> => mkdtemp(path.join(tmpdir(), 'disk-storage-'));

describe('object storage on disk', () => {
  let root: string;
  let storage: ObjectStorage & FileContents;
  beforeEach(async () => {
    root = path.join(await aDirectory(), 'files');
    storage = await diskStorage(root);
  });
  afterEach(() => rm(path.dirname(root), { recursive: true }));

  for (const [call, code] of [
    ['writeFile', 'ENOSPC'],
    ['writeFile', 'EIO'],
    ['sync', 'EIO'],
    ['sync', 'EDQUOT'],
  ] as const) {
    it(`leaves nothing behind, and nothing open, when ${call} fails with ${code}`, async () => {
      const failure = systemError(code);
      const before = await openHandles();
      const { body } = bodyOf(200_000);
      const restore = await replaceOnFileHandles(call, () => Promise.reject(failure));
      const outcome = await storage.put('documents/a/b', body);
      restore();
      expect(outcome).to.deep.equal(E.left({ _tag: 'StorageUnavailable', cause: failure }));
      expect(await filesBelow(root)).to.deep.equal([]);
      expect(await handlesAtMost(before)).to.be.at.most(before);
      expect(body.destroyed).to.equal(true);
    });
  }

  it('writes an object through to the disk before it has its name, and then that', async () => {
    const key = `documents/${randomUUID()}/${randomUUID()}`;
    const isNamed: Array<boolean> = [];
    const restore = await replaceOnFileHandles('sync', async (sync) => {
      isNamed.push((await filesBelow(root)).some((name) => name.endsWith(key.slice(-36))));
      await sync();
    });
    const outcome = await storage.put(key, bodyOf(200_000).body);
    restore();
    // the file, the directory that holds the new shard, the shard
    expect([outcome, isNamed]).to.deep.equal([E.right(undefined), [false, false, true]]);
  });

  it('leaves nothing behind when only the name cannot be made durable', async () => {
    let syncs = 0;
    const restore = await replaceOnFileHandles('sync', (sync) =>
      // in this order: the file, the directory that holds the new shard, the shard
      (syncs += 1) === 3 ? Promise.reject(systemError('EIO')) : sync(),
    );
    const outcome = await storage.put('documents/a/b', bodyOf(10).body);
    restore();
    expect(E.isLeft(outcome)).to.equal(true);
    expect(await filesBelow(root)).to.deep.equal([]);
  });

  it('answers StorageUnavailable when its directory is gone', async () => {
    await rm(root, { recursive: true });
    const outcomes = [await storage.put('documents/a/b', bodyOf(10).body), await storage.clearUnfinished(new Date())];
    expect(outcomes.map((outcome) => E.isLeft(outcome) && outcome.left._tag)).to.deep.equal([
      'StorageUnavailable',
      'StorageUnavailable',
    ]);
  });

  it('cannot be opened where a file stands in its place', async () => {
    await writeFile(path.join(path.dirname(root), 'taken'), '');
    const outcome = await openDiskStorage(path.join(path.dirname(root), 'taken'), { random: systemRuntime.random });
    expect(E.isLeft(outcome) && outcome.left._tag).to.equal('StorageUnavailable');
  });

  it('clears what an upload left when the process was killed, but not what is still being written', async () => {
    const unfinished = path.join(root, 'unfinished');
    const [left, young] = [path.join(unfinished, randomUUID()), path.join(unfinished, randomUUID())];
    const hourAgo = new Date(Date.now() - 3_600_000);
    await writeFile(left, 'half');
    await utimes(left, hourAgo, hourAgo);
    await writeFile(young, 'hal');
    expect(await storage.clearUnfinished(new Date(hourAgo.getTime() + 1000))).to.deep.equal(E.right(1));
    expect(await filesBelow(root)).to.deep.equal([path.basename(young)]);
  });

  it('never lists an upload that is not finished, nor a file that is none of ours', async () => {
    await storage.put('documents/a/b', bodyOf(10).body);
    await writeFile(path.join(root, 'unfinished', randomUUID()), 'half');
    const [shard] = await readdir(path.join(root, 'objects'));
    await writeFile(path.join(root, 'objects', shard!, '.DS_Store'), '');
    await writeFile(path.join(root, 'objects', 'README.txt'), '');
    const keys: Array<string> = [];
    for await (const { key } of storage.list('')) keys.push(key);
    expect(keys).to.deep.equal(['documents/a/b']);
  });

  it('lets nobody but its owner read files and directories', async function () {
    needs(this, process.platform !== 'win32', 'a system other than Windows');
    await storage.put('documents/a/b', bodyOf(1).body);
    const entries = (await readdir(root, { recursive: true })).map((name) => path.join(root, name));
    const modes = await Promise.all(entries.map(async (entry) => (await stat(entry)).mode & 0o077));
    expect(modes).to.deep.equal(entries.map(() => 0));
  });

  for (const [what, plant] of [
    ['a link to a file', (file: string) => symlink('/etc/hostname', file)],
    ['a directory', (file: string) => mkdir(file)],
    ['a pipe', (file: string) => promisify(execFile)('mkfifo', [file])],
  ] as const)
    it(`opens no object that is ${what}`, async function () {
      needs(this, process.platform !== 'win32', 'a POSIX system');
      const key = `documents/${randomUUID()}/${randomUUID()}`;
      expect(await storage.put(key, Readable.from(['content']))).to.deep.equal(E.right(undefined));
      const [stored = ''] = (await readdir(root, { recursive: true })).filter((name) => name.endsWith(key.slice(-36)));
      const file = path.join(root, stored);
      await rm(file);
      await plant(file);
      const before = await openHandles();
      const opened = await storage.open(key);
      expect(E.isLeft(opened) && opened.left).to.deep.equal({
        _tag: 'FileMissing',
        reason: 'the object is not a regular file',
      });
      expect(await handlesAtMost(before)).to.be.at.most(before);
    });
});
