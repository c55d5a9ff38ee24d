import type { Row } from './table.js';
import { faultOf, run } from './toolchain.js';
import { typescript } from './typescript.js';

export const PRISM = 'prism';

const lastLines = (text: string): string => text.slice(text.search(/^ *\d+ passing/m));

/** The HTTP suites, with Prism before the service: it holds each answer to the description. */
export const tryPrism = async (): Promise<Row> => {
  const suites = run('node_modules/.bin/mocha', ['test/clients/prism/suites.ts'], { maxBuffer: 100_000_000 });
  const output = await faultOf(suites);
  return {
    name: PRISM,
    version: await typescript.versionOf('@stoplight/prism-cli'),
    cells: new Map([
      ['HTTP suites', output === undefined ? { _tag: 'Ok' } : { _tag: 'Failed', why: lastLines(output) }],
    ]),
  };
};
