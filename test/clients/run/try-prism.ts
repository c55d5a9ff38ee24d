import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Cell, Row } from './table.js';
import { typescript } from './typescript.js';

const run = promisify(execFile);

export const PRISM = 'prism';

const lastLines = (text: string): string => text.slice(text.search(/^ *\d+ passing/m));

/** The HTTP suites, with Prism before the service: it holds each answer to the description. */
export const tryPrism = async (): Promise<Row> => {
  const cell = await run('node_modules/.bin/mocha', ['test/clients/prism/suites.ts'], { maxBuffer: 100_000_000 }).then(
    (): Cell => ({ _tag: 'Ok' }),
    // reason: execFile adds it to what it throws
    (error: unknown): Cell => ({ _tag: 'Failed', why: lastLines((error as { stdout: string }).stdout) }),
  );
  return {
    name: PRISM,
    version: await typescript.versionOf('@stoplight/prism-cli'),
    cells: new Map([['HTTP suites', cell]]),
  };
};
