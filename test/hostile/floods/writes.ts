import type { Flood } from '../support/flood.js';
import { API, sizedHead, type Tokens } from '../support/requests.js';
import type { Seeded } from '../support/seed.js';
import { longDocument } from '../support/seed-log.js';

const CLIENTS = 20;

const jsonText = (method: 'POST' | 'PUT', path: string, token: string, body: object): string => {
  const text = JSON.stringify(body);
  return sizedHead(method, path, token, 'application/json', Buffer.byteLength(text)) + text;
};

/** Writes that are taken, and more of them than a client sends who means well. */
export const writes = ({ owned }: Seeded, { editor }: Tokens): ReadonlyArray<Flood> => {
  const create = jsonText('POST', `${API}/document`, editor, longDocument(0));
  const owner = (client: number): string => `${API}/business/${owned}/owner?ownerId=user-${client + 1}`;
  const changes = (client: number) =>
    Array.from({ length: 10 }, (_, count) => ({ text: jsonText('PUT', owner(client), editor, { equity: count + 1 }) }));
  return [
    {
      name: '200 changes of owners of a record of 1 MB',
      needs: 'editor',
      connections: CLIENTS,
      clients: Array.from({ length: CLIENTS }, (_, client) => ({ sends: changes(client), reads: Infinity })),
      seconds: 10,
    },
    {
      name: '3,000 documents of 40 KB',
      needs: 'editor',
      connections: 3_000,
      clients: [{ sends: [{ text: create }], reads: 0, insists: true, resetsAfter: 0 }],
      burst: CLIENTS,
      seconds: 1,
    },
  ];
};
