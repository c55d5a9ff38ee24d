import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { openApiDocument } from '../../../src/http/openapi/document.js';
import { promisesOf } from './promises.js';
import { servedTable } from './served-table.js';

const isDemand = (line: string): boolean => line.includes(' needs ');

describe('what clients of /api/v1 may rely on', () => {
  let frozen: ReadonlyArray<string>;
  let now: ReadonlyArray<string>;
  before(async () => {
    frozen = (await readFile('test/fixtures/api/v1.txt', 'utf8')).trimEnd().split('\n');
    const table = await servedTable();
    now = promisesOf(table, openApiDocument(table, '0.0.0'));
  });

  it('is still there', () => {
    const current = new Set(now);
    expect(frozen.filter((line) => !isDemand(line) && !current.has(line))).to.deep.equal([]);
  });

  it('asks for no more than it did', () => {
    const isKnown = (line: string): boolean =>
      frozen.includes(line) ||
      // what a new operation asks for, no client lacks
      !frozen.some((other) => other.split(' ', 2).join(' ') === line.split(' ', 2).join(' '));
    expect(now.filter((line) => isDemand(line) && !isKnown(line))).to.deep.equal([]);
  });

  it('is written down: npx tsx test/http/openapi/write-promises.ts does that', () => {
    expect(now.filter((line) => !frozen.includes(line))).to.deep.equal([]);
  });
});
