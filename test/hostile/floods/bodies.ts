import { FORM_TYPE } from '../../support/multipart-form.js';
import type { Sending } from '../support/attack.js';
import type { Flood } from '../support/flood.js';
import type { Seeded } from '../support/seed.js';
import { API, chunk, chunkedHead, partHead, type Tokens } from '../support/requests.js';

/** Bodies in chunks of one byte, of which each costs six on the wire; none of them ends. */
export const bodies = ({ document }: Seeded, { editor }: Tokens): ReadonlyArray<Flood> => {
  const json = chunkedHead('POST', `${API}/business`, editor, 'application/json');
  const form = chunkedHead('POST', `${API}/document`, editor, FORM_TYPE);
  const bytes = (times: number): Sending => ({ text: chunk('a'), times });
  // below the limit of a JSON body, of a field and of a form
  const unfinishedJson = [{ text: json + chunk('{"name":"') }, bytes(250_000)];
  const field = [{ text: chunk(partHead('description')) }, bytes(60_000), { text: chunk('\r\n') }];
  const fields = [{ text: form }, ...Array.from({ length: 8 }, () => field).flat()];
  const file = [{ text: form + chunk(partHead('file', 'file.bin')) }, bytes(500_000)];
  const ofFile = `${API}/document/${document}/file?originalName=file.bin`;
  const bare = [{ text: chunkedHead('PUT', ofFile, editor, 'application/octet-stream') }, bytes(500_000)];
  const sending = (connections: number, sends: ReadonlyArray<Sending>) => ({
    needs: 'editor' as const,
    connections,
    clients: [{ sends, reads: Infinity }],
    seconds: 12,
  });
  return [
    { name: 'ten unfinished POST in chunks of a byte', ...sending(10, unfinishedJson) },
    { name: 'chunks of a byte: JSON', ...sending(20, unfinishedJson) },
    { name: 'chunks of a byte: field of a form', ...sending(20, fields) },
    { name: 'chunks of a byte: file of a form', ...sending(20, file) },
    { name: 'chunks of a byte: file by itself', ...sending(20, bare) },
  ];
};
