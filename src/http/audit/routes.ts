import { either as E } from 'fp-ts';
import type { AccessQueries } from '../../read/access/access-record.js';
import type { FindChanges } from '../../read/ledger-diffs.js';
import type { LedgerFeed } from '../../read/ledger-feed.js';
import type { Ledger } from '../../read/ledger.js';
import type { SealedTree } from '../../read/sealed-tree.js';
import { auditors, overseers } from '../authentication/roles.js';
import type { OperationDescription } from '../openapi/operation-description.js';
import { EVENT_STREAM } from '../feed/event-stream.js';
import { LAST_EVENT_ID } from '../feed/parameters.js';
import { linkRows } from '../link/link-rows.js';
import type { Links } from '../link/links.js';
import { feedByLink, linking, linkParameters } from '../link/operations.js';
import { fields } from '../fields/fields-type.js';
import { AUDIT_API } from '../paths.js';
import { describedBy, type Route, rowOf } from '../route.js';
import { formsOfEvents, formsOfReads, otherTypes } from './forms.js';
import { followLedger, listLedger } from './list-ledger.js';
import { listReads } from './list-reads.js';
import { LedgerFeedParameters, LedgerParameters, readLedgerParameters } from './parameters.js';
import { proveEvent } from './prove-event.js';
import { ReadsParameters } from './reads-parameters.js';
import { ReadsResponse } from './reads-response.js';

/** The purpose of links to the feed of the ledger. */
const LINKED_EVENTS = 'audit/events';

const auditOperations = {
  listAllEvents: {
    tag: 'Audit',
    summary: 'What happened to all records, in the order of the log: all of it, or a page',
    query: LedgerParameters,
    refusesUnknown: true,
    success: { eventsOf: 'all' },
    requestHeaders: [LAST_EVENT_ID],
    otherForms: [...otherTypes(formsOfEvents), EVENT_STREAM],
    responseHeaders: ['Link'],
    failures: [400, 401, 500, 503],
  },
  linkAllEvents: {
    tag: 'Audit',
    summary: 'A link to the feed of all records, which a browser can follow without a token until the link expires',
    query: fields({ ...LedgerFeedParameters.props, ...linkParameters }),
    refusesUnknown: true,
    ...linking(LINKED_EVENTS),
  },
  followLinkedEvents: {
    tag: 'Audit',
    summary: 'What happens to all records, as Server-Sent Events, by a link',
    ...feedByLink,
  },
  listReads: {
    tag: 'Audit',
    summary: 'Who read histories, earlier states and files, or exported them: all of it, or a page',
    query: ReadsParameters,
    refusesUnknown: true,
    success: ReadsResponse,
    otherForms: otherTypes(formsOfReads),
    responseHeaders: ['Link'],
    failures: [400, 401, 500, 503],
  },
  proveEvent: {
    tag: 'Audit',
    summary: 'The proof that an event is in the signed log (C2SP tlog-proof), by its index',
    refusesUnknown: true,
    success: { mediaType: 'text/plain' },
    failures: [400, 401, 404, 500, 503],
  },
} satisfies Readonly<Record<string, OperationDescription>>;

const described = describedBy(auditOperations);
const row = rowOf(auditOperations);

const recorded = { when: 'always' } as const;

/** The proof of one event. */
const proofRoute = (ledger: Pick<Ledger, 'page'>, tree: SealedTree): Route => ({
  ...row('proveEvent', 'GET', `${AUDIT_API}/events/:index/proof`, auditors),
  handle: proveEvent(ledger, tree),
});

/** The interface for auditors, beside that of the records. Without a sealed tree there are no proofs, without `links` no links. */
export const auditRoutes = (
  ledger: Ledger,
  feed: LedgerFeed,
  findChanges: FindChanges,
  tree?: SealedTree,
  links?: Links,
): ReadonlyArray<Route> => [
  {
    ...row('listAllEvents', 'GET', `${AUDIT_API}/events`, auditors),
    recorded,
    handle: listLedger(ledger, feed, findChanges),
  },
  ...(tree === undefined ? [] : [proofRoute(ledger, tree)]),
  ...linkRows(links, {
    purpose: LINKED_EVENTS,
    making: row('linkAllEvents', 'POST', `${AUDIT_API}/events/link`, auditors),
    wanted: readLedgerParameters,
    grant: ({ query }) => Promise.resolve(E.right({ query })),
    using: described('followLinkedEvents'),
    recorded,
    read: (request) => followLedger(feed, request),
  }),
];

/** The record of reads, for those who may see who read what. */
export const readsRoutes = (reads: AccessQueries): ReadonlyArray<Route> => [
  { ...row('listReads', 'GET', `${AUDIT_API}/reads`, overseers), recorded, handle: listReads(reads) },
];
