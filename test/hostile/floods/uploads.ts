import { FORM_TYPE } from '../../support/multipart-form.js';
import type { Flood } from '../support/flood.js';
import { API, partHead, sizedHead, type Tokens } from '../support/requests.js';

const ANNOUNCED = 50 * 1024 * 1024;
const KIB = 'k'.repeat(1024);

/** Uploads that do not end. */
export const uploads = ({ editor }: Tokens): ReadonlyArray<Flood> => {
  const head = sizedHead('POST', `${API}/document`, editor, FORM_TYPE, ANNOUNCED) + partHead('file', 'file.bin');
  const unfinished = {
    needs: 'editor' as const,
    clients: [{ sends: [{ text: head }, { text: KIB, times: 16 }], trickles: { text: 'k' }, reads: Infinity }],
    burst: 100,
    seconds: 8,
  };
  return [
    { name: '1,000 unfinished uploads', connections: 1_000, ...unfinished },
    {
      name: '50 aborted uploads of 5 MiB',
      needs: 'editor',
      connections: 50,
      clients: [{ sends: [{ text: head }, { text: KIB, times: 5 * 1024 }], reads: Infinity, resetsAfter: 100 }],
      burst: 10,
      seconds: 1,
    },
    { name: '300 unfinished uploads, 256 open files', connections: 300, ...unfinished, openFiles: 256 },
  ];
};
