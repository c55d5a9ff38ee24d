import { either as E } from 'fp-ts';
import * as t from 'io-ts';
import { textOf } from '../../event-sourcing/byte-string.js';
import { canonicalJson } from '../../event-sourcing/canonical-json.js';
import { type EventStore, StoreUnavailable } from '../../event-sourcing/event-store.js';
import type { Revision, StreamName } from '../../event-sourcing/recorded-event.js';
import type { EventBytes } from '../../event-sourcing/stream-page.js';
import type { LogTarget } from '../../event-sourcing/whole-log/log-target.js';
import { type Access, readOnLeader } from './connection/on-leader.js';
import { readPage } from './reading/read-page.js';
import { streamRequest } from './reading/read-request.js';

const STREAM: StreamName = 'log-identity';

const LogNamed = t.type({ identity: t.string });

type StoredIdentity = { readonly identity: string; readonly revision: Revision };

const decode = ({ data, revision }: EventBytes): E.Either<StoreUnavailable, StoredIdentity> => {
  const parsed = E.tryCatch((): unknown => JSON.parse(textOf(data)), E.toError);
  const named = E.chainW((value: unknown) => LogNamed.decode(value))(parsed);
  return E.isLeft(named)
    ? E.left(new StoreUnavailable(`${STREAM} does not hold the name of this log`))
    : E.right({ identity: named.right.identity, revision });
};

const storedIdentity = async (access: Access): Promise<E.Either<StoreUnavailable, StoredIdentity | undefined>> => {
  const request = streamRequest(STREAM, 'backwards', undefined, 1);
  const page = await readOnLeader(access, (node, timeout) => readPage(node, request, timeout));
  if (E.isLeft(page)) return page;
  const [event] = page.right.events;
  return event === undefined ? E.right(undefined) : decode(event);
};

/**
 * Appends a name at the revision of `known`, and gives the name that the log then has: of several processes one
 * succeeds, and the others read what it wrote.
 */
const nameLog = async (
  access: Access,
  append: EventStore['append'],
  known: StoredIdentity | undefined,
  identity: string,
): Promise<E.Either<StoreUnavailable, string>> => {
  const event = {
    id: access.runtime.random.uuid(),
    type: 'LogNamed',
    data: canonicalJson({ identity }),
    metadata: '{}',
  };
  const outcome = await append(STREAM, known?.revision ?? 'no-stream', [event]);
  if (E.isLeft(outcome) && outcome.left._tag !== 'RevisionConflict')
    return E.left(new StoreUnavailable(`${STREAM} could not be written`, outcome.left));
  const named = await storedIdentity(access);
  if (E.isLeft(named)) return named;
  return named.right === undefined
    ? E.left(new StoreUnavailable(`${STREAM} could not be read back`))
    : E.right(named.right.identity);
};

/**
 * The name of the log is the last event in `log-identity`, written by whoever asks first. A backup keeps it; only a
 * copy, while it is empty, takes another name.
 */
export const makeIdentity =
  (access: Access, append: EventStore['append']): EventStore['identity'] =>
  async () => {
    const known = await storedIdentity(access);
    if (E.isLeft(known)) return known;
    return known.right === undefined
      ? nameLog(access, append, undefined, access.runtime.random.uuid())
      : E.right(known.right.identity);
  };

export const makeAdoptIdentity =
  (
    access: Access,
    { append, head, identity: ownIdentity }: Pick<EventStore, 'append' | 'head' | 'identity'>,
  ): LogTarget['adoptIdentity'] =>
  async (identity) => {
    const known = await storedIdentity(access);
    if (E.isLeft(known)) return known;
    const newest = await head();
    if (E.isLeft(newest)) return newest;
    if (newest.right !== undefined)
      return E.flatMap((own: string) => E.left({ _tag: 'LogNotEmpty' as const, identity: own }))(await ownIdentity());
    if (known.right?.identity === identity) return E.right(undefined);
    const named = await nameLog(access, append, known.right, identity);
    if (E.isLeft(named)) return named;
    return named.right === identity
      ? E.right(undefined)
      : E.left(new StoreUnavailable('another process has just named this log'));
  };
