import type { SealedTree } from '../../read/sealed-tree.js';
import type { OperationDescription } from '../openapi/operation-description.js';
import { TLOG } from '../paths.js';
import type { Route } from '../route.js';
import { getCheckpoint, getTile } from './resources.js';

const described = {
  tag: 'Transparency log',
  requestHeaders: ['If-Match', 'If-None-Match'],
  responseHeaders: ['ETag'],
  otherStatuses: [304],
  failures: [400, 404, 412, 500, 503],
} satisfies Partial<OperationDescription>;

const row = { method: 'GET', access: 'public' } as const;

/** The tree over all events, for anybody: hashes of salted hashes, which tell nothing but how many there are. */
export const tlogRoutes = (tree: SealedTree): ReadonlyArray<Route> => [
  {
    ...row,
    operation: 'tlogCheckpoint',
    description: {
      ...described,
      summary: 'The newest signed checkpoint (C2SP tlog-checkpoint); 404 before the first',
      success: { mediaType: 'text/plain' },
    },
    path: `${TLOG}/checkpoint`,
    handle: getCheckpoint(tree),
  },
  {
    ...row,
    operation: 'tlogEntries',
    description: {
      ...described,
      summary:
        'Hashes of events, each after its length (C2SP tlog-tiles): 005, x001/x234/067, or 005.p/17 for the first 17',
      success: { mediaType: 'application/octet-stream' },
    },
    path: `${TLOG}/tile/entries/*index`,
    handle: getTile(tree),
  },
  {
    ...row,
    operation: 'tlogTile',
    description: {
      ...described,
      summary: 'Hashes of the tree (C2SP tlog-tiles): 005, x001/x234/067, or 005.p/17 for the first 17',
      success: { mediaType: 'application/octet-stream' },
    },
    path: `${TLOG}/tile/:level/*index`,
    handle: getTile(tree),
  },
];
