import { copyFile, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { MakeClient } from '../samples/client.js';
import type { Cell } from './table.js';
import { faultOf, LINES_TOLD, PACKAGE, run, type Toolchain } from './toolchain.js';

/** Narrows events, in every sample by the types that were made there, which its `events.ts` names. */
const NARROWS = 'narrows.ts';

type Package = { readonly devDependencies: Readonly<Record<string, string>> };

const command = (name: string): string => path.join(PACKAGE, 'node_modules/.bin', name);

const compiled = (faults: ReadonlyArray<string>): Cell =>
  faults.length === 0 ? { _tag: 'Ok' } : { _tag: 'Failed', why: faults.slice(0, LINES_TOLD).join('\n') };

/** With the packages of `test/clients`. */
export const typescript: Toolchain = {
  missing: () => Promise.resolve(undefined),
  versionOf: async (packageName) => {
    // reason: it is ours
    const { devDependencies } = JSON.parse(await readFile(path.join(PACKAGE, 'package.json'), 'utf8')) as Package;
    const version = devDependencies[packageName];
    if (version === undefined) throw new Error(`${packageName} is none of the packages`);
    return version;
  },
  run: async ([name, ...args], sample) => {
    await run(command(name), args, { cwd: sample });
    await copyFile(path.join(PACKAGE, 'samples', NARROWS), path.join(sample, 'made', NARROWS));
  },
  compile: async (sample) => {
    const output = await faultOf(run(command('tsc'), ['--pretty', 'false', '--project', '.'], { cwd: sample }));
    const faults = (output ?? '').split('\n').filter((line) => line.includes('error TS'));
    const isNarrowing = (line: string): boolean => line.startsWith(`made/${NARROWS}(`);
    return {
      compiles: compiled(faults.filter((line) => !isNarrowing(line))),
      narrows: compiled(faults.filter(isNarrowing)),
    };
  },
  open: async (sample) => {
    // reason: each sample exports one
    const { makeClient } = (await import(path.join(sample, 'client.ts'))) as { makeClient: MakeClient };
    return { makeClient, stop: () => Promise.resolve() };
  },
};
