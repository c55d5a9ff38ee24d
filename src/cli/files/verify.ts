import type { Command } from 'commander';
import { findUnnamedFiles } from '../../application/document/find-unnamed-files.js';
import { KeySet } from '../../application/document/key-set.js';
import type { Registry } from '../../entities/registry.js';
import { StoreUnavailable } from '../../event-sourcing/event-store.js';
import { reasonOf } from '../../event-sourcing/reason-of.js';
import { type FileFinding, verifyFiles, type VerifiedFiles } from '../../read/verify-files.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { shareOfLog } from '../log/share-of-log.js';
import { failed, interrupted, type JsonOption, jsonOption, printFinding } from '../output.js';
import { counted } from '../plural.js';
import { makeProgress } from '../progress.js';
import { type Files, onConfiguredFiles } from './with-files.js';
import { systemRuntime } from '../../infrastructure/system-runtime.js';

/** Files that no event names; `recent` are those of the last 24 hours, which may be uploads in progress. */
type Unnamed = { readonly unnamed: number; readonly recent: number };

const WORDS = {
  missing: 'missing',
  different: 'different',
  unread: 'not readable',
  undecodable: 'not checked',
} satisfies Readonly<Record<FileFinding['kind'], string>>;

const reportFinding = ({ kind, documentId, revision, key, reason }: FileFinding, options: JsonOption): void => {
  const where = [key, `document ${documentId}`, `revision ${revision}`].filter((part) => part !== undefined);
  const finding = { kind, document: documentId, revision: revision.toString(), key: key ?? null, reason };
  printFinding(options, `${WORDS[kind]}: ${where.join(', ')}: ${reason}`, finding);
};

const verifyNamed = async (
  { store, storage }: Files,
  named: KeySet,
  options: JsonOption,
  signal: AbortSignal,
): Promise<VerifiedFiles> => {
  const progress = makeProgress('verifying', ['file']);
  const share = await shareOfLog(store);
  const verified = await verifyFiles(
    { store, open: storage.open },
    {
      onFinding: (finding) => {
        progress.end();
        reportFinding(finding, options);
      },
      onNamed: (key) => named.add(key),
      onChecked: (files, reached) => progress.report(files, share(reached)),
      signal,
    },
  );
  progress.end();
  return verified;
};

const findUnnamed = async (
  { store, storage }: Files,
  named: KeySet,
  options: JsonOption,
  signal: AbortSignal,
): Promise<Unnamed> => {
  const progress = makeProgress('listing', ['file']);
  const counts = { unnamed: 0, recent: 0 };
  let listed = 0;
  const ports = { clock: systemRuntime.clock, store, storage };
  const isNamed = (key: string): boolean => named.has(key);
  const onListed = (): void => progress.report((listed += 1));
  for await (const { key, size, modifiedAt, isRecent } of findUnnamedFiles(ports, isNamed, onListed, signal)) {
    counts[isRecent ? 'recent' : 'unnamed'] += 1;
    progress.end();
    const storedAt = modifiedAt.toISOString();
    const text = `named by no event: ${key}, ${counted(size, 'byte')}, stored at ${storedAt}`;
    const note = isRecent ? ' (younger than 24 hours: it may be an upload in progress)' : '';
    printFinding(options, text + note, { kind: 'unnamed', key, size, storedAt, isRecent });
  }
  progress.end();
  return counts;
};

const foundIn = ({ missing, different, unchecked }: VerifiedFiles, { unnamed, recent }: Unnamed): string => {
  const found = [
    [missing, 'missing'],
    [different, 'different'],
    [unchecked, 'not checked'],
    [unnamed, 'named by no event'],
    [recent, 'younger than 24 hours and named by no event'],
  ] as const;
  const words = found.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  return words.length === 0 ? 'each there and as its event says' : words.join(', ');
};

const conclude = (verified: VerifiedFiles, counts: Unnamed, options: JsonOption): ExitCode => {
  const { end: _end, ...files } = verified;
  const text = `${counted(files.files, 'file')} named by events, ${counted(files.bytes, 'byte')}: ${foundIn(verified, counts)}`;
  printFinding(options, text, { ...files, ...counts });
  return files.missing + files.different + files.unchecked + counts.unnamed === 0 ? EXIT.ok : EXIT.failed;
};

const verify = async (files: Files, options: JsonOption, signal: AbortSignal): Promise<ExitCode> => {
  const named = new KeySet();
  const verified = await verifyNamed(files, named, options, signal);
  if (verified.end === 'GivenUp')
    return failed(`given up after ${counted(verified.files, 'file')}: too many of them could not be read`);
  if (verified.end === 'Aborted') return interrupted(counted(verified.files, 'file'));
  try {
    const unnamed = await findUnnamed(files, named, options, signal);
    if (signal.aborted) return interrupted(`${counted(verified.files, 'file')}, while the storage was listed`);
    return conclude(verified, unnamed, options);
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error;
    return failed(`the storage cannot be listed: ${reasonOf(error)}`);
  }
};

export const addVerifyFiles = (files: Command, registry: Registry): void => {
  files
    .command('verify')
    .description(
      'reads every file that an event names, of past versions too, and names those that are missing or differ in size\n' +
        'or SHA-256 from what the event says; then lists the storage and names the files that no event names\n' +
        '(reads the log and all files once, 16 at a time; remembers at most 64 bytes a file)',
    )
    .addOption(jsonOption('one JSON object a line: each finding, then the counts'))
    .action((options: JsonOption) => onConfiguredFiles(registry, (opened, signal) => verify(opened, options, signal)));
};
