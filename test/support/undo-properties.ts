import { expect } from 'chai';
import { either as E, option as O } from 'fp-ts';
import * as fc from 'fast-check';
import { makeForesee } from '../../src/application/foresee.js';
import type { Undo, Wanted } from '../../src/application/undo.js';
import type { Decider, Occurrence } from '../../src/event-sourcing/decider.js';
import { diff } from '../../src/read/diff.js';
import type { Comparison } from '../../src/read/event-diffs.js';
import { makeManualClock } from './manual-clock.js';

type Subject<State, Then extends State, Command, Event, Rejection, Field extends string> = {
  readonly decider: Decider<State, Command, Event, Rejection>;
  readonly command: fc.Arbitrary<Command>;
  readonly isRecord: (state: State) => state is Then;
  readonly remove: Command;
  readonly restore: Undo<Command>;
  readonly revertTo: (wanted: Wanted<Field>, then: Then) => Undo<Command>;
  readonly revertible: ReadonlyArray<Field>;
  /** What a revert of each field gives back. */
  readonly valuesOf: (state: Then) => Readonly<Record<Field, unknown>>;
  /** What no revert changes. */
  readonly staying: (state: Then) => unknown;
  readonly comparison: Comparison<State>;
};

const ID = '00000000-0000-7000-8000-000000000001';

/** When the event of a revision occurred, and by whom: of each by another one. */
const occurrenceOf = (revision: number): Occurrence => ({
  actor: `user ${revision}`,
  at: new Date(Date.UTC(2026, 0, 1) + revision * 1_000).toISOString(),
  revision,
});

/** What holds of undoing, whatever has happened to an entity. */
export const undoProperties = <State, Then extends State, Command, Event, Rejection, Field extends string>({
  decider,
  command,
  isRecord,
  remove,
  restore,
  revertTo,
  revertible,
  valuesOf,
  staying,
  comparison: { recordOf, identifiedBy },
}: Subject<State, Then, Command, Event, Rejection, Field>): void => {
  const { initialState, decide, evolve } = decider;

  /** The states at all revisions after one more command; as they were if it makes no event. */
  const after = (states: ReadonlyArray<State>, wanted: Command): ReadonlyArray<State> => {
    const state = states.at(-1) ?? initialState;
    const decided = decide(wanted)(state);
    if (E.isLeft(decided)) return states;
    const next = decided.right.map((event) => evolve(state, event, occurrenceOf(states.length)));
    return [...states, ...next];
  };

  const life = fc.array(command, { maxLength: 20 }).map((commands) => commands.reduce(after, []));

  /** A life that has a record at its end and at a revision. */
  const lifeAndRevision = fc
    .tuple(life, fc.nat())
    .map(([states, drawn]) => {
      const revisions = states.flatMap((state, revision) => (isRecord(state) ? [revision] : []));
      return { states, revision: revisions[drawn % Math.max(revisions.length, 1)] ?? -1 };
    })
    .filter(({ states, revision }) => revision >= 0 && isRecord(states.at(-1) ?? initialState));

  const recordAt = (states: ReadonlyArray<State>, revision: number): Then => {
    const state = states.at(revision) ?? initialState;
    if (!isRecord(state)) throw new Error(`there is no record at ${revision}`);
    return state;
  };

  const revertedTo = (states: ReadonlyArray<State>, wanted: Wanted<Field>): ReadonlyArray<State> =>
    after(states, revertTo(wanted, recordAt(states, wanted.revision)).command);

  it('reverts to all that it was, but for what stays, and is so already where it is asked again', () => {
    fc.assert(
      fc.property(lifeAndRevision, ({ states, revision }) => {
        const reverted = revertedTo(states, { revision });
        expect(valuesOf(recordAt(reverted, -1))).to.deep.equal(valuesOf(recordAt(states, revision)));
        expect(staying(recordAt(reverted, -1))).to.deep.equal(staying(recordAt(states, -1)));
        expect(revertedTo(reverted, { revision })).to.have.length(reverted.length);
        expect(reverted.length - states.length).to.be.lessThan(2);
      }),
    );
  });

  it('reverts those fields alone that are asked for', () => {
    fc.assert(
      fc.property(lifeAndRevision, fc.subarray([...revertible], { minLength: 1 }), ({ states, revision }, fields) => {
        const reverted = recordAt(revertedTo(states, { revision, fields }), -1);
        const [then, before] = [valuesOf(recordAt(states, revision)), valuesOf(recordAt(states, -1))];
        for (const field of revertible)
          expect(valuesOf(reverted)[field], field).to.deep.equal((fields.includes(field) ? then : before)[field]);
      }),
    );
  });

  it('is what it was before once a revert is reverted', () => {
    fc.assert(
      fc.property(lifeAndRevision, ({ states, revision }) => {
        const back = revertedTo(revertedTo(states, { revision }), { revision: states.length - 1 });
        expect(back.at(-1)).to.deep.equal(states.at(-1));
      }),
    );
  });

  it('is what it was once it is restored, each time that it was deleted', () => {
    fc.assert(
      fc.property(life, (states) => {
        const now = states.at(-1) ?? initialState;
        fc.pre(isRecord(now));
        const once = [remove, restore.command].reduce(after, states);
        const twice = [remove, restore.command].reduce(after, once);
        expect([once.length, once.at(-1), twice.length, twice.at(-1)]).to.deep.equal([
          ...[states.length + 2, now, states.length + 4, now],
        ]);
        expect(after(states, restore.command)).to.have.length(states.length);
      }),
    );
  });

  it('foresees what the event then changes, and refuses what the command would', async () => {
    await fc.assert(
      fc.asyncProperty(life, command, async (states, wanted) => {
        const next = states.length;
        const state = states.at(-1);
        const foresee = makeForesee({
          clock: makeManualClock(new Date(occurrenceOf(next).at)),
          decider,
          stateNow: () =>
            Promise.resolve(
              E.right(O.map((now: State) => ({ state: now, revision: BigInt(next - 1) }))(O.fromNullable(state))),
            ),
        });
        const { actor } = occurrenceOf(next);
        const foreseen = await foresee({ actor, precondition: undefined }, ID, wanted, () => Promise.resolve(true));
        const decided = decide(wanted)(state ?? initialState);
        if (E.isLeft(foreseen)) {
          expect(foreseen).to.deep.equal(decided);
          return;
        }
        const then = after(states, wanted).at(-1) ?? initialState;
        expect(foreseen.right.after).to.deep.equal(then);
        const changes = (one: State, other: State) => diff(recordOf(ID, one), recordOf(ID, other), identifiedBy);
        expect(changes(foreseen.right.before, foreseen.right.after)).to.deep.equal(
          changes(state ?? initialState, then),
        );
      }),
    );
  });
};
