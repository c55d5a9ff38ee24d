import { option as O } from 'fp-ts';
import type { Queries, View } from './queries.js';
import { withLifecycle } from './record-body.js';
import { type Folding, rowOrFold } from './row-or-fold.js';

type GetViewDeps<State> = Folding<State> & {
  readonly queries: Pick<Queries<never>, 'byId'>;
  /** None for a state in which there is nothing to GET: not created, or deleted. */
  readonly render: (id: string, state: State) => O.Option<string>;
};

/** GET by id. */
export const makeGetView = <State>({ queries, render, ...folding }: GetViewDeps<State>) =>
  rowOrFold(folding, queries.byId, (id, { state, ...lifecycle }): O.Option<View> =>
    O.map((record: string) => ({
      id,
      revision: lifecycle.revision,
      body: Buffer.from(withLifecycle(record, lifecycle)),
    }))(render(id, state)),
  );
