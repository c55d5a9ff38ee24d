import { readFile } from 'node:fs/promises';
import { either as E } from 'fp-ts';
import type { PackSources } from '../../audit-pack/pack-sources.js';
import { unlessMissing } from '../../infrastructure/disk/missing-files.js';

// beside `src` and `dist`: this module is in a folder of the same name in both
const FOLDERS = ['../../../verifiers/', '../../../../verifiers/'];

const read = async (name: string): Promise<string | undefined> => {
  for (const folder of FOLDERS) {
    const text = await unlessMissing(readFile(new URL(folder + name, import.meta.url), 'utf8'));
    if (text !== undefined) return text;
  }
  return undefined;
};

/** The programs that verify packs, as they are delivered with this one. Throws errors of the file system. */
export const readVerifiers = async (): Promise<E.Either<string, PackSources['verifiers']>> => {
  const [python, html] = [await read('verify.py'), await read('verify.html')];
  return python === undefined || html === undefined
    ? E.left('this installation lacks verifiers/verify.py or verifiers/verify.html')
    : E.right({ python, html });
};
