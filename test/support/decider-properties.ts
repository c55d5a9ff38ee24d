import { expect } from 'chai';
import { either as E } from 'fp-ts';
import * as fc from 'fast-check';
import type { Decider } from '../../src/event-sourcing/decider.js';
import type { DomainEvent, Serde } from '../../src/event-sourcing/serde.js';
import { sometime } from './given.js';
import { stored } from './recorded.js';

type Subject<State, Command, Event extends DomainEvent, Rejection> = {
  readonly decider: Decider<State, Command, Event, Rejection>;
  readonly serde: Serde<Event>;
  readonly event: fc.Arbitrary<Event>;
  readonly command: fc.Arbitrary<Command>;
};

const frozen = <A>(value: A): A => {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
};

/** What holds of every entity, whatever its rules are. */
export const deciderProperties = <State, Command, Event extends DomainEvent, Rejection>({
  decider: { initialState, decide, evolve },
  serde,
  event,
  command,
}: Subject<State, Command, Event, Rejection>): void => {
  const fold = (state: State, events: ReadonlyArray<Event>): State =>
    events.reduce((folded, next) => frozen(evolve(folded, next, sometime)), frozen(state));

  const decided = (state: State, wanted: Command): ReadonlyArray<Event> =>
    E.getOrElse((): ReadonlyArray<Event> => [])(decide(wanted)(state));

  /** A state that commands can lead to. */
  const reachable = fc
    .array(command, { maxLength: 12 })
    .map((commands) => commands.reduce((state, next) => fold(state, decided(state, next)), initialState));

  const reread = (fact: Event): Event => {
    const outcome = serde.decode(stored(fact));
    if (E.isLeft(outcome)) throw new Error(outcome.left.reason);
    return outcome.right.event;
  };

  it('gives an event back from its stored text as it was', () => {
    fc.assert(
      fc.property(event, (fact) => {
        expect(reread(fact)).to.deep.equal(fact);
      }),
    );
  });

  it('folds any events in any order, and never changes what it is given', () => {
    fc.assert(
      fc.property(fc.array(event.map(frozen)), (history) => {
        expect(fold(initialState, history)).to.have.property('_tag').that.is.a('string');
      }),
    );
  });

  it('decides at most one event, and gives the same answer for the same question', () => {
    fc.assert(
      fc.property(reachable, command, (state, wanted) => {
        expect(decided(state, wanted).length).to.be.lessThan(2);
        expect(decide(wanted)(state)).to.deep.equal(decide(wanted)(state));
      }),
    );
  });

  it('has nothing to do, or a reason to reject, when it is asked the same again', () => {
    fc.assert(
      fc.property(reachable, command, (state, wanted) => {
        const after = fold(state, decided(state, wanted));
        expect(decided(after, wanted)).to.deep.equal([]);
      }),
    );
  });

  it('records only what makes a difference', () => {
    fc.assert(
      fc.property(reachable, command, (state, wanted) => {
        const events = decided(state, wanted);
        if (events.length > 0) expect(fold(state, events)).not.to.deep.equal(state);
      }),
    );
  });

  it('comes to the same state by the events as decided and as read back', () => {
    fc.assert(
      fc.property(reachable, command, (state, wanted) => {
        const events = decided(state, wanted);
        expect(fold(state, events.map(reread))).to.deep.equal(fold(state, events));
      }),
    );
  });
};
