import type { Read } from '../checks/reads.js';
import { type SeenEvent, stateAt } from '../checks/states.js';
import { isLucky, oneOf } from '../chance.js';
import { aRecord, askAny, type Asked, type Client } from './client.js';
import { type Seen, seenOf } from './seen.js';
import { BUSINESSES } from './on-businesses.js';
import { DOCUMENTS } from './on-documents.js';
import type { Kind } from './told.js';

export const PATHS: Readonly<Record<Kind, string>> = { Business: BUSINESSES, Document: DOCUMENTS };

// reason: what the API answers
export const eventsIn = ({ answer: { text } }: Asked) => JSON.parse(text) as ReadonlyArray<SeenEvent>;

const note = (
  { told }: Client,
  record: string,
  path: string,
  { process, began, ended }: Asked,
  seen: Pick<Read, 'of'> & Seen,
): void => void told.reads.push({ record, where: `GET ${path}`, process, began, ended, ...seen });

const aKind = (client: Client): Kind => (isLucky(client, 0.8) ? 'Business' : 'Document');

const aPath = (client: Client): { readonly record: string; readonly path: string } | undefined => {
  const kind = aKind(client);
  const record = aRecord(client, kind);
  return record === undefined ? undefined : { record, path: `${PATHS[kind]}/${record}` };
};

const isUnexpected = ({ notes }: Client, path: string, { answer: { status, text } }: Asked): boolean => {
  if (status === 200 || status === 404) return false;
  notes.breaks(`GET ${path} was answered ${status} ${text}`);
  return true;
};

export const readById = async (client: Client): Promise<void> => {
  const { record, path } = aPath(client) ?? {};
  if (record === undefined || path === undefined) return;
  const asked = await askAny(client, { method: 'GET', path });
  if (asked !== undefined && !isUnexpected(client, path, asked))
    note(client, record, path, asked, { of: 'Record', ...seenOf(asked) });
};

/** Reads a history, and then a state of it, as it was. */
export const readHistory = async (client: Client): Promise<void> => {
  const { record, path } = aPath(client) ?? {};
  if (record === undefined || path === undefined) return;
  const asked = await askAny(client, { method: 'GET', path: `${path}/events` });
  if (asked === undefined || isUnexpected(client, path, asked) || asked.answer.status === 404) return;
  const events = eventsIn(asked);
  const [, newest] = /^"(\d+);/.exec(asked.answer.headers.etag ?? '') ?? [];
  if (newest !== String(events.length - 1) && newest !== undefined)
    client.notes.breaks(`GET ${path}/events has ${events.length} events, and the tag of ${newest}`);
  const { process, began, ended } = asked;
  client.told.shown.push({ where: `GET ${path}/events`, way: 'history', process, began, ended, events });
  note(client, record, `${path}/events`, asked, {
    of: 'Log',
    seen: `${events.length} events`,
    fits: ({ revision }) => revision === events.length - 1,
  });
  if (events.some(({ type }) => type === 'erased')) client.notes.count('a history has erased events');
  const event = oneOf(client, events);
  if (event === undefined) return;
  const { revision, at } = event;
  const isByTime = isLucky(client, 0.5);
  const then = `${path}?${isByTime ? `at=${at}` : `revision=${revision}`}`;
  const earlier = await askAny(client, { method: 'GET', path: then });
  if (earlier === undefined || isUnexpected(client, then, earlier)) return;
  client.notes.count('an earlier state is read');
  const { fits, seen } = seenOf(earlier);
  note(client, record, then, earlier, {
    of: 'Log',
    seen,
    fits: (state, states) => {
      const known = states.slice(0, state.revision + 2);
      const was = isByTime ? stateAt(known, at) : known[revision + 1];
      return was !== undefined && fits(was, known);
    },
  });
};
