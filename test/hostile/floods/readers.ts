import type { Flood } from '../support/flood.js';
import { API, getText, streams, type Tokens } from '../support/requests.js';
import type { Seeded } from '../support/seed.js';
import { longDocument } from '../support/seed-log.js';

const READERS = 4;

/** The page has more bytes than the descriptions of its documents. */
const PAGE_BYTES = 1_000 * Buffer.byteLength(longDocument(0).description ?? '');

/** Reads the page by several clients at once, who take all of it. */
const readPage =
  (token: string) =>
  async (address: string): Promise<ReadonlyArray<string>> => {
    const read = async (): Promise<ReadonlyArray<string>> => {
      const headers = { Authorization: `Bearer ${token}` };
      try {
        const response = await fetch(`${address}${API}/document?limit=1000`, { headers });
        const pieces = response.body as AsyncIterable<Uint8Array>; // reason: an answer has a body, if an empty one
        let bytes = 0;
        let end = '';
        // not parsed: the normal client is in this process, and would be late for that
        for await (const piece of pieces) {
          bytes += piece.length;
          end = Buffer.from(piece.subarray(-2)).toString();
        }
        if (response.status !== 200) return [`the page: ${response.status}`];
        return bytes > PAGE_BYTES && end.trimEnd().endsWith(']') ? [] : [`the page: ${bytes} bytes`];
      } catch (error) {
        return [`the page: ${String(error)}`];
      }
    };
    return (await Promise.all(Array.from({ length: READERS }, read))).flat();
  };

/** Clients that ask for much and take nothing of it, or a byte a second. */
export const readers = (seeded: Seeded, tokens: Tokens): ReadonlyArray<Flood> => {
  const page = getText(`${API}/document?limit=1000`, tokens.viewer);
  return [
    ...[6, 20, 64].map((connections): Flood => {
      const name = `${connections} stopped readers of a page of 40 MB`;
      const stopped = { sends: [{ text: page }], reads: 0, insists: true };
      return { name, needs: 'viewer', connections, clients: [stopped], seconds: 3 };
    }),
    {
      name: 'four readers of a page of 40 MB',
      needs: 'viewer',
      connections: 0,
      clients: [],
      seconds: 0,
      meanwhile: readPage(tokens.viewer),
    },
    ...streams(seeded).map(({ name, path, needs }): Flood => {
      const sends = [{ text: getText(path, needs === 'nothing' ? undefined : tokens[needs]) }];
      return {
        name: `100 stopped readers, 100 of a byte a second: ${name}`,
        needs,
        connections: 200,
        clients: [
          { sends, reads: 0, insists: true },
          { sends, reads: 1 },
        ],
        seconds: 3,
      };
    }),
  ];
};
