import { either as E } from 'fp-ts';
import { answerDeadline } from '../event-sourcing/answer-deadline.js';
import type { Clock } from '../event-sourcing/clock.js';
import type { EarlierState } from '../read/entity-reads.js';
import type { History } from '../read/history.js';

/**
 * Reads an earlier state for a request that begins now and goes on with it: that has the rest of its time. What follows the first
 * page of a history takes none of it, as in a command.
 */
export const makeEarlierState =
  <State>({ monotonic }: Clock, { stateAsOf }: Pick<History<State>, 'stateAsOf'>): EarlierState<State> =>
  async (id, revision, admitPage) => {
    const until = answerDeadline({ monotonic });
    let firstAt: number | undefined;
    let asked = 0;
    const found = await stateAsOf(
      id,
      { _tag: 'AtRevision', revision },
      (bytes) => {
        // once before the stream is read, and then for each of its pages
        asked += 1;
        if (asked === 2) firstAt = monotonic();
        return admitPage(bytes);
      },
      until,
    );
    if (E.isLeft(found)) return found;
    return E.right({ then: found.right, until: firstAt === undefined ? until : until + monotonic() - firstAt });
  };
