import type { IncomingMessage } from 'node:http';
import type { Fault } from '../problem/problem.js';
import { digestFaults } from './declared-digests.js';
import { isSentAsIs } from './media-type.js';

// RFC 9110 §14.4: who does not know partial PUT refuses it, since the part would replace the whole
const rangeFault: Fault = {
  path: 'Content-Range',
  message: 'must not be sent: a body is never a part of what it replaces',
};

const encodingFault: Fault = {
  path: 'Content-Transfer-Encoding',
  message: 'must be left out, since a body is sent as it is',
};

const trailerFault: Fault = {
  path: 'Trailer',
  message: 'must not announce a digest: send it before the body',
};

/** What the headers of a write declare about its body that is not obeyed. */
export const bodyFaults = ({ headers }: IncomingMessage): ReadonlyArray<Fault> => {
  const encoding = String(headers['content-transfer-encoding'] ?? '');
  return [
    ...(headers['content-range'] === undefined ? [] : [rangeFault]),
    ...(encoding === '' || isSentAsIs(encoding) ? [] : [encodingFault]),
    ...(/digest|md5/i.test(headers.trailer ?? '') ? [trailerFault] : []),
    ...digestFaults(headers),
  ];
};
