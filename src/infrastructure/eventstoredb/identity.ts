import { randomUUID } from 'node:crypto';
import { either as E } from 'fp-ts';
import * as t from 'io-ts';
import { attempt } from '../../event-sourcing/attempt.js';
import { canonicalJson } from '../../event-sourcing/canonical-json.js';
import { asStoreUnavailable, type EventStore, StoreUnavailable } from '../../event-sourcing/event-store.js';
import type { Revision, StreamName } from '../../event-sourcing/recorded-event.js';
import type { LogTarget } from '../../event-sourcing/whole-log/log-target.js';
import { type Access, onLeader } from './on-leader.js';
import { readPage } from './read-page.js';
import { streamRead } from './read-request.js';

const STREAM: StreamName = 'log-identity';

const LogNamed = t.type({ identity: t.string });

type Name = { readonly identity: string; readonly revision: Revision };

const stored = async (access: Access): Promise<Name | undefined> => {
  const request = streamRead(STREAM, 'backwards', undefined, 1);
  const [event] = (await onLeader(access, (node, silence) => readPage(node, request, silence))).events;
  if (event === undefined) return undefined;
  const decoded = LogNamed.decode(JSON.parse(event.data));
  if (E.isLeft(decoded)) throw new StoreUnavailable(`${STREAM} does not hold the name of this log`);
  return { identity: decoded.right.identity, revision: event.revision };
};

/** Appends a name behind `known`. Of several who do so at once one wins; the others then read what it wrote. */
const name = async (
  append: EventStore['append'],
  known: Name | undefined,
  identity: string,
): Promise<E.Either<StoreUnavailable, void>> => {
  const event = { id: randomUUID(), type: 'LogNamed', data: canonicalJson({ identity }), metadata: '{}' };
  const outcome = await append(STREAM, known?.revision ?? 'no-stream', [event]);
  return E.isLeft(outcome) && outcome.left._tag !== 'RevisionConflict'
    ? E.left(new StoreUnavailable(`${STREAM} could not be written`, outcome.left))
    : E.right(undefined);
};

/**
 * The name of the log is the last event in `log-identity`, written by whoever asks first. A backup keeps it; only a
 * log without events is ever named anew, as a copy of another.
 */
export const makeIdentity =
  (access: Access, append: EventStore['append']): EventStore['identity'] =>
  () =>
    attempt(async () => {
      const known = await stored(access);
      if (known !== undefined) return known.identity;
      const outcome = await name(append, undefined, randomUUID());
      if (E.isLeft(outcome)) throw outcome.left;
      const named = await stored(access);
      if (named === undefined) throw new StoreUnavailable(`${STREAM} could not be read back`);
      return named.identity;
    }, asStoreUnavailable);

export const makeAdoptIdentity =
  (
    access: Access,
    { append, head, identity: nameOf }: Pick<EventStore, 'append' | 'head' | 'identity'>,
  ): LogTarget['adoptIdentity'] =>
  async (identity) => {
    try {
      const [known, newest] = [await stored(access), await head()];
      if (E.isLeft(newest)) return newest;
      if (newest.right !== undefined)
        return E.flatMap((other: string) => E.left({ _tag: 'LogNotEmpty' as const, identity: other }))(await nameOf());
      if (known?.identity === identity) return E.right(undefined);
      const named = await name(append, known, identity);
      if (E.isLeft(named) || (await stored(access))?.identity === identity) return named;
      return E.left(new StoreUnavailable('another process has just named this log'));
    } catch (failure) {
      return E.left(asStoreUnavailable(failure));
    }
  };
