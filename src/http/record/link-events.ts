import { either as E } from 'fp-ts';
import { type Linked, linkRows } from '../link/link-rows.js';
import type { Links } from '../link/links.js';
import { LinkedFeedParameters } from '../link/operations.js';
import { decodeRequest } from '../request/decode.js';
import type { Route } from '../route.js';
import { followEvents, type Histories } from './list-events.js';
import { recordId } from './record-id.js';

/** The rows in which links to the feed of a record are made and used; the record may be deleted. */
export const linkEventsRows = (
  links: Links | undefined,
  histories: Pick<Histories, 'newestRevision' | 'follow'>,
  rows: Pick<Linked<unknown>, 'purpose' | 'making' | 'using' | 'recorded'>,
): ReadonlyArray<Route> =>
  linkRows(links, {
    ...rows,
    wanted: decodeRequest(LinkedFeedParameters),
    grant: async ({ params, query }) => {
      const id = recordId(params['id']);
      if (E.isLeft(id)) return id;
      const newest = await histories.newestRevision(id.right);
      return E.isLeft(newest) ? newest : E.right({ record: id.right, query });
    },
    read: (request) => followEvents(histories, request),
  });
