import { either as E, option as O } from 'fp-ts';
import type { LoadFailure } from '../event-sourcing/for-each-event.js';
import type { AdmitPage } from './admit-page.js';
import type { Freshness } from './freshness.js';
import type { AsOf, History, StateThen } from './history.js';
import type { Queries, View } from './queries.js';

type GetViewDeps<State> = {
  readonly queries: Pick<Queries<never>, 'byId'>;
  readonly history: Pick<History<State>, 'stateAsOf'>;
  readonly freshness: Freshness;
  /** None for a state in which the entity does not answer to GET: not created, or deleted. */
  readonly render: (id: string, state: State) => O.Option<string>;
};

/** GET by id: the row; the folded stream when the row may be behind or its database is away, or for an earlier state. */
export const makeGetView =
  <State>({ queries, history, freshness, render }: GetViewDeps<State>) =>
  async (id: string, asOf: AsOf, admitPage: AdmitPage): Promise<E.Either<LoadFailure, O.Option<View>>> => {
    if (asOf._tag === 'Now' && !freshness.isBehind()) {
      const row = await queries.byId(id);
      if (E.isRight(row)) return row;
    }
    const toView = ({ state, revision }: StateThen<State>): O.Option<View> =>
      O.map((body: string) => ({ id, revision, body }))(render(id, state));
    const then = await history.stateAsOf(id, asOf, admitPage);
    return E.isLeft(then) ? then : E.right(O.chain(toView)(then.right));
  };
