import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { askRun } from '../support/once-a-run/ask.js';

/** The read models whose rows get another version: it depends on their `revision`. */
const RAISED = ['projections/businesses.js', 'projections/documents.js'];

type Versions = { readonly old: string; readonly next: string; readonly remove: () => Promise<void> };

/** A copy of what was built, so that nothing that is built meanwhile changes it; beside it is what it finds beside itself. */
const copyOf = async (build: string): Promise<string> => {
  const [root, name] = [path.dirname(build), path.basename(build)];
  const folder = await mkdtemp(path.join(tmpdir(), 'a-version-'));
  const copy = path.join(folder, name);
  await mkdir(copy);
  await cp(build, copy, { recursive: true });
  for (const entry of await readdir(root))
    if (entry !== name && entry !== '.git') await symlink(path.join(root, entry), path.join(folder, entry));
  return copy;
};

/** Two versions of this program: as it is, and with rows of a raised `revision`. */
export const twoVersions = async (): Promise<Versions> => {
  const build = path.resolve(await askRun('build'));
  const [old, next] = [await copyOf(build), await copyOf(build)];
  for (const file of RAISED) {
    const text = await readFile(path.join(next, file), 'utf8');
    const raised = text.replace(/revision: (\d+),/, (_, revision: string) => `revision: ${Number(revision) + 1},`);
    if (raised === text) throw new Error(`${file} has no revision to raise`);
    await writeFile(path.join(next, file), raised);
  }
  const remove = async (): Promise<void> => {
    for (const copy of [old, next]) await rm(path.dirname(copy), { recursive: true });
  };
  return { old, next, remove };
};
