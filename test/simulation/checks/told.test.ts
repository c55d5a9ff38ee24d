import { expect } from 'chai';
import { makeTold, type Told } from '../clients/told.js';
import type { Command } from './commands.js';
import type { Listed } from './lists.js';
import type { Read } from './reads.js';
import type { LedgerEvent, State } from './states.js';
import { toldFaults } from './told.js';

const event = (index: number, revision: number, more: Partial<LedgerEvent>): LedgerEvent => ({
  _id: `event ${index}`,
  index,
  entity: 'r',
  entityType: 'Business',
  name: 'BusinessUpdated',
  at: `2026-01-01T00:00:0${index}.000Z`,
  revision,
  hash: '',
  reason: `c${index}`,
  data: { changes: { name: `n${index}` } },
  ...more,
});

/** Created as n0, then n1, n2 and deleted. */
const LEDGER = [
  event(0, 0, { name: 'BusinessCreated', data: { name: 'n0' } }),
  event(1, 1, {}),
  event(2, 2, {}),
  event(3, 3, { name: 'BusinessDeleted', data: {} }),
];

const done = (index: number, more: Partial<Command> = {}): Command => ({
  mark: `c${index}`,
  record: 'r',
  began: 10 * index,
  ended: 10 * index + 5,
  outcome: 'Done',
  revision: index,
  isProjected: true,
  isShownBy: ({ name, isThere }) => name === `n${index}` || !isThere,
  ...more,
});

const COMMANDS = [0, 1, 2, 3].map((index) => done(index));

const [one, other] = [{}, {}];

/** Shows the record as it was after a revision. */
const read = (revision: number, began: number, more: Partial<Read> = {}): Read => ({
  record: 'r',
  where: 'a read',
  process: one,
  began,
  ended: began + 1,
  of: 'Log',
  seen: `revision ${revision}`,
  fits: (state) => state.revision === revision,
  ...more,
});

const list = (began: number, revision: number | undefined, more: Partial<Listed> = {}): Listed => {
  const when = { began, ended: began + 1, process: one };
  const row = { _id: 'r', revision: revision ?? 0, name: `n${revision}`, owners: [] };
  const rows = revision === undefined ? [] : [{ ...when, row }];
  return { ...when, kind: 'Business', where: 'a list', of: 'List', isWhole: true, selects: () => true, rows, ...more };
};

const faults = (told: Partial<Told>, ledger: ReadonlyArray<LedgerEvent> = LEDGER): ReadonlyArray<string> =>
  toldFaults({ ...makeTold(), commands: COMMANDS, ...told }, ledger);

const instead = (...commands: ReadonlyArray<Command>): Array<Command> =>
  COMMANDS.map((command) => commands.find(({ mark }) => mark === command.mark) ?? command);

