import { createHash } from 'node:crypto';
import { below, isLucky } from '../chance.js';
import { aRecord, askAny, type Client } from './client.js';
import { DOCUMENTS } from './on-documents.js';

/** Reads the file of a document, of now or of an earlier revision, or a range of it: it is that of one of its states. */
export const download = async (client: Client): Promise<void> => {
  const { told, notes } = client;
  const record = aRecord(client, 'Document');
  if (record === undefined) return;
  const then = isLucky(client, 0.3) ? below(client, 6) : undefined;
  const path = `${DOCUMENTS}/${record}/file${then === undefined ? '' : `?revision=${then}`}`;
  const [from, length] = [below(client, 10), 1 + below(client, 10)];
  const range = isLucky(client, 0.3) ? { range: `bytes=${from}-${from + length - 1}` } : {};
  const asked = await askAny(client, { method: 'GET', path, headers: range });
  if (asked === undefined) return;
  const { status, bytes, headers } = asked.answer;
  if (![200, 206, 404].includes(status)) notes.breaks(`GET ${path} was answered ${status} ${asked.answer.text}`);
  notes.count('a file is read');
  const digest = createHash('sha256').update(bytes).digest('hex');
  const isContent = (sha256: string): boolean =>
    status === 206
      ? told.files
          .get(sha256)
          ?.subarray(from, from + length)
          .equals(bytes) === true
      : sha256 === digest;
  told.reads.push({
    ...asked,
    record,
    of: then === undefined ? 'Record' : 'Log',
    where: `GET ${path}`,
    seen: status === 404 ? 'without a file' : `a file of ${bytes.length} bytes, ${headers.etag}`,
    fits: (now, states) => {
      const state = then === undefined ? now : states.slice(0, now.revision + 2)[then + 1];
      const sha256 = state?.isThere === true ? state.sha256 : undefined;
      if (sha256 === undefined) return status === 404;
      return status !== 404 && headers.etag === `"${sha256}"` && isContent(sha256);
    },
  });
};
