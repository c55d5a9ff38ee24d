import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { makePackedLog, packOf } from './audit-pack.js';
import { appendChained, interleaved, makeChains, wholeLog } from './chained-events.js';
import { oneKey } from './event-keys.js';
import { makeInMemoryEventStore } from './in-memory-event-store.js';
import { checkpointOver, exportedText, leavesOf, tlogFiles } from './sealed-log.js';
import { layFiles } from './verify-py.js';

/** How many bytes were changed, by what they were changed in, and the changes that verify.py did not find. */
type Mutations = { readonly missed: ReadonlyArray<string>; readonly counts: Readonly<Record<string, number>> };

/**
 * Changes so many single bytes of exports, a checkpoint, tiles and packs, one at a time, and runs verify.py after each. The
 * same seed changes the same bytes. Packs are also changed by who has the key and signs the manifest again.
 */
export const changeBytes = async (changes: number, seed: number): Promise<Mutations> => {
  const directory = await mkdtemp(path.join(tmpdir(), 'mutations-'));
  const packed = makePackedLog();
  const log = makeInMemoryEventStore();
  await appendChained(log, makeChains(oneKey), ...interleaved(3, 6));
  const leaves = leavesOf(await wholeLog(log));
  const many = [...leaves, ...leavesOf(packed.events)];
  await layFiles(directory, [
    ['export', await exportedText(log, true)],
    ['withheld', await exportedText(log, false)],
    ['checkpoint', checkpointOver(leaves, packed.signer)],
    ['pack', await packOf(packed.sources())],
    ['packWithheld', await packOf(packed.sources({ withData: false }))],
    ...[...tlogFiles(many, packed.signer)].map(([name, bytes]) => [`tiles/${name}`, bytes] as const),
  ]);
  const names = ['export', 'withheld', 'checkpoint', 'pack', 'packWithheld', 'tiles'];
  const files = Object.fromEntries(names.map((name) => [name, path.join(directory, name)]));
  const secret = packed.signer.seed.toString('hex');
  const python = spawn('python3', ['test/verifiers/mutations.py'], { stdio: ['pipe', 'pipe', 'inherit'] });
  python.stdin.end(JSON.stringify({ ...files, directory, key: packed.key, secret, seed, changes }));
  try {
    return JSON.parse(await text(python.stdout)) as Mutations; // reason: the script prints it
  } finally {
    await rm(directory, { recursive: true });
  }
};
