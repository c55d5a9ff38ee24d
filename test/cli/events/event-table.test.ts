import { expect } from 'chai';
import { tableHead, tableLine } from '../../../src/cli/events/event-table.js';

const ID = '0198f000-0000-7000-8000-000000000001';

const event = {
  at: '2026-01-02T03:04:05.678Z',
  user: 'ann',
  message: 'business updated: phone, website, displayName',
  entityType: 'Business',
  entity: ID,
};

const line = (columns: number, changed: object = {}): string =>
  tableLine({ index: 41n, body: JSON.stringify({ ...event, ...changed }) }, columns);

describe('the table of events', () => {
  it('has a line for each event where the terminal is wide', () => {
    expect(`${tableHead(160)}${line(160)}`).to.equal(
      [
        '   index  at (UTC)              user          what happened                   to\n',
        `      41  2026-01-02T03:04:05Z  ann           business updated: phone, webs…  Business ${ID}\n`,
      ].join(''),
    );
  });

  it('has two where it is narrow, none wider than it, and the whole of what names the record', () => {
    for (const columns of [80, 100, 121]) {
      const shown = `${tableHead(columns)}${line(columns)}`;
      expect(Math.max(...shown.split('\n').map(({ length }) => length))).to.be.at.most(columns);
      expect(shown).to.include(`          Business ${ID}\n`);
    }
  });

  it('shows nothing that moves the cursor of the terminal', () => {
    const shown = line(160, { user: 'a\u001b[2J\u009b1A', message: 'm\u0007\u202e', entityType: 'B\r', at: null });
    expect(shown).to.match(/^ {6}41 {2}- {19} {2}a�\[2J�1A {6}m�� {27} {2}B� /);
  });
});
