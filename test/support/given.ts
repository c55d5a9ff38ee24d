import { expect } from 'chai';
import { either as E } from 'fp-ts';
import type { Decider, Occurrence } from '../../src/event-sourcing/decider.js';

/** Who did everything that was given, and when. */
export const sometime: Occurrence = { actor: 'alice', at: '2026-01-02T03:04:05.678Z', revision: 0 };

/** Given a history, when a command comes, then exactly these events, nothing, or this rejection. */
export const given =
  <State, Command, Event, Rejection>(decider: Decider<State, Command, Event, Rejection>) =>
  (...history: ReadonlyArray<Event>) => ({
    when: (command: Command) => {
      const state = history.reduce((folded, event) => decider.evolve(folded, event, sometime), decider.initialState);
      const outcome = decider.decide(command)(state);
      return {
        thenEvents: (...expected: ReadonlyArray<Event>) => expect(outcome).to.deep.equal(E.right(expected)),
        thenNothing: () => expect(outcome).to.deep.equal(E.right([])),
        thenRejected: (expected: Rejection) => expect(outcome).to.deep.equal(E.left(expected)),
      };
    },
  });
