import { rmSync } from 'node:fs';
import { cp, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { either as E } from 'fp-ts';
import { applyEdit, type Edit } from './planted-fault.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** What a simulation runs from. */
const COPIED = ['src', 'projections', 'test', 'docs-page', 'verifiers', 'package.json', 'tsconfig.json'];

/** A copy of the program in a temporary folder. */
export type Copy = {
  readonly folder: string;
  /** Has these edits in it from now on, and no others. Left, and none in it: the place of one has changed. */
  readonly plant: (edits: ReadonlyArray<Edit>) => Promise<E.Either<string, void>>;
  /** Is done when the process ends, too. */
  readonly remove: () => void;
};

/** The files of the program that edits change, as they are afterwards. Left: the place of one has changed. */
export const editedFiles = async (
  edits: ReadonlyArray<Edit>,
): Promise<E.Either<string, ReadonlyMap<string, string>>> => {
  const texts = new Map<string, string>();
  for (const edit of edits) {
    const text = texts.get(edit.file) ?? (await readFile(path.join(ROOT, edit.file), 'utf8'));
    const edited = applyEdit(text, edit);
    if (E.isLeft(edited)) return edited;
    texts.set(edit.file, edited.right);
  }
  return E.right(texts);
};

export const makeCopy = async (): Promise<Copy> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'planted-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  for (const name of COPIED) await cp(path.join(ROOT, name), path.join(folder, name), { recursive: true });
  await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
  let planted: ReadonlySet<string> = new Set();
  return {
    folder,
    plant: async (edits) => {
      for (const file of planted) await cp(path.join(ROOT, file), path.join(folder, file));
      planted = new Set();
      const edited = await editedFiles(edits);
      if (E.isLeft(edited)) return edited;
      planted = new Set(edited.right.keys());
      for (const [file, text] of edited.right) await writeFile(path.join(folder, file), text);
      return E.right(undefined);
    },
    remove: () => {
      process.off('exit', remove);
      remove();
    },
  };
};
