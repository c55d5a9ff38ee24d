import type { Flood } from '../support/flood.js';
import { API, getText, streams, type Tokens } from '../support/requests.js';
import type { Seeded } from '../support/seed.js';

/** Requests one behind the other on a connection, of whose answers nothing is read. */
export const pipelining = (seeded: Seeded, tokens: Tokens): ReadonlyArray<Flood> => {
  const pipelined = (text: string, times: number) => ({
    connections: 6,
    clients: [{ sends: [{ text, times }], reads: 0 }],
    seconds: 4,
  });
  const docs = pipelined(getText('/docs/swagger-ui-bundle.js'), 1_200);
  const file = pipelined(getText(`${API}/document/${seeded.largeFile}/file`, tokens.viewer), 1_200);
  return [
    { name: '1,200 pipelined docs', needs: 'nothing', ...docs },
    { name: '1,200 pipelined files', needs: 'viewer', ...file },
    ...streams(seeded).map(({ name, path, needs }): Flood => {
      const text = getText(path, needs === 'nothing' ? undefined : tokens[needs]);
      return { name: `200 pipelined: ${name}`, needs, ...pipelined(text, 200) };
    }),
    { name: '1,200 pipelined docs, 256 open files', needs: 'nothing', ...docs, openFiles: 256 },
    { name: '1,200 pipelined files, 256 open files', needs: 'viewer', ...file, openFiles: 256 },
  ];
};
