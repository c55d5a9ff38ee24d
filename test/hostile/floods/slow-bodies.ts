import { JSON_LIMIT } from '../../../src/http/request/json-body.js';
import type { Flood } from '../support/flood.js';
import { API, sizedHead, type Tokens } from '../support/requests.js';

const KIB = 1024;

/** Bodies that never stall and take all the bytes that their sender gets. */
export const slowBodies = ({ editor }: Tokens): ReadonlyArray<Flood> => [
  {
    name: '700 bodies of 16 KiB a second',
    needs: 'editor',
    connections: 700,
    clients: [
      {
        sends: [
          { text: sizedHead('POST', `${API}/business`, editor, 'application/json', JSON_LIMIT) },
          { text: ' ', times: 17 * KIB },
        ],
        trickles: { text: ' ', times: 4 * KIB },
        reads: Infinity,
      },
    ],
    burst: 20,
    seconds: 10,
  },
];
