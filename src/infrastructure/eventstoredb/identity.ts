import { randomUUID } from 'node:crypto';
import { either as E, taskEither as TE } from 'fp-ts';
import * as t from 'io-ts';
import { canonicalJson } from '../../event-sourcing/canonical-json.js';
import { type EventStore, StoreUnavailable } from '../../event-sourcing/event-store.js';
import type { StreamName } from '../../event-sourcing/recorded-event.js';
import { asStoreUnavailable } from './call-failed.js';
import { type Access, onLeader } from './on-leader.js';
import { readPage } from './read-page.js';
import { streamRead } from './read-request.js';

const STREAM: StreamName = 'log-identity';

const LogNamed = t.type({ identity: t.string });

const stored = async (access: Access): Promise<string | undefined> => {
  const request = streamRead(STREAM, 'forwards', 0n, 1);
  const [event] = (await onLeader(access, (node) => readPage(node, request, access.timings.silence))).events;
  if (event === undefined) return undefined;
  const decoded = LogNamed.decode(JSON.parse(event.data));
  if (E.isLeft(decoded)) throw new StoreUnavailable(`${STREAM} does not hold the name of this log`);
  return decoded.right.identity;
};

/**
 * The name of the log is its one event in `log-identity`, written by whoever asks first: of several, one wins and
 * the others read what it wrote. A backup keeps it.
 */
export const makeIdentity =
  (access: Access, append: EventStore['append']): EventStore['identity'] =>
  () =>
    TE.tryCatch(async () => {
      const known = await stored(access);
      if (known !== undefined) return known;
      const data = canonicalJson({ identity: randomUUID() });
      const outcome = await append(STREAM, 'no-stream', [
        { id: randomUUID(), type: 'LogNamed', data, metadata: '{}' },
      ])();
      const named = E.isLeft(outcome) && outcome.left._tag !== 'RevisionConflict' ? undefined : await stored(access);
      if (named === undefined) throw new StoreUnavailable(`${STREAM} could not be written`);
      return named;
    }, asStoreUnavailable);
