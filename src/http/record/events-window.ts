import { either as E } from 'fp-ts';
import type { Revision } from '../../event-sourcing/recorded-event.js';
import type { EventsRequest, History } from '../../read/history.js';
import type { Failure } from '../problem/failure.js';

type Window = {
  readonly request: EventsRequest;
  /** Where the page after this one starts; undefined when this is the last, or all was asked for. */
  readonly next: Revision | undefined;
};

/** Of the newest event of an entity. */
export const newestRevision = async (
  events: History<never>['events'],
  id: string,
): Promise<E.Either<Failure, Revision>> => {
  const pages = await events(id, { direction: 'backwards', limit: 1, proof: false });
  if (E.isLeft(pages)) return pages;
  for await (const { last } of pages.right) return E.right(last);
  return E.left({ _tag: 'NeverExisted' });
};

/** What is read, and what follows it. Revisions are dense, so the newest one tells where the pages end. */
const windowOf = (head: Revision, request: EventsRequest): Window => {
  const { direction, from, limit } = request;
  if (direction === 'forwards') {
    const next = limit === undefined ? undefined : (from ?? 0n) + BigInt(limit);
    return { request, next: next !== undefined && next <= head ? next : undefined };
  }
  const start = from === undefined || from > head ? head : from;
  const next = limit === undefined ? undefined : start - BigInt(limit);
  return { request: { ...request, from: start }, next: next !== undefined && next >= 0n ? next : undefined };
};

/** The newest revision is looked up only where it matters: for pages, and for a way down from some place. */
export const eventsWindow = async (
  events: History<never>['events'],
  id: string,
  request: EventsRequest,
): Promise<E.Either<Failure, Window>> => {
  const isOpen = request.limit === undefined && (request.direction === 'forwards' || request.from === undefined);
  if (isOpen) return E.right({ request, next: undefined });
  const head = await newestRevision(events, id);
  return E.isLeft(head) ? head : E.right(windowOf(head.right, request));
};
