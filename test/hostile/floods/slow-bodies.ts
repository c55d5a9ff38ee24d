import { setTimeout as delay } from 'node:timers/promises';
import { JSON_LIMIT } from '../../../src/http/request/json-body.js';
import type { Flood } from '../support/flood.js';
import { API, sizedHead, type Tokens } from '../support/requests.js';

const KIB = 1024;
const SECONDS = 10;
/** Longest that somebody else may wait for an answer, ms. */
const IN_TIME = 2_000;

/** Sends bodies that take of the budget, one after the other, as long as the flood lasts. */
const sendMeanwhile =
  (token: string) =>
  async (address: string): Promise<ReadonlyArray<string>> => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ name: 'somebody else', ignored: 'x'.repeat(64 * KIB) });
    const faults = [];
    for (let second = 0; second < SECONDS; second += 1) {
      const began = performance.now();
      const { status } = await fetch(`${address}${API}/business`, { method: 'POST', headers, body });
      const took = performance.now() - began;
      if (status !== 200 || took > IN_TIME)
        faults.push(`a body of somebody else: ${status} after ${Math.round(took)} ms`);
      await delay(1_000);
    }
    return faults;
  };

/** Bodies that never stall and take all the bytes that their sender gets. */
export const slowBodies = ({ editor, somebody }: Tokens): ReadonlyArray<Flood> => [
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
    seconds: 0,
    meanwhile: sendMeanwhile(somebody),
  },
];
