import { either as E } from 'fp-ts';
import { type EventStore, StoreUnavailable } from '../../event-sourcing/event-store.js';
import type { StreamName } from '../../event-sourcing/recorded-event.js';
import type { EventBytes } from '../../event-sourcing/stream-page.js';
import type { LogTarget } from '../../event-sourcing/whole-log/log-target.js';
import { type Access, readOnLeader } from './connection/on-leader.js';
import { readPage } from './reading/read-page.js';
import { streamRequest } from './reading/read-request.js';

/** Of none of our categories, so that it is no part of the log that is restored. Its last event says what is. */
const STREAM: StreamName = 'log-restore';

const BEGAN = 'RestoreBegan';
const ENDED = 'RestoreEnded';

const lastMark = async (access: Access) => {
  const request = streamRequest(STREAM, 'backwards', undefined, 1);
  const page = await readOnLeader(access, (node, timeout) => readPage(node, request, timeout));
  return E.map(({ events }: { readonly events: ReadonlyArray<EventBytes> }) => events[0])(page);
};

/** The mark of a restore that has not ended. */
export const makeRestoreMark = (
  access: Access,
  append: EventStore['append'],
): Pick<LogTarget, 'isBeingRestored' | 'markRestore'> => ({
  isBeingRestored: async () => E.map((mark: EventBytes | undefined) => mark?.type === BEGAN)(await lastMark(access)),
  markRestore: async (state) => {
    const last = await lastMark(access);
    if (E.isLeft(last)) return last;
    const event = {
      id: access.runtime.random.uuid(),
      type: state === 'begun' ? BEGAN : ENDED,
      data: '{}',
      metadata: '{}',
    };
    const appended = await append(STREAM, last.right?.revision ?? 'no-stream', [event]);
    return E.bimap(
      (failure: unknown) => new StoreUnavailable(`${STREAM} could not be written`, failure),
      () => undefined,
    )(appended);
  },
});
