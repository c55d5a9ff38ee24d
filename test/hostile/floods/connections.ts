import type { HostileClient } from '../support/attack.js';
import type { Flood } from '../support/flood.js';
import { API, getText, sizedHead, streams, type Tokens } from '../support/requests.js';
import type { Seeded } from '../support/seed.js';

const slowHeaders: HostileClient = {
  sends: [{ text: 'GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ' }],
  trickles: { text: 's' },
  reads: Infinity,
};

const silent: HostileClient = { sends: [], reads: Infinity };

/** A client for each route, which resets its connection at once or while it is answered. */
const resetting = (seeded: Seeded, tokens: Tokens): ReadonlyArray<HostileClient> => {
  const body = '{"name":"of a client that has gone"}';
  const write = sizedHead('POST', `${API}/business`, tokens.editor, 'application/json', body.length) + body;
  const reads = streams(seeded).map(({ path, needs }) =>
    getText(path, needs === 'nothing' ? undefined : tokens[needs]),
  );
  return [write, ...reads].flatMap((text) =>
    [0, 50].map((resetsAfter) => ({ sends: [{ text }], reads: 0, resetsAfter })),
  );
};

/** Connections that are only there, or go at once. */
export const connections = (seeded: Seeded, tokens: Tokens): ReadonlyArray<Flood> => {
  const slow = { needs: 'nothing', connections: 300, clients: [slowHeaders], seconds: 8 } as const;
  return [
    { name: '300 slow headers', ...slow },
    { name: '200 silent connections', needs: 'nothing', connections: 200, clients: [silent], seconds: 5 },
    {
      name: '2,000 resets',
      needs: 'auditor',
      connections: 2_000,
      clients: resetting(seeded, tokens),
      burst: 100,
      seconds: 1,
    },
    { name: '300 slow headers, 256 open files', ...slow, openFiles: 256 },
    {
      name: '300 silent connections, 256 open files',
      needs: 'nothing',
      connections: 300,
      clients: [silent],
      seconds: 5,
      openFiles: 256,
    },
  ];
};