describe('what is held against what clients were told', () => {
  it('finds nothing where all is as they were told', () => {
    const reads = [read(0, 6), read(1, 16), read(1, 22), read(2, 26), read(3, 36)];
    const lists = [list(6, 0), list(26, 2), list(36, undefined)];
    const feeds = [{ feed: 'a feed', record: 'r', sent: LEDGER.map(({ index, _id: id }) => ({ index, id })) }];
    expect(faults({ reads, lists, feeds, ledger: [...LEDGER] })).to.deep.equal([]);
  });

  describe('of commands', () => {
    it('refuses an acknowledged one that is lost', () => {
      const lost = { ...done(4), mark: 'c4', revision: 4 };
      expect(faults({ commands: [...COMMANDS, lost] })).to.deep.equal(['c4 was acknowledged, and is lost']);
    });

    it('refuses one that was written twice', () => {
      const twice = [...LEDGER.slice(0, 2), event(2, 2, { reason: 'c1', data: { changes: { name: 'n1' } } })];
      expect(faults({ commands: COMMANDS.slice(0, 2) }, twice)).to.deep.equal(['c1 was written 2 times']);
    });

    it('refuses one that was refused and written', () => {
      const commands = instead(done(1, { outcome: 'Refused' }));
      expect(faults({ commands })).to.deep.equal(['c1 was refused, and written']);
    });

    it('takes one without an answer, written or not', () => {
      const commands = [...instead(done(1, { outcome: 'Unknown' })), { ...done(4), outcome: 'Unknown' as const }];
      expect(faults({ commands })).to.deep.equal([]);
    });

    it('refuses one that was answered as another revision', () => {
      expect(faults({ commands: instead(done(1, { revision: 2 })) })).to.deep.equal([
        'c1 was answered as revision 2, and is 1',
      ]);
    });

    it('refuses one that passed its condition', () => {
      expect(faults({ commands: instead(done(2, { expected: 0 })) })).to.deep.equal([
        'c2 was to change revision 0 only, and is 2',
      ]);
    });

    it('refuses one that was written to another record, or has left something else', () => {
      const commands = instead(done(1, { record: 's', isShownBy: ({ name }: State) => name === 'm' }));
      expect(faults({ commands })).to.deep.equal(['c1 was written to r', 'c1 has not left what it asked for']);
    });

    it('refuses an order other than that in which they were acknowledged and asked for', () => {
      expect(faults({ commands: instead(done(2, { began: 1, ended: 2 })) })).to.deep.equal([
        'c2 was acknowledged before c1 began, and is behind it',
      ]);
    });

    it('refuses an event that nobody asked for, and a gap', () => {
      expect(faults({ commands: COMMANDS.slice(0, 3) })).to.deep.equal(['r has an event that nobody asked for: c3']);
      const gap = [...LEDGER.slice(0, 2), event(2, 3, {})];
      expect(faults({ commands: COMMANDS.slice(0, 2) }, gap)).to.include('r has revision 3 where 2 is due');
    });
  });

  describe('of reads', () => {
    const stale = (...reads: ReadonlyArray<Read>): ReadonlyArray<string> => faults({ reads: [...reads] });

    it('refuses one that is older than what was acknowledged before it', () => {
      expect(stale(read(0, 16))).to.deep.equal([
        'a read from 16.000 to 17.000 shows r as revision 0, and not as a revision from 1 to 1',
      ]);
    });

    it('takes the older or the newer state while a change is not answered', () => {
      expect(stale(read(0, 11), read(1, 11))).to.deep.equal([]);
    });

    it('refuses one that has what was not asked for yet', () => {
      expect(stale(read(2, 16))).to.have.length(1);
    });

    it('refuses one that goes back in the same process', () => {
      expect(stale(read(1, 11), read(0, 13))).to.have.length(1);
      expect(stale(read(1, 11), read(0, 13, { process: other }))).to.deep.equal([]);
      expect(stale(read(1, 11), read(0, 13, { of: 'Record' }))).to.deep.equal([]);
    });

    it('refuses one that goes back in another process after three seconds', () => {
      const commands = [done(0), done(1, { ended: 9_000, outcome: 'Unknown' })];
      const reads = [read(1, 11), read(0, 3_014, { process: other })];
      expect(faults({ commands, reads }, LEDGER.slice(0, 2))).to.have.length(1);
    });

    it('refuses a record that is absent where it is there, and one that is there again', () => {
      const absent = { seen: 'absent', fits: ({ isThere }: State) => !isThere };
      expect(stale(read(0, 6, absent))).to.have.length(1);
      expect(stale(read(2, 36))).to.have.length(1);
      expect(stale(read(0, 36, absent))).to.deep.equal([]);
    });

    it('refuses a record that nobody has made', () => {
      expect(stale(read(0, 6, { record: 's' }))).to.deep.equal(['s has no history, and a read shows it']);
    });

    it('refuses a history that is none, and another event of the ledger', () => {
      const events = [{ ...LEDGER[0]!, name: 'other' }];
      const shown = (way: 'history' | 'ledger', seen: typeof events): Told['shown'] => [
        { where: 'it', way, process: one, began: 50, ended: 51, events: seen },
      ];
      expect(faults({ shown: shown('ledger', events) })).to.deep.equal(['it shows revision 0 of r as another event']);
      expect(faults({ shown: shown('history', LEDGER.slice(1)) })).to.deep.equal(['it has shown another history']);
    });
  });

  describe('of what was erased', () => {
    const gone = { type: 'erased', data: {}, reason: undefined };
    const says = event(4, 4, { name: 'BusinessErased', data: { events: 'all' }, reason: undefined });
    const written = [...LEDGER, says];
    const erased = [...LEDGER.map((each) => ({ ...each, ...gone })), says];
    const noted = [{ stream: 'business-r', events: 'all', began: 50, ended: 60 }] as const;
    const held = (told: Partial<Told>, ledger = erased): ReadonlyArray<string> =>
      toldFaults({ ...makeTold(), commands: COMMANDS, ...told }, ledger, { noted, written });
    const shown = (began: number, [event]: ReadonlyArray<LedgerEvent>, more: Partial<Told['shown'][number]> = {}) => ({
      ...{ where: 'it', way: 'ledger' as const, process: one, began, ended: began + 1 },
      events: event === undefined ? [] : [event],
      ...more,
    });
    const hasName = (began: number, more: Partial<Read> = {}): Read =>
      read(2, began, { fits: ({ name }) => name === 'n2', ...more });
    const isGone = (began: number): Read => read(4, began, { fits: ({ isThere, name }) => !isThere && name === '' });

    it('finds nothing where it is shown before, in part while it is erased, and then no more', () => {
      expect(held({ reads: [hasName(40), hasName(55), isGone(55), isGone(70)] })).to.deep.equal([]);
      expect(
        held({ shown: [shown(40, written), shown(52, written), shown(55, erased), shown(70, erased)] }),
      ).to.deep.equal([]);
    });

    it('refuses what is shown when nothing of it may be left, or not yet', () => {
      expect(held({ reads: [hasName(61)] })).to.have.length(1);
      expect(held({ reads: [isGone(40)] })).to.have.length(1);
      expect(held({ shown: [shown(61, written)] })).to.deep.equal([
        'it shows revision 0 of r, which was erased before',
      ]);
      expect(held({ shown: [shown(40, erased)] })).to.deep.equal([
        'it shows revision 0 of r as erased, which it is not yet',
      ]);
    });

    it('refuses of one process what it has shown as erased, and may of another', () => {
      const again = (process: object) => held({ shown: [shown(52, erased), shown(55, written, { process })] });
      expect(again(one)).to.deep.equal(['it shows revision 0 of r, and has shown it as erased']);
      expect(again(other)).to.deep.equal([]);
    });

    it('refuses a ledger in which something of it is left, something else is not, or that nobody has begun', () => {
      expect(held({}, [...LEDGER.slice(0, 1), ...erased.slice(1)])).to.have.length(1);
      expect(held({}, [...erased.slice(0, 4), { ...says, data: { events: [[0, 2]] } }])).to.have.length(1);
      expect(toldFaults({ ...makeTold(), commands: COMMANDS }, erased, { noted: [], written })).to.deep.equal([
        'revision 4 of r says that something was erased, which nobody has begun',
      ]);
    });

    it('refuses an owner whose events are erased, and not one who was added since', () => {
      const owned = (index: number, user: string) =>
        event(index, index, { name: 'BusinessOwnerAdded', data: { user, title: 't' } });
      const ranges = { data: { events: [[1, 1]] }, reason: undefined };
      const ledger = [LEDGER[0]!, owned(1, 'ann'), owned(2, 'bob'), event(3, 3, { name: 'BusinessErased', ...ranges })];
      const part = [{ stream: 'business-r', events: [[1, 1] as [number, number]], began: 50, ended: 60 }] as const;
      const ofOwners = (users: string, began: number): ReadonlyArray<string> =>
        toldFaults(
          {
            ...makeTold(),
            commands: [0, 1, 2].map((index) => done(index, { isShownBy: () => true })),
            reads: [read(3, began, { fits: ({ owners }) => Object.keys(owners).join() === users })],
          },
          ledger.map((each) => (each.revision === 1 ? { ...each, ...gone } : each)),
          { noted: part, written: ledger },
        );
      expect(ofOwners('ann,bob', 40)).to.deep.equal([]);
      expect(ofOwners('bob', 61)).to.deep.equal([]);
      expect(ofOwners('ann,bob', 61)).to.have.length(1);
    });
  });

  describe('of lists', () => {
    const listed = (...lists: ReadonlyArray<Listed>): ReadonlyArray<string> => faults({ lists: [...lists] });

    it('refuses one without a record, or with an old state of it', () => {
      expect(listed(list(6, undefined))).to.have.length(1);
      expect(listed(list(16, 0))).to.have.length(1);
    });

    it('refuses one with a record that was deleted', () => {
      expect(listed(list(36, 2))).to.have.length(1);
    });

    it('refuses one that shows a record otherwise than it was', () => {
      const [{ row, ...shown }] = list(6, 0).rows as [Listed['rows'][number]]; // reason: it has one
      const otherwise = { ...row, owners: [{ user: 'u', title: 't' }] };
      expect(listed(list(6, 0, { rows: [{ ...shown, row: otherwise }] }))).to.have.length(1);
    });

    it('takes one without a change that is not projected, and one that says that it is old', () => {
      const commands = instead(done(1, { isProjected: false }));
      expect(faults({ commands, lists: [list(16, 0)] })).to.deep.equal([]);
      expect(listed(list(16, 0, { of: 'Old' }))).to.deep.equal([]);
    });

    it('refuses one that goes back all the same', () => {
      const commands = instead(done(1, { isProjected: false }));
      expect(faults({ commands, lists: [list(13, 1), list(16, 0)] })).to.have.length(1);
    });

    it('takes a page without a record, and refuses it where a filter has it', () => {
      expect(listed(list(6, undefined, { isWhole: false }))).to.deep.equal([]);
      const selects = ({ name }: State): boolean => name === 'n1';
      expect(listed(list(6, undefined, { selects }))).to.deep.equal([]);
      expect(listed(list(6, 0, { selects }))).to.have.length(1);
      expect(listed(list(16, undefined, { selects }))).to.have.length(1);
    });

    it('refuses a record twice, and one that nobody has made', () => {
      const [shown] = list(6, 0).rows as [Listed['rows'][number]]; // reason: it has one
      const unknown = { ...shown, row: { ...shown.row, _id: 's' } };
      expect(listed(list(6, 0, { rows: [shown, shown, unknown] }))).to.deep.equal([
        'a list shows r twice',
        'a list shows s, which nobody has made',
      ]);
      expect(listed(list(6, 0, { rows: [shown, shown], mayRepeat: true }))).to.deep.equal([]);
    });
  });

  describe('of feeds', () => {
    const sent = (...indexes: ReadonlyArray<number>): ReadonlyArray<string> =>
      faults({
        feeds: [{ feed: 'a feed', record: undefined, sent: indexes.map((index) => ({ index, id: `event ${index}` })) }],
      });

    it('refuses an event that comes twice, late or not at all', () => {
      expect(sent(0, 1, 2, 3)).to.deep.equal([]);
      expect(sent(0, 1, 1, 2, 3)).to.deep.equal(['a feed has sent 1 twice']);
      expect(sent(0, 2, 1, 3)).to.deep.equal(['a feed has sent 1 after 2']);
      expect(sent(0, 2, 3)).to.deep.equal(['a feed has not sent 1']);
      expect(sent(0, 1, 2)).to.deep.equal(['a feed has not sent 3']);
    });

    it('refuses an event that it is not about', () => {
      const feed = { feed: 'a feed', record: 's', sent: [{ index: 0, id: 'event 0' }] };
      expect(faults({ feeds: [feed] })).to.deep.equal(['a feed has sent event 0 as 0, which is undefined']);
    });
  });
});
