import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import {
  type Answer,
  type Outage,
  OUTAGES_OF_EVENTSTOREDB,
  OUTAGES_OF_OBJECT_STORE,
  OUTAGES_OF_READ_MODELS,
  type Request,
} from '../real-thing/dependencies-down/outages.js';
import { codeIn, tableBelow } from '../support/markdown.js';

/** The requests that a row of the table stands for. */
const ROWS: Readonly<Record<string, ReadonlyArray<Request>>> = {
  'GET by id': ['GET by id'],
  lists: ['list', 'whole list'],
  'events, as of': ['events', 'as of'],
  'create, update': ['create', 'update'],
  'file download': ['download'],
  'file upload': ['upload'],
  '`/readyz`': ['/readyz'],
};

const COLUMNS: Readonly<Record<string, ReadonlyArray<Outage>>> = {
  'Postgres away': OUTAGES_OF_READ_MODELS,
  'log away': OUTAGES_OF_EVENTSTOREDB,
  'file store away': OUTAGES_OF_OBJECT_STORE,
};

const ANSWERS: Readonly<Record<string, Answer>> = {
  yes: 200,
  'from the log': 200,
  'yes, `X-Projected: false`': 'unprojected',
  '503': 503,
};

describe('the table of docs/outages.md', () => {
  it('has what the tests of each outage find', async () => {
    const page = await readFile('docs/outages.md', 'utf8');
    const [[, ...columns] = [], ...rows] = tableBelow(page, '## One part is away');
    expect(columns).to.deep.equal(Object.keys(COLUMNS));
    expect(rows.map(([name]) => name)).to.deep.equal(Object.keys(ROWS));
    for (const [name = '', ...cells] of rows)
      for (const [index, column] of columns.entries())
        for (const { what, missing, answers } of COLUMNS[column] ?? [])
          for (const request of ROWS[name] ?? []) {
            const cell = cells[index] ?? '';
            const [answer = '', missed] = cell.split(': `');
            const said = request === '/readyz' ? ANSWERS[answer] : ANSWERS[cell];
            expect(said, `${request} while ${what}`).to.equal(answers[request]);
            if (missed !== undefined && request === '/readyz') expect(codeIn(cell)).to.deep.equal(missing);
          }
  });
});
